package testserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Context ends when the call is canceled or the server is closed.
func (r *CustomCall) Context() context.Context { return r.ctx }

// CanAsk reports whether the client has the capability roots, sampling or
// elicitation, or the form or url of the last: elicitation/form, elicitation/url.
func (r *CustomCall) CanAsk(kind string) bool {
	kind, mode, _ := strings.Cut(kind, "/")
	caps := r.call().caps
	if !caps.has(kind) || mode == "" {
		return caps.has(kind)
	}
	modes := caps.optObject(kind)
	return modes.has(mode) || mode == "form" && !modes.has("url")
}

// Ask asks the client for roots, sampling or elicitation and returns the result.
// check validates it; what it returns is a violation.
func (r *CustomCall) Ask(kind, params string, check func(result []byte) error) ([]byte, error) {
	c := r.call()
	q := query{queries[kind].method, params, func(f *fields) {
		if err := check(f.json); err != nil {
			f.fail("", err.Error())
		}
	}}
	if base := queries[kind].check; kind != "elicitation" {
		both := q.check
		q.check = func(f *fields) {
			if base(f); *f.err == "" {
				both(f)
			}
		}
	}
	if !r.CanAsk(kind) {
		return nil, fmt.Errorf("the client has not declared the capability %s", kind)
	}
	switch {
	case r.task != nil:
		return r.task.ask(kind, q)
	case r.Modern:
		r.query = q
		r.events <- customEvent{kind: kind}
		return r.receive()
	}
	answer, ok, problem := c.requestWith(r.ctx, q.method, params)
	if !ok {
		return nil, fmt.Errorf("%s failed: %s", q.method, problem)
	}
	f := newFields(q.method, answer)
	if q.check(f); *f.err != "" {
		r.srv.addViolation("answer to "+*f.err, answer)
	}
	return answer, nil
}

func (r *CustomCall) receive() ([]byte, error) {
	select {
	case answer := <-r.answers:
		return answer, nil
	case <-r.ctx.Done():
		return nil, r.ctx.Err()
	}
}

// Progress reports progress if the client asked for it; a total of 0 is unknown.
// A task also states the message.
func (r *CustomCall) Progress(done, total float64, message string) {
	if r.task != nil {
		r.task.report(done, message)
		return
	}
	r.call().progress(done, total, message)
}

// Log sends a log message if the client wants its level. data is JSON. A task has
// no log in the modern era.
func (r *CustomCall) Log(level, logger, data string) {
	c := r.call()
	if r.task != nil && slices.Index(levels, level) >= c.level && !r.Modern {
		c.s.push(notification("notifications/message", `{"level":"`+level+`","logger":`+quote(logger)+`,"data":`+data+`}`))
		return
	}
	c.log(level, logger, data)
}

// Later makes f serve the call, beside others, instead of the server; f may call
// Proceed.
func (r *CustomCall) Later(f func(ctx context.Context)) {
	c := r.first
	c.later = func() {
		c.later = nil
		f(c.ctx)
	}
}

// Proceed serves the call as if it had not been intercepted. Later calls it.
func (r *CustomCall) Proceed() {
	c := r.first
	if r.srv.serves(c.method) {
		r.serve()
	} else {
		methods[c.method].run(c)
	}
	if c.later != nil {
		c.later()
	}
}

// Send ends the call and sends raw text, in which $id stands for the id of the
// request.
func (r *CustomCall) Send(lines ...string) {
	r.first.s.end(r.first)
	for _, line := range lines {
		r.Notify(strings.ReplaceAll(line, "$id", string(r.first.id)))
	}
}

// Respond ends the call and responds with a result or an error.
func (r *CustomCall) Respond(member, value string) { r.first.respond(member, value) }

// Notify sends raw text.
func (r *CustomCall) Notify(line string) { r.first.reply([]byte(line)) }

// Die ends the connection, and the process if there is one. It reports false if
// the transport is HTTP.
func (r *CustomCall) Die() bool {
	if r.first.s.stream == nil {
		return false
	}
	r.first.s.stream.die()
	return true
}
