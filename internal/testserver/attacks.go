package testserver

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// attackFaults lists attacks that clients have fallen to.
func attackFaults() []Fault {
	return group(Fault{On: "SHE"}, []Fault{
		{Name: "acknowledges", Row: 47, Does: "acknowledges a subscription to other resources, which only later servers do, then responds",
			call: respondWith(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":`+
				`{"resourceSubscriptions":["file:///another"]}}}`, correctResponse)},
		{Name: "endless-requests", Row: 51, Does: "sends a ping and an unknown request every Delay and never responds", call: (*call).endlessRequests},
		{Name: "ping-storm", Row: 52, Does: "sends Size pings at once, and responds after all responses to them", size: 500, call: (*call).stormOfPings},
		{Name: "announces-length", Row: 49, On: "H", Does: "announces a body of Size bytes, and sends nothing of it", size: 64 << 20,
			post: (*exchange).announce},
	})
}

// schemaFaults lists dangerous schemas of tools.
func schemaFaults() []Fault {
	return group(Fault{Row: 39, On: "SHE", Method: "tools/list"}, []Fault{
		{Name: "schema-bomb", Does: "has a tool whose schema takes 2^30 steps", call: showsSchema(bombSchema(30))},
		{Name: "schema-recursive", Does: "has a tool whose schema only refers to itself",
			call: showsSchema(`{"type":"object","$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`)},
		{Name: "schema-elsewhere", Does: "has a tool whose schema refers to another origin",
			call: showsSchema(`{"type":"object","$ref":"$foreign/schema.json"}`)},
		{Name: "schema-pattern", Does: "has a tool whose pattern takes exponential time in backtracking engines",
			call: showsSchema(`{"type":"object","properties":{"message":{"type":"string","pattern":"^(([a-z])+.)+[A-Z]([a-z])+$"}}}`)},
	})
}

// showsSchema responds to tools/list with the tool echo, whose arguments and
// result have the schema.
func showsSchema(schema string) func(*call) {
	return func(c *call) {
		schema := strings.ReplaceAll(schema, "$foreign", c.s.srv.foreign)
		c.cacheable(`"tools":[{"name":"echo","inputSchema":` + schema + `,"outputSchema":` + schema + `}]`)
	}
}

// bombSchema returns a schema with n definitions, each of which refers to the
// next one twice.
func bombSchema(n int) string {
	b := `{"type":"object","$ref":"#/$defs/d0","$defs":{`
	for i := range n {
		next := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
		b += fmt.Sprintf(`"d%d":{"allOf":[%s,%s]},`, i, next, next)
	}
	return b + fmt.Sprintf(`"d%d":{"type":"object"}}}`, n)
}

// announce sends a header only, until the client gives up.
func (x *exchange) announce() {
	x.w.Header().Set("Content-Type", typeJSON)
	x.w.Header().Set("Content-Length", itoa(x.h.srv.size()))
	x.w.WriteHeader(200)
	_ = x.ctl.Flush()
	x.hold()
}

func (c *call) endlessRequests() {
	c.later = func() {
		for c.wait(c.s.srv.opts.Delay) {
			for _, method := range []string{"ping", "echo/invented"} {
				c.reply(request(c.s.newRequest(func(*message) {}), method, ""))
			}
		}
	}
}

// stormOfPings waits for the responses of a legacy client. A modern one must not
// respond.
func (c *call) stormOfPings() {
	c.later = func() {
		n := c.s.srv.size()
		var answered atomic.Int64
		all := make(chan struct{})
		var pings [][]byte
		for range n {
			pings = append(pings, request(c.s.newRequest(func(*message) {
				if answered.Add(1) == int64(n) {
					close(all)
				}
			}), "ping", ""))
		}
		for _, ping := range pings {
			c.reply(ping)
		}
		if c.modern {
			c.serve()
			return
		}
		select {
		case <-all:
			c.serve()
		case <-c.ctx.Done():
		}
	}
}
