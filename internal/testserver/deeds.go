package testserver

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// respondResult ends a call with a result as it is written.
func respondResult(result string) func(*call) {
	return respondWith(`{"jsonrpc":"2.0","id":$id,"result":` + result + "}")
}

// fails ends a call with an error.
func fails(code int, what string) func(*call) {
	return func(c *call) { c.error(code, what, "") }
}

// complains writes to stderr and dies.
func complains(what string) func(*call) {
	return func(c *call) {
		fmt.Fprintln(c.s.stream.stderr, what)
		c.s.stream.die()
	}
}

// floods sends a message Size times and then the answer.
func floods(line string) func(*call) {
	return func(c *call) {
		c.later = func() {
			for range c.s.srv.size() {
				if c.ctx.Err() != nil {
					return
				}
				c.reply([]byte(line))
			}
			c.serve()
		}
	}
}

// storm tells everybody who wants to know, and then answers.
func (c *call) storm() {
	c.later = func() {
		for range c.s.srv.size() {
			if c.ctx.Err() != nil {
				return
			}
			c.s.srv.listChanged("tools")
		}
		c.serve()
	}
}

func progress(token, value string) string {
	return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token +
		`,"progress":` + value + `,"total":3}}`
}

// exits returns a start that writes to standard output and error, and ends.
func exits(out, stderr string) func(*stream) bool {
	return func(t *stream) bool {
		_ = t.raw([]byte(out))
		fmt.Fprint(t.stderr, stderr)
		t.die()
		return false
	}
}

// prints returns a start that writes to standard output.
func prints(text string) func(*stream) bool {
	return func(t *stream) bool { return t.raw([]byte(text)) == nil }
}

// pieces returns a way to write a message piece by piece.
func pieces(cut func(line []byte) [][]byte) func(*stream, []byte) {
	return func(t *stream, msg []byte) {
		for _, piece := range cut(slices.Clip(msg)) {
			if t.write(piece) != nil {
				return
			}
		}
	}
}

// split cuts b behind the bytes that are chosen.
func split(b []byte, behind func(byte) bool) (list [][]byte) {
	start := 0
	for i, c := range b {
		if behind(c) {
			list = append(list, b[start:i+1])
			start = i + 1
		}
	}
	return append(list, b[start:])
}

func (t *stream) trickle(msg []byte) {
	for _, b := range append(slices.Clip(msg), '\n') {
		t.wait(t.srv.opts.Delay)
		if t.write([]byte{b}) != nil {
			return
		}
	}
}

func (c *call) hang() { c.later = func() { <-c.ctx.Done() } }

func (c *call) hesitate() {
	c.later = func() {
		if c.wait(c.s.srv.opts.Delay) {
			c.serve()
		}
	}
}

// answerLate also waits when the call has been cancelled.
func (c *call) answerLate() {
	c.later = func() {
		if t := c.s.stream; t != nil {
			t.wait(c.s.srv.opts.Delay)
		} else {
			time.Sleep(c.s.srv.opts.Delay)
		}
		respondWith(right)(c)
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

// endlessLine never lets anybody else write again.
func (c *call) endlessLine() {
	c.later = func() {
		t := c.s.stream
		if !t.lock() {
			return
		}
		defer t.unlock()
		b := []byte(c.expand(`{"jsonrpc":"2.0","id":$id,"result":{"content":[{"type":"text","text":"`))
		for left := c.s.srv.size(); left > 0; b = []byte(strings.Repeat("x", 1<<16)) {
			if t.write(b) != nil {
				return
			}
			left -= len(b)
		}
		select {
		case <-c.ctx.Done():
		case <-t.gone:
		}
	}
}

func (c *call) cutOff() {
	line := c.expand(right)
	_ = c.s.stream.raw([]byte(line[:len(line)/2]))
	c.s.stream.die()
}

func (c *call) nest() {
	n := c.s.srv.size()
	respondResult(`{"content":[],"structuredContent":{"deep":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}}")(c)
}

// sendRequests asks what a client answers in a legacy session and must not
// answer in the modern era.
func (c *call) sendRequests() {
	const invented = "echo/invented"
	for _, method := range []string{"ping", invented} {
		take := func(m *message) {
			if m.err == nil != (method == "ping") {
				c.s.srv.Violation("the server's " + method + " was answered with " + string(m.result) + string(m.err))
			}
		}
		id := quote("unasked " + method)
		if !c.modern {
			id = c.s.expect(take)
		}
		c.reply(request(id, method, ""))
	}
	c.serve()
}

func (c *call) creep() {
	c.later = func() {
		for i := 1; c.wait(c.s.srv.opts.Delay); i++ {
			c.progress(float64(i), 0, "nearly there")
		}
	}
}

func (c *call) endlessPages() {
	srv := c.s.srv
	srv.mu.Lock()
	srv.asked++
	n := srv.asked
	srv.mu.Unlock()
	c.cacheable(`"tools":[{"name":"` + toolName(n) + `","inputSchema":{"type":"object"}}],"nextCursor":"` + itoa(n) + `"`)
}

func (c *call) emptyCursor() {
	first, second := `{"name":"first","inputSchema":{"type":"object"}}`, `{"name":"second","inputSchema":{"type":"object"}}`
	switch {
	case !c.params.has("cursor"):
		c.cacheable(`"tools":[` + first + `],"nextCursor":""`)
	case c.params.optText("cursor") == "":
		c.cacheable(`"tools":[` + second + "]")
	default:
		c.params.fail("cursor", "not the one that the server gave")
		c.refused()
	}
}

func (c *call) changeSilently() {
	srv := c.s.srv
	srv.mu.Lock()
	srv.added++
	srv.mu.Unlock()
	c.serve()
}

// respondWith ends a call by sending lines in which $id stands for the id, $result
// for the correct result and $token for the progress token.
func respondWith(lines ...string) func(*call) {
	return func(c *call) {
		c.s.finish(c)
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
