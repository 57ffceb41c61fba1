package testserver

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// identity describes the server, in full or by name and version.
func (s *Server) identity(full bool) string {
	switch {
	case s.opts.Custom != nil:
		return s.opts.Custom.Identity()
	case full:
		return serverInfo
	}
	return serverName
}

// A call is a request that is being served.
type call struct {
	s      *Session
	msg    []byte // the request
	id     []byte // as JSON
	key    string // of the id; see idKey
	method string
	params *fields
	meta   *fields
	modern bool
	caps   *fields           // client capabilities; nil before a session
	level  int               // the minimum level to log
	token  []byte            // the progress token as JSON, or nil
	inputs map[string][]byte // the input received, by capability
	reply  func([]byte)      // sends a message of the call
	ctx    context.Context
	cancel context.CancelFunc
	run    *CustomCall // the function that the request brings input to
	later  func()      // serves the rest, while the session reads on
}

// The server's identity: in every modern result, and in full for initialize and
// server/discover.
const (
	serverName = `{"name":"stdmcp-echo","title":"Echo","version":"1.0.0"}`
	serverInfo = `{"name":"stdmcp-echo","title":"Echo","version":"1.0.0",` +
		`"description":"An MCP server for trying clients",` + icons + `}`
)

func (c *call) serve() {
	if c.s.srv.opts.Custom == nil || !c.serveCustom() {
		methods[c.method].run(c)
	}
}

// refuseInvalid responds with an error if the parameters are invalid.
func (c *call) refuseInvalid() bool {
	if *c.params.err == "" {
		return false
	}
	c.violation(*c.params.err)
	c.error(codeInvalidParams, *c.params.err, "")
	return true
}

func (c *call) violation(what string) { c.s.srv.addViolation(c.method+": "+what, c.msg) }

func (c *call) result(members string) { c.respond("result", c.complete("complete", members, "")) }

// cacheable responds with a result that may be cached.
func (c *call) cacheable(members string) {
	c.result(c.withTTL(members))
}

func (c *call) withTTL(members string) string {
	if c.modern {
		ttl := "60000"
		if c.s.srv.opts.Custom != nil {
			ttl = itoa(int(max(c.s.srv.opts.TTL, 0).Milliseconds()))
		}
		members += `,"ttlMs":` + ttl + `,"cacheScope":"public"`
	}
	return members
}

// complete returns a result, with the members that every result has.
func (c *call) complete(resultType, members, meta string) string {
	if !c.modern {
		if meta != "" {
			members = strings.Trim(members+`,"_meta":{`+strings.TrimSuffix(meta, ",")+"}", ",")
		}
		return "{" + members + "}"
	}
	if members != "" {
		members += ","
	}
	return `{"resultType":"` + resultType + `",` + members +
		`"_meta":{` + meta + `"` + metaServerInfo + `":` + c.s.srv.identity(c.method == "server/discover") + `}}`
}

// error responds with an error; data may be empty.
func (c *call) error(code int, what, data string) {
	if c.s.end(c) {
		c.reply(errorResponse(c.id, code, what, data))
	}
}

// respond sends a response, unless the call has ended.
func (c *call) respond(member, value string) {
	if c.s.end(c) {
		c.reply(response(c.id, member, value))
	}
}

func (c *call) notify(method, params string) {
	if c.ctx.Err() == nil {
		c.reply(notification(method, params))
	}
}

// progress reports progress if the client asked for it. A total of 0 is unknown.
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

// log sends a log message, unless the level is below that of the client.
func (c *call) log(level, logger, data string) {
	if slices.Index(levels, level) >= c.level && c.s.srv.offers("logging") {
		c.notify("notifications/message", `{"level":"`+level+`","logger":`+quote(logger)+`,"data":`+data+`}`)
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
