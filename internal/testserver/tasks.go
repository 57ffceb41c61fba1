package testserver

import (
	"fmt"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

const (
	tasksExtension = metaPrefix + "tasks"
	metaRelated    = metaPrefix + "related-task"
)

// A task is a call of a tool that continues after its first response.
type task struct {
	srv     *Server
	session *Session // a legacy session, which is notified of changes; nil in the modern era
	token   []byte   // for progress, or nil
	id      string
	run     *CustomCall // serves it; nil for research
	created time.Time
	ttl     string // in JSON
	topic   string
	steps   int
	pace    time.Duration
	poll    int
	end     string
	kinds   []string // of the input needed

	// Guarded by srv.mu.
	status, message string
	updated         time.Time
	done            int               // number of steps
	inputRequested  bool              // legacy: a request is in flight
	inputs          map[string][]byte // by kind
	result, failure string            // the outcome, as JSON
	meta            string            // the members of the result's _meta
	changed         chan struct{}     // closed when status or message change
}

func (t *task) overLocked() bool { return t.status != "working" && t.status != "input_required" }

// taskSupport returns what the definition of a tool declares for 2025-11-25. In the
// modern era research becomes a task and look_up does not.
func (s *Server) taskSupport(tool string) string {
	if s.opts.Custom != nil {
		return s.opts.Custom.TaskSupport(tool)
	}
	t, _ := s.find(tool)
	return newFields("tool", []byte(t.definition)).optObject("execution").optText("taskSupport")
}

// questionLocked describes the input that the task needs.
func (t *task) questionLocked() *question { return &question{kinds: t.kinds, run: t.run} }

// validateTask checks whether the client may call the tool as a task, or without
// one (2025-11-25 basic/utilities/tasks, Tool-Level Negotiation).
func (c *call) validateTask(name string) bool {
	support := ""
	if c.hasTasks() && !c.modern {
		support = c.s.srv.taskSupport(name)
	}
	wants, what := c.params.has("task"), ""
	switch {
	case wants && support == "":
		what = "the tool does not become a task"
	case !wants && support == "required":
		what = "the tool must become a task"
	case wants:
		c.params.optObject("task").optNumber("ttl", 0)
		return true
	default:
		return true
	}
	c.violation(what)
	c.error(codeMethodNotFound, what, "")
	return false
}

// hasTasks reports whether the protocol version of the call has tasks.
func (c *call) hasTasks() bool {
	return c.s.srv.hasTasks() && (c.modern || c.s.protocolVersion() == "2025-11-25")
}

// research begins a task, or responds at once.
func (c *call) research(args *fields) {
	t := &task{}
	t.topic, t.steps, t.poll = args.text("topic"), int(args.optNumber("steps", 2)), int(args.optNumber("poll_ms", 1000))
	t.pace = time.Duration(args.optNumber("step_ms", 1000)) * time.Millisecond
	if t.end = "report"; args.has("end") {
		t.end = args.oneOf("end", "report", "error", "failure", "never")
	}
	if c.badArguments(args) {
		return
	}
	if args.optBool("ask") {
		t.kinds = slices.DeleteFunc([]string{"elicitation", "roots"}, func(kind string) bool { return !c.caps.has(kind) })
	}
	switch {
	case c.modern && textOf(c.params.raw["name"]) == "research":
		if c.lacksExtension() {
			return
		}
	case c.params.has("task"):
	default:
		c.text("Looked up " + t.topic + ".")
		return
	}
	c.beginTask(t)
}

// beginTask responds that the call has become a task.
func (c *call) beginTask(t *task) {
	s := c.s.srv
	t.srv, t.created, t.changed, t.inputs = s, time.Now(), make(chan struct{}), map[string][]byte{}
	t.ttl, t.status, t.message, t.updated = "60000", "working", "Begun.", t.created
	if !c.modern {
		t.session, t.token = c.s, c.token
		if raw := c.params.optObject("task").raw["ttl"]; raw != nil {
			t.ttl = string(raw)
		}
	}
	t.id = fmt.Sprintf("task «%d»", s.count()) // not ASCII, so that HTTP must encode it
	s.mu.Lock()
	s.tasks[t.id] = t
	t.scheduleLocked()
	s.mu.Unlock()
	if c.modern {
		c.respond("result", c.complete("task", t.members(true), ""))
	} else {
		c.result(`"task":{` + t.members(false) + "}")
	}
}

// scheduleLocked schedules the next step.
func (t *task) scheduleLocked() {
	if t.run == nil {
		time.AfterFunc(t.pace, t.step)
	}
}

func (t *task) step() {
	t.srv.mu.Lock()
	if t.overLocked() {
		t.srv.mu.Unlock()
		return
	}
	switch {
	case t.done == 1 && len(t.inputs) < len(t.kinds):
		t.setLocked("input_required", "More has to be known.")
	case t.done < t.steps || t.end == "never":
		t.done++
		t.setLocked("working", fmt.Sprintf("Step %d of %d.", t.done, t.steps))
		t.scheduleLocked()
	default:
		t.completeLocked(t.outcomeLocked())
	}
	t.srv.mu.Unlock()
	t.notify()
}

// outcomeLocked returns how the task ends.
func (t *task) outcomeLocked() customEvent {
	switch t.end {
	case "failure":
		return customEvent{err: &Error{Code: codeInternal, Message: "The library burnt down."}}
	case "error":
		return customEvent{members: `"content":[` + textBlock("Nothing is known of "+t.topic+".") + `],"isError":true`}
	}
	text := "A report on " + t.topic + "."
	for _, kind := range t.kinds {
		text += "\n" + string(t.inputs[kind])
	}
	return customEvent{members: `"content":[` + textBlock(text) + "]"}
}

func (t *task) setLocked(status, message string) {
	t.status, t.message, t.updated = status, message, time.Now()
	close(t.changed)
	t.changed = make(chan struct{})
}

func (t *task) members(modern bool) string {
	t.srv.mu.Lock()
	defer t.srv.mu.Unlock()
	ttl, poll := "ttl", "pollInterval"
	if modern {
		ttl, poll = "ttlMs", "pollIntervalMs"
	}
	b := wire.AppendString([]byte(`"taskId":`), t.id)
	b = wire.AppendString(append(b, `,"status":`...), t.status)
	b = wire.AppendString(append(b, `,"statusMessage":`...), t.message)
	b = wire.AppendString(append(b, `,"createdAt":`...), t.created.UTC().Format(time.RFC3339))
	b = wire.AppendString(append(b, `,"lastUpdatedAt":`...), t.updated.UTC().Format(time.RFC3339))
	return string(b) + `,"` + ttl + `":` + t.ttl + `,"` + poll + `":` + itoa(t.poll)
}

// detailed returns the members of a modern task, and those that depend on its
// status.
func (t *task) detailed() string {
	members := t.members(true)
	t.srv.mu.Lock()
	defer t.srv.mu.Unlock()
	switch t.status {
	case "input_required":
		return members + "," + t.questionLocked().inputRequests()
	case "completed":
		result := t.result
		if t.meta != "" {
			result += `,"_meta":{` + t.meta + "}"
		}
		return members + `,"result":{` + result + "}"
	case "failed":
		return members + `,"error":` + t.failure
	}
	return members
}

// notify reports a change to the session or the subscriptions.
func (t *task) notify() {
	if t.session != nil {
		t.srv.mu.Lock()
		working, done := t.status == "working", t.done
		t.srv.mu.Unlock()
		if working && t.token != nil {
			t.session.push(notification("notifications/progress",
				`{"progressToken":`+string(t.token)+`,"progress":`+itoa(done)+"}"))
		}
		t.session.push(notification("notifications/tasks/status", "{"+t.members(false)+"}"))
		return
	}
	for _, c := range t.srv.subscriptions(func(f filter) bool { return f.tasks[t.id] }) {
		c.notifySubscription("notifications/tasks", t.detailed())
	}
}

// addInput stores input. The next step takes notice of it.
func (t *task) addInput(kind string, answer []byte) {
	t.srv.mu.Lock()
	defer t.srv.mu.Unlock()
	t.inputs[kind] = answer
	if len(t.inputs) == len(t.kinds) {
		if t.run != nil {
			t.run.answers <- answer // there is space for one
		}
		t.scheduleLocked()
	}
}
