package testserver

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
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

	mu      lock.Mutex // guards what follows
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
	if !c.s.srv.serves(c.method) {
		return false
	}
	r.serve()
	return true
}

// checkFeature checks the parameters of the methods that Custom serves.
func (c *call) checkFeature() {
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
	if c.checkFeature(); c.refuseInvalid() {
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
