package testserver

import (
	"context"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A call is a request that is being served.
type call struct {
	s      *Session
	id     []byte // as it is written
	key    string // of the id, in the session's table
	method string
	params *fields
	meta   *fields
	modern bool
	caps   *fields           // what the client can do; nil before a session
	level  int               // the least level to be logged
	token  []byte            // the progress token as it is written, or nil
	inputs map[string][]byte // what the client was asked for, by capability
	reply  func([]byte)      // sends what belongs to the call
	ctx    context.Context
	cancel context.CancelFunc
	later  func() // what remains to be done after the session has gone on
}

// Who the server is: in every result of the modern era, and at length when a
// client asks.
const (
	serverName = `{"name":"stdmcp-echo","title":"Echo","version":"1.0.0"}`
	serverInfo = `{"name":"stdmcp-echo","title":"Echo","version":"1.0.0",` +
		`"description":"An MCP server for trying clients",` + icons + `}`
)

// serve does what the method says.
func (c *call) serve() { methods[c.method].run(c) }

// refused answers with an error that the client has brought upon itself, if
// something is wrong with the parameters.
func (c *call) refuseInvalid() bool {
	if *c.params.err == "" {
		return false
	}
	c.violation(*c.params.err)
	c.error(codeInvalidParams, *c.params.err, "")
	return true
}

func (c *call) violation(what string) { c.s.srv.Violation(c.method + ": " + what) }

// result answers with a result that has the members given.
func (c *call) result(members string) { c.respond("result", c.complete("complete", members, "")) }

// cacheable answers with a result that may be kept for a while.
func (c *call) cacheable(members string) {
	if c.modern {
		members += `,"ttlMs":60000,"cacheScope":"public"`
	}
	c.result(members)
}

// complete adds to the members of a result what every result has.
func (c *call) complete(resultType, members, meta string) string {
	if !c.modern {
		return "{" + members + "}"
	}
	if members != "" {
		members += ","
	}
	who := serverName
	if c.method == "server/discover" {
		who = serverInfo
	}
	return `{"resultType":"` + resultType + `",` + members +
		`"_meta":{` + meta + `"` + metaServerInfo + `":` + who + `}}`
}

// error answers with an error; data may be empty.
func (c *call) error(code int, what, data string) {
	if c.s.end(c) {
		c.reply(errorResponse(c.id, code, what, data))
	}
}

// answer sends the answer, unless the call has ended.
func (c *call) respond(member, value string) {
	if c.s.end(c) {
		c.reply(response(c.id, member, value))
	}
}

// notify sends a notification that belongs to the call.
func (c *call) notify(method, params string) {
	if c.ctx.Err() == nil {
		c.reply(notification(method, params))
	}
}

// progress reports progress if the client asked for it; a total of 0 is one
// that nobody knows.
func (c *call) progress(done, total float64, message string) {
	if c.token == nil {
		return
	}
	b := append([]byte(`{"progressToken":`), c.token...)
	b, _ = wire.AppendFloat(append(b, `,"progress":`...), done)
	if total != 0 {
		b, _ = wire.AppendFloat(append(b, `,"total":`...), total)
	}
	b = wire.AppendString(append(b, `,"message":`...), message)
	c.notify("notifications/progress", string(append(b, '}')))
}

// log sends a log message if the client wants that level.
func (c *call) log(level, data string) {
	if slices.Index(levels, level) >= c.level && c.s.srv.offers("logging") {
		c.notify("notifications/message", `{"level":"`+level+`","logger":"echo","data":`+data+`}`)
	}
}

// wait reports whether the call is still running after d.
func (c *call) wait(d time.Duration) bool { return wait(c.ctx, d) }

// wait reports whether ctx is still valid after d.
func wait(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
