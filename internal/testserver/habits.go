package testserver

// habitFaults lists what real servers do that clients did not expect: while a
// connection is opened, with subscriptions, with caches and with input.
func habitFaults() []Fault {
	listen := Fault{Era: "modern", Method: "subscriptions/listen"}
	all := group(Fault{On: "S"}, []Fault{
		{Name: "discover-lost", Does: "never responds to the first server/discover, and refuses initialize with -32022",
			Era: "modern", Method: "*", call: (*call).loseDiscover},
		{Name: "starts-once", Does: "refuses every request that arrives within Delay of the first one, and then the first one",
			Era: "legacy", Method: "*", call: (*call).startOnce},
		{Name: "dies-on-initialize", Does: "responds to server/discover after Delay and exits a little after initialize",
			Era: "modern", Method: "*", call: (*call).dieOnInitialize},
	})
	all = append(all, group(Fault{On: "H", Row: 28, Era: listen.Era, Method: listen.Method}, []Fault{
		{Name: "listen-404", Does: "responds to subscriptions/listen with 404 and text", post: status(404)},
		{Name: "listen-405", Does: "responds to subscriptions/listen with 405", post: status(405, "Allow: GET")},
		{Name: "listen-503", Does: "responds to subscriptions/listen with 503", post: status(503)},
		{Name: "listen-429-once", Does: "responds to subscriptions/listen with 429, once", post: once(status(429))},
	})...)
	all = append(all, group(Fault{On: "SH", Row: 38, Era: listen.Era, Method: listen.Method}, []Fault{
		{Name: "listen-refused", Does: "responds to subscriptions/listen with -32601", call: errorFault(codeMethodNotFound, "Method not found")},
		{Name: "listen-canceled", Does: "cancels every subscription after Delay", call: func(c *call) { c.cancelListen(true) }},
		{Name: "listen-canceled-early", Does: "cancels every subscription instead of acknowledging it", call: func(c *call) { c.cancelListen(false) }},
		{Name: "listen-unhonored", Does: "acknowledges no change, and reports changes of the tools every Delay", call: (*call).reportUnhonored},
	})...)
	return append(all, group(Fault{On: "SH", Era: "modern"}, []Fault{
		{Name: "ttl-once", Row: 38, Does: "permits caching only of the first response to tools/list", Method: "tools/list", call: (*call).permitCachingOnce},
		{Name: "polls", Row: 1, Does: "requires the client to repeat the call Size times", Lawful: true, size: 5, call: (*call).poll},
		{Name: "polls-endless", Row: 1, Does: "always requires the client to repeat the call", size: 1 << 30, call: (*call).poll},
		{Name: "inputs-empty", Row: 21, Does: "requires input, but none in particular",
			call: resultFault(`{"resultType":"input_required","inputRequests":{}}`)},
	})...)
}

// loseDiscover behaves like a server that discards what arrives while it starts.
func (c *call) loseDiscover() {
	switch {
	case c.method == "server/discover" && c.s.srv.count() == 1:
		c.hang()
	case c.method == "initialize":
		c.error(codeVersion, "Unsupported protocol version", `{"supported":["2026-07-28"]}`)
	default:
		c.serve()
	}
}

// startOnce behaves like a gateway that connects to its backend when the first
// request arrives, and breaks if that is not initialize.
func (c *call) startOnce() {
	s := c.s
	s.mu.Lock()
	first := s.started == ""
	if first {
		s.started = c.method
	}
	started := s.started
	s.mu.Unlock()
	switch {
	case started == "initialize":
		c.serve()
	case first:
		c.later = func() {
			if c.wait(s.srv.opts.Delay) {
				c.error(codeMethodNotFound, "Method not found", "")
			}
		}
	default:
		c.error(codeRefused, "the transport has already been started", "")
	}
}

func (c *call) dieOnInitialize() {
	switch c.method {
	case "initialize":
		c.later = func() {
			if c.wait(c.s.srv.opts.Delay / 10) {
				exitFault("fatal: unknown method initialize")(c)
			}
		}
	case "server/discover":
		c.delayResponse()
	default:
		c.serve()
	}
}

// cancelListen cancels a subscription (2026-07-28 basic/patterns/cancellation).
func (c *call) cancelListen(acknowledged bool) {
	if acknowledged {
		c.notifySubscription("notifications/subscriptions/acknowledged", `"notifications":{"toolsListChanged":true}`)
	}
	c.later = func() {
		if acknowledged && !c.wait(c.s.srv.opts.Delay) {
			return
		}
		c.notify("notifications/cancelled", `{"requestId":`+string(c.id)+`,"reason":"the server is busy"}`)
		c.s.end(c)
	}
}

func (c *call) reportUnhonored() {
	c.notifySubscription("notifications/subscriptions/acknowledged", `"notifications":{}`)
	c.later = func() {
		for c.wait(c.s.srv.opts.Delay) {
			c.notifySubscription("notifications/tools/list_changed", "")
		}
	}
}

func (c *call) permitCachingOnce() {
	n := c.s.srv.count()
	members := `"tools":[{"name":"` + toolName(n) + `","inputSchema":{"type":"object"}}]`
	if n == 1 {
		members += `,"ttlMs":60000,"cacheScope":"private"`
	}
	c.result(members)
}

// poll returns nothing but a state, with which the client repeats the call. Each
// state counts, too. Twice the size may not fit into an int of 32 bits.
func (c *call) poll() {
	if (c.s.srv.count()-1)/2 >= c.s.srv.size() {
		c.serve()
		return
	}
	c.require(nil, false)
}
