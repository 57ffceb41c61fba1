package testserver

import (
	"fmt"
	"strings"
	"time"
)

// respondWith ends a call by sending lines in which $id stands for the id,
// $result for the correct result and $token for the progress token.
func respondWith(lines ...string) func(*call) {
	return func(c *call) {
		c.s.end(c)
		for _, line := range lines {
			c.reply([]byte(c.expand(line)))
		}
	}
}

func (c *call) expand(line string) string {
	result := c.complete("complete", `"content":[`+textBlock(c.params.optObject("arguments").optText("message"))+"]", "")
	token := c.token
	if token == nil {
		token = []byte("0")
	}
	return strings.NewReplacer("$id", string(c.id), "$result", result, "$token", string(token)).Replace(line)
}

func resultFault(result string) func(*call) {
	return respondWith(`{"jsonrpc":"2.0","id":$id,"result":` + result + "}")
}

func errorFault(code int, what string) func(*call) {
	return func(c *call) { c.error(code, what, "") }
}

// exitFault writes to stderr and exits.
func exitFault(what string) func(*call) {
	return func(c *call) {
		fmt.Fprintln(c.s.stream.stderr, what)
		c.s.stream.die()
	}
}

// repeat calls send Size times, and then serves the call.
func (c *call) repeat(send func()) {
	c.later = func() {
		for range c.s.srv.size() {
			if c.ctx.Err() != nil {
				return
			}
			send()
		}
		c.serve()
	}
}

func floodFault(line string) func(*call) {
	return func(c *call) { c.repeat(func() { c.reply([]byte(line)) }) }
}

func (c *call) storm() { c.repeat(func() { c.s.srv.listChanged("tools") }) }

func progress(token, value string) string {
	return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token +
		`,"progress":` + value + `,"total":3}}`
}

// exitsAtStart returns a start that writes to standard output and error, and exits.
func exitsAtStart(out, stderr string) func(*stream) bool {
	return func(t *stream) bool {
		_ = t.raw([]byte(out))
		fmt.Fprint(t.stderr, stderr)
		t.die()
		return false
	}
}

func (c *call) hang() { c.later = func() { <-c.ctx.Done() } }

// wedge hangs until the next message, on which the server exits.
func (c *call) wedge() {
	c.s.stream.wedged = true
	c.hang()
}

func (c *call) delayResponse() {
	c.later = func() {
		if c.wait(c.s.srv.opts.Delay) {
			c.serve()
		}
	}
}

// respondLate also responds if the call has been canceled.
func (c *call) respondLate() {
	c.later = func() {
		if t := c.s.stream; t != nil {
			t.wait(c.s.srv.opts.Delay)
		} else {
			time.Sleep(c.s.srv.opts.Delay)
		}
		respondWith(correctResponse)(c)
	}
}

func (c *call) floodStderr() {
	c.later = func() {
		line := strings.Repeat("all work and no play makes a dull log ", 27)[:1023] + "\n"
		for left := c.s.srv.size(); left > 0 && c.ctx.Err() == nil; left -= len(line) {
			if _, err := fmt.Fprint(c.s.stream.stderr, line[:min(left, len(line))]); err != nil {
				return
			}
		}
		c.serve()
	}
}

// endlessLine keeps the stream locked, so that no other message is sent.
func (c *call) endlessLine() {
	c.later = func() {
		t := c.s.stream
		if !t.lock() {
			return
		}
		defer t.unlock()
		b := []byte(c.expand(textBegin))
		for left := c.s.srv.size(); left > 0; b = []byte(strings.Repeat("x", 1<<16)) {
			if t.write(b) != nil {
				return
			}
			left -= len(b)
		}
		select {
		case <-c.ctx.Done():
		case <-t.ctx.Done():
		}
	}
}

func (c *call) cutOff() {
	line := c.expand(correctResponse)
	_ = c.s.stream.raw([]byte(line[:len(line)/2]))
	c.s.stream.die()
}

func (c *call) nest() {
	n := c.s.srv.size()
	resultFault(`{"content":[],"structuredContent":{"deep":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}}")(c)
}

// sendRequests sends requests. A legacy client must respond to them, a modern
// client must not.
func (c *call) sendRequests() {
	for _, method := range []string{"ping", "echo/invented"} {
		id := quote("unasked " + method)
		if !c.modern {
			id = c.s.newRequest(func(m *message) {
				if m.err == nil != (method == "ping") {
					c.s.srv.addViolation("the server's "+method+" was answered with "+string(m.result)+string(m.err), nil)
				}
			})
		}
		c.reply(request(id, method, ""))
	}
	c.serve()
}

func (c *call) endlessProgress() {
	c.later = func() {
		for i := 1; c.wait(c.s.srv.opts.Delay); i++ {
			c.progress(float64(i), 0, "nearly there")
		}
	}
}

func (c *call) endlessPages() {
	n := c.s.srv.count()
	c.cacheable(`"tools":[{"name":"` + toolName(n) + `","inputSchema":{"type":"object"}}],"nextCursor":"` + itoa(n) + `"`)
}

func (c *call) emptyCursor() {
	tool := func(name string) string { return `"tools":[{"name":"` + name + `","inputSchema":{"type":"object"}}]` }
	switch {
	case !c.params.has("cursor"):
		c.cacheable(tool("first") + `,"nextCursor":""`)
	case c.params.optText("cursor") == "":
		c.cacheable(tool("second"))
	default:
		c.params.fail("cursor", "not the one that the server gave")
		c.refuseInvalid()
	}
}
