package testserver

import (
	"bytes"
	"mime"
	"net/http"
	"slices"
)

// The headers of Streamable HTTP.
const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerParam   = "Mcp-Param-"
	headerLast    = "Last-Event-Id"
)

// post serves a POST to the endpoint of Streamable HTTP.
func (x *exchange) post() {
	if !x.judgeTypes() || !x.read() {
		return
	}
	x.modern = x.isModern()
	if x.affected() && x.h.fault.Method == "server/discover" {
		x.h.fault.post(x)
		return
	}
	defer x.leave()
	if x.modern && !x.admitModern() || !x.modern && !x.admitLegacy() {
		return
	}
	if x.affected() && x.h.fault.post != nil {
		x.h.fault.post(x)
		return
	}
	x.serve()
}

// judgeTypes looks at what a client must say about content types.
func (x *exchange) judgeTypes() bool {
	if !x.accepts("application/json") || !x.accepts("text/event-stream") {
		x.h.violation("Accept: %q lacks application/json or text/event-stream", x.r.Header.Values("Accept"))
		x.refuse(http.StatusNotAcceptable, codeRefused, "Not Acceptable: accept both application/json and text/event-stream")
		return false
	}
	return x.judgeContentType()
}

func (x *exchange) judgeContentType() bool {
	given := x.r.Header.Get("Content-Type")
	if name, _, err := mime.ParseMediaType(given); err != nil || name != "application/json" {
		x.h.violation("Content-Type: %q is not application/json", given)
		x.refuse(http.StatusUnsupportedMediaType, codeRefused, "Unsupported Media Type: want application/json")
		return false
	}
	return true
}

// isModern decides in which era a message is served (2026-07-28
// basic/versioning, dual-era servers).
func (x *exchange) isModern() bool {
	h := x.h
	if h.srv.Speaks(true) == nil || h.srv.Speaks(false) == nil {
		return h.srv.Speaks(true) != nil
	}
	return x.msg.meta[metaVersion] != nil || h.isModern(x.r.Header.Get(headerVersion))
}

// isModern reports whether a version stands for the modern era, known or not.
func (h *Handler) isModern(version string) bool { return version >= Modern }

// serve has the engine handle the message, and answers.
func (x *exchange) serve() {
	out := x.newStream()
	reader := out.attach(0)
	x.handle(out)
	if !x.msg.request {
		x.acknowledge(out)
	} else {
		x.answer(out, reader)
	}
	if out.name == "" {
		out.drop()
	}
}

// handle gives the message to the engine; what that says goes into out.
func (x *exchange) handle(out *outbox) {
	finish := out.end
	var run func()
	if s := x.session; s != nil {
		run = s.engine.Handle(s.ctx, x.body, x.replyTo(out))
	} else {
		alone := x.h.srv.NewSession(nil) // the modern era has no sessions
		finish = func() { alone.Close(); out.end() }
		run = alone.Handle(x.ctx, x.body, x.replyTo(out))
	}
	if x.fresh {
		x.begun()
	}
	if run == nil {
		finish()
		return
	}
	x.h.running.Go(func() {
		run()
		finish()
	})
}

// replyTo returns what takes the messages of the engine.
func (x *exchange) replyTo(out *outbox) func(msg []byte) {
	onlyAnswer := x.h.opts.Answers == JSON && !x.isListen() && !x.sse
	struck := x.affected() && x.h.fault.event != nil
	return func(msg []byte) {
		it := item{msg: msg}
		switch told := tells(msg); {
		case told && onlyAnswer:
			x.aside(it)
			return
		case !told && struck:
			it.struck = x
		}
		out.put(it)
	}
}

// aside sends what belongs to a call where there is no room beside the answer:
// what the server asks, on the stream that GET opens; the rest not at all.
func (x *exchange) aside(it item) {
	asked := bytes.HasPrefix(it.msg, []byte(`{"jsonrpc":"2.0","id":`))
	if x.session != nil && (asked || bytes.Contains(it.msg, []byte(`"notifications/cancelled"`))) {
		x.session.general.put(it)
	}
}

func (x *exchange) isListen() bool { return x.msg.method == "subscriptions/listen" }

// acknowledge answers what is no request.
func (x *exchange) acknowledge(out *outbox) {
	items := x.await(out, all)
	if len(items) > 0 {
		x.write(http.StatusBadRequest, "application/json", items[0].msg)
		return
	}
	x.w.WriteHeader(http.StatusAccepted)
}

// answer answers a request in JSON or with a stream.
func (x *exchange) answer(out *outbox, reader int) {
	form := x.h.opts.Answers
	if x.isListen() || x.affected() && x.h.fault.event != nil {
		form = Stream
	}
	items := x.await(out, func(items []item, ended bool) bool {
		enough := len(items) > 1 || len(items) == 1 && tells(items[0].msg)
		return ended || form == Stream || form == Auto && enough
	})
	_, ended, _ := out.peek()
	single := ended && len(items) == 1 && !tells(items[0].msg)
	switch {
	case x.ctx.Err() != nil:
	case form == JSON && len(items) > 0, form == Auto && single, single && x.statusOf(items[0].msg) != http.StatusOK:
		x.write(x.statusOf(items[0].msg), "application/json", items[0].msg)
	case form != Stream && len(items) == 0:
		// The call was cancelled; there is nothing to say.
	default:
		x.h.mu.Lock()
		x.out = out
		x.h.mu.Unlock()
		s := x.open()
		s.prime(out)
		s.drain(out, reader)
	}
}

func all(_ []item, ended bool) bool { return ended }

// await waits for enough messages, and returns those that are there when the
// client goes away.
func (x *exchange) await(out *outbox, enough func(items []item, ended bool) bool) []item {
	for {
		items, ended, changed := out.peek()
		if enough(items, ended) {
			return items
		}
		select {
		case <-changed:
		case <-x.ctx.Done():
			return items
		}
	}
}

// statusOf is the status of an answer. Only the modern era knows others than
// 200 for errors, unless there is no request that they answer.
func (x *exchange) statusOf(msg []byte) int {
	code := errorCode(msg)
	badRequest := []int{codeHeaderMismatch, codeMissingCapability, codeVersion, codeParse, codeInvalidRequest}
	switch {
	case code != 0 && bytes.HasPrefix(msg, []byte(`{"jsonrpc":"2.0","id":null`)):
		return http.StatusBadRequest
	case !x.modern || code == 0:
		return http.StatusOK
	case code == codeMethodNotFound:
		return http.StatusNotFound
	case slices.Contains(badRequest, code), code == codeInvalidParams && x.malformed:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
