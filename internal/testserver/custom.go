package testserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Custom describes what a server offers instead of its own features. Its methods
// must be safe for concurrent use. They return JSON, unless stated otherwise.
type Custom interface {
	// Identity returns the server's Implementation.
	Identity() string

	// Offers reports whether the server has a capability; see Options.Without.
	Offers(capability string) bool

	// List returns the definitions of tools, resources, resourceTemplates or
	// prompts.
	List(member string) []string

	// Schema returns the schema of the arguments of a tool, or nil.
	Schema(tool string) []byte

	// TaskSupport returns the text required or optional if calls of a tool
	// become tasks.
	TaskSupport(tool string) string

	// Intercept reports whether it serves a request of any method itself, as a
	// fault does.
	Intercept(*CustomCall) bool

	// Serve serves tools/call, resources/read, prompts/get or
	// completion/complete. It returns the members of the result and of its
	// _meta, or an error that may be an *Error.
	Serve(*CustomCall) (members, meta string, err error)
}

// An Extender is a [Custom] with methods of extensions, which Intercept or Serve
// serves.
type Extender interface {
	// Extensions returns the extensions that the server declares, as members of
	// a JSON object, or "".
	Extensions() string

	// Extends reports whether a method is one of the extensions.
	Extends(method string) bool
}

// extends reports whether Custom has a method of an extension.
func (s *Server) extends(method string) bool {
	e, ok := s.opts.Custom.(Extender)
	return ok && e.Extends(method)
}

// An Error is an error response.
type Error struct {
	Code    int
	Message string
	Data    string // JSON; may be empty
}

func (e *Error) Error() string { return e.Message }

// A CustomCall is a request that a Custom serves. In the modern era it lasts for
// all requests that bring input to it.
type CustomCall struct {
	Method  string
	Params  []byte // JSON, or nil
	Version string // the protocol version
	Modern  bool

	first   *call
	srv     *Server
	ctx     context.Context
	cancel  context.CancelFunc
	events  chan customEvent
	answers chan []byte
	query   query // the last; ordered by events and answers, or guarded by srv.mu in a task

	mu      sync.Mutex // guards what follows
	current *call      // the request that is served now
	task    *task      // what the call has become, or nil
}

// A customEvent is the end of a call, or a need for input.
type customEvent struct {
	kind    string // of the input needed
	members string // of the result
	meta    string // the members of its _meta
	err     error
}

// customMethods are the methods that Custom.Serve serves, beside extensions.
var customMethods = []string{"tools/call", "resources/read", "prompts/get", "completion/complete"}

func (s *Server) serves(method string) bool {
	return slices.Contains(customMethods, method) || s.extends(method)
}

// customLists maps methods to the member of their result.
var customLists = map[string]string{
	"tools/list": "tools", "resources/list": "resources",
	"resources/templates/list": "resourceTemplates", "prompts/list": "prompts",
}

// serveCustom reports whether it serves the call.
func (c *call) serveCustom() bool {
	custom := c.s.srv.opts.Custom
	if run := c.run; run != nil {
		run.resume(c)
		return true
	}
	r := &CustomCall{Method: c.method, Params: c.params.json, Modern: c.modern, first: c, srv: c.s.srv, current: c,
		events: make(chan customEvent, 1), answers: make(chan []byte, 1)}
	r.Version = c.s.protocolVersion()
	if c.modern {
		r.Version = c.meta.optText(metaVersion)
	}
	if custom.Intercept(r) {
		return true
	}
	if member, ok := customLists[c.method]; ok {
		c.list(member, custom.List(member))
		return true
	}
	if !c.s.srv.serves(c.method) {
		return false
	}
	r.serve()
	return true
}

// checkCustom checks the parameters of the methods that Custom serves.
func (c *call) checkCustom() {
	switch c.method {
	case "tools/call", "prompts/get":
		c.params.text("name")
		if args := c.params.optObject("arguments"); c.method == "prompts/get" {
			args.texts()
		}
	case "resources/read":
		c.params.text("uri")
	case "completion/complete":
		ref, arg := c.params.object("ref"), c.params.object("argument")
		if ref.oneOf("type", "ref/prompt", "ref/resource") == "ref/prompt" {
			ref.text("name")
		} else {
			ref.text("uri")
		}
		arg.text("name")
		arg.text("value")
		c.params.optObject("context").optObject("arguments").texts()
	}
}

func (r *CustomCall) serve() {
	c := r.first
	if c.checkCustom(); c.refuseInvalid() {
		return
	}
	support := ""
	if c.method == "tools/call" {
		name := c.params.text("name")
		if !c.validateTask(name) || c.refuseInvalid() {
			return
		}
		if support = r.srv.taskSupport(name); !r.srv.hasTasks() {
			support = ""
		}
	}
	r.ctx, r.cancel = context.WithCancel(r.srv.ctx)
	switch {
	case c.modern && support == "required" && c.lacksExtension():
		return
	case c.modern && support != "" && c.caps.optObject("extensions").has(tasksExtension), c.params.has("task") && !c.modern:
		r.beginTask()
	default:
		c.later = func() {
			r.start()
			r.await(c)
		}
	}
}

// start runs Custom.Serve on a goroutine that ends with it, because the client
// need not wait for a function that ignores a cancellation.
func (r *CustomCall) start() {
	r.srv.running.Go(func() {
		defer r.cancel()
		if r.first.s.stream != nil && r.task == nil {
			defer context.AfterFunc(r.first.s.ctx, r.cancel)()
		}
		e := customEvent{err: errors.New("the function ended its goroutine")}
		defer func() { // after runtime.Goexit, too
			if r.task != nil {
				r.task.storeOutcome(e)
			} else {
				r.events <- e
			}
		}()
		e.members, e.meta, e.err = r.srv.opts.Custom.Serve(r)
	})
}

// await responds to c with the next event.
func (r *CustomCall) await(c *call) {
	stop := context.AfterFunc(c.ctx, r.cancel)
	select {
	case <-c.ctx.Done():
	case e := <-r.events:
		stop()
		r.respond(c, e)
	}
}

func (r *CustomCall) respond(c *call, e customEvent) {
	if e.kind != "" {
		c.requireAll(&question{call: c, kinds: []string{e.kind}, run: r}, false)
		return
	}
	meta := e.meta
	if meta != "" {
		meta += "," // others may follow
	}
	var failure *Error
	switch {
	case errors.As(e.err, &failure):
		c.error(failure.Code, failure.Message, failure.Data)
	case e.err != nil:
		c.error(codeInternal, e.err.Error(), "")
	case c.method == "resources/read", r.srv.extends(c.method):
		c.respond("result", c.complete("complete", c.withTTL(e.members), meta))
	default:
		c.respond("result", c.complete("complete", e.members, meta))
	}
}

// resume passes input to the function and responds to c with what it does next.
func (r *CustomCall) resume(c *call) {
	r.mu.Lock()
	r.current = c
	r.mu.Unlock()
	for _, answer := range c.inputs {
		r.answers <- answer // there is space for one
	}
	if len(c.inputs) == 0 {
		c.params.fail("inputResponses", "missing")
		c.refuseInvalid()
		return
	}
	c.later = func() { r.await(c) }
}

func (r *CustomCall) call() *call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

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

// Levels returns the levels of log messages.
func Levels() []string { return slices.Clone(levels) }

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
	if member, ok := customLists[c.method]; ok {
		c.list(member, r.srv.opts.Custom.List(member))
	} else if r.srv.serves(c.method) {
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

// beginTask responds that the call has become a task, and runs the function.
func (r *CustomCall) beginTask() {
	c := r.first
	t := &task{srv: r.srv, run: r, created: time.Now(), ttl: "60000", poll: 20, changed: make(chan struct{})}
	if !c.modern {
		t.session, t.token = c.s, c.token
		if raw := c.params.optObject("task").raw["ttl"]; raw != nil {
			t.ttl = string(raw)
		}
	}
	r.task = t
	r.srv.begin(t)
	if c.modern {
		c.respond("result", c.complete("task", t.members(true), ""))
	} else {
		c.result(`"task":{` + t.members(false) + "}")
	}
	r.start()
}

// ask requires input and waits for it.
func (t *task) ask(kind string, q query) ([]byte, error) {
	t.srv.mu.Lock()
	t.run.query, t.kinds, t.inputs, t.inputRequested = q, []string{kind}, map[string][]byte{}, false
	t.set("input_required", "Input is required.")
	t.srv.mu.Unlock()
	t.notify()
	answer, err := t.run.receive()
	t.srv.mu.Lock()
	if !t.over() {
		t.set("working", "Input was received.")
	}
	t.srv.mu.Unlock()
	return answer, err
}

// report changes the message of the task.
func (t *task) report(done float64, message string) {
	t.srv.mu.Lock()
	over := t.over()
	if !over {
		t.done = int(done)
		t.set("working", message)
	}
	t.srv.mu.Unlock()
	if !over {
		t.notify()
	}
}

// storeOutcome stores the outcome of the function, unless the task was canceled.
func (t *task) storeOutcome(e customEvent) {
	t.srv.mu.Lock()
	over := t.over()
	var failure *Error
	switch {
	case over:
	case e.err != nil:
		code, data := codeInternal, ""
		if errors.As(e.err, &failure) {
			if code = failure.Code; failure.Data != "" {
				data = `,"data":` + failure.Data
			}
		}
		t.failure = `{"code":` + itoa(code) + `,"message":` + quote(e.err.Error()) + data + "}"
		t.set("failed", e.err.Error())
	default:
		t.result, t.meta = e.members, e.meta
		status := "completed"
		if f := newFields("result", []byte("{"+e.members+"}")); t.session != nil && f.optBool("isError") {
			status = "failed" // as 2025-11-25 requires
		}
		t.set(status, "Ended.")
	}
	t.srv.mu.Unlock()
	if !over {
		t.notify()
	}
}

// Close cancels the functions of Custom and waits up to d for them. It reports
// whether all have ended.
func (s *Server) Close(d time.Duration) bool {
	s.cancel()
	ended := make(chan struct{})
	go func() { // ends with the functions
		s.running.Wait()
		close(ended)
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
		return false
	}
}

// ListChanged reports a change of the list of tools, resources or prompts.
func (s *Server) ListChanged(list string) { s.listChanged(list) }

// Notify sends a notification to every legacy client that is ready for it.
func (s *Server) Notify(method, params string) {
	s.mu.Lock()
	sessions := slices.Collect(maps.Keys(s.sessions))
	s.mu.Unlock()
	for _, n := range sessions {
		n.mu.Lock()
		ready := n.ready
		n.mu.Unlock()
		if ready {
			n.push(notification(method, params))
		}
	}
}

// ResourceUpdated reports a change of a resource to its subscribers.
func (s *Server) ResourceUpdated(uri string) {
	s.publish("notifications/resources/updated", "", uri)
}
