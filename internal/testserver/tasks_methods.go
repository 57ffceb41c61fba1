package testserver

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// lacksExtension responds with an error if the client has not declared the
// extension.
func (c *call) lacksExtension() bool {
	if c.caps.optObject("extensions").has(tasksExtension) {
		return false
	}
	c.error(codeMissingCapability, "Missing required client capability",
		`{"requiredCapabilities":{"extensions":{"`+tasksExtension+`":{}}}}`)
	return true
}

// task returns the task that the call names, or responds with an error.
func (c *call) task() *task {
	id := c.params.text("taskId")
	if !c.hasTasks() {
		c.params.fail("", "no tasks in this protocol version")
	}
	if c.modern && !c.caps.optObject("extensions").has(tasksExtension) {
		c.violation("the client has not declared " + tasksExtension)
	}
	if c.refuseInvalid() || c.modern && c.lacksExtension() {
		return nil
	}
	c.s.srv.mu.Lock()
	t := c.s.srv.tasks[id]
	c.s.srv.mu.Unlock()
	if t == nil || (t.session == nil) != c.modern {
		c.error(codeInvalidParams, "Task not found", "")
		return nil
	}
	return t
}

func (c *call) getTask() {
	if t := c.task(); t != nil && c.modern {
		c.result(t.detailed())
	} else if t != nil {
		c.result(t.members(false))
	}
}

func (c *call) listTasks() {
	c.s.srv.mu.Lock()
	ids := wire.SortedKeys(c.s.srv.tasks)
	c.s.srv.mu.Unlock()
	var items []string
	for _, id := range ids {
		if t := c.s.srv.tasks[id]; t.session != nil {
			items = append(items, "{"+t.members(false)+"}")
		}
	}
	c.list("tasks", items)
}

func (c *call) cancelTask() {
	t := c.task()
	if t == nil {
		return
	}
	t.srv.mu.Lock()
	over := t.overLocked()
	if !over {
		t.setLocked("cancelled", "Cancelled by the client.")
	}
	t.srv.mu.Unlock()
	switch {
	case c.modern:
		c.result("")
	case over:
		c.error(codeInvalidParams, "The task has ended", "")
	default:
		c.result(t.members(false))
	}
	if !over {
		if t.run != nil {
			t.run.cancel()
		}
		t.notify()
	}
}

// updateTask receives the input of a task (2026-07-28, the tasks extension).
func (c *call) updateTask() {
	t, responses := c.task(), c.params.object("inputResponses")
	if t == nil || c.refuseInvalid() {
		return
	}
	for _, kind := range responses.keys() {
		t.srv.mu.Lock()
		twice, q := t.inputs[kind] != nil, t.questionLocked()
		t.srv.mu.Unlock()
		switch {
		case !slices.Contains(q.kinds, kind):
			responses.fail(kind, "not asked for")
		case twice:
			responses.fail(kind, "given twice")
		default:
			q.query(kind).check(responses.object(kind))
		}
	}
	if c.refuseInvalid() {
		return
	}
	for _, kind := range responses.keys() {
		t.addInput(kind, responses.raw[kind])
	}
	c.result("")
}

// resultOfTask waits for the end of a task, and requests the input that the task
// needs (2025-11-25).
func (c *call) resultOfTask() {
	t := c.task()
	if t == nil {
		return
	}
	related := `"` + metaRelated + `":{"taskId":` + quote(t.id) + "}"
	c.later = func() {
		for {
			t.srv.mu.Lock()
			over, changed := t.overLocked(), t.changed
			asks := t.status == "input_required" && !t.inputRequested
			t.inputRequested = t.inputRequested || asks
			t.srv.mu.Unlock()
			switch {
			case over:
				c.endOfTask(t, related)
				return
			case asks:
				c.askForTask(t, `"_meta":{`+related+"}")
			default:
				select {
				case <-changed:
				case <-c.ctx.Done():
					return
				}
			}
		}
	}
}

func (c *call) endOfTask(t *task, related string) {
	t.srv.mu.Lock()
	result, failure := t.result, t.failure
	if t.meta != "" {
		related += "," + t.meta
	}
	t.srv.mu.Unlock()
	switch {
	case failure != "":
		c.respond("error", failure)
	case result == "":
		c.error(codeInvalidRequest, "The task was cancelled", "")
	default:
		c.result(result + `,"_meta":{` + related + "}")
	}
}

func (c *call) askForTask(t *task, related string) {
	t.srv.mu.Lock()
	all := t.questionLocked()
	t.srv.mu.Unlock()
	for _, kind := range all.kinds {
		q := all.query(kind)
		params := "{" + related + "}"
		if q.params != "" {
			params = strings.TrimSuffix(q.params, "}") + "," + related + "}"
		}
		answer, ok, problem := c.request(q.method, params)
		if !ok {
			answer = []byte(quote(problem))
			c.violation(q.method + " failed: " + problem)
		}
		f := newFields(q.method, answer)
		q.check(f)
		if f.optObject("_meta").optObject(metaRelated).optText("taskId") != t.id {
			f.fail("_meta", "does not name the task")
		}
		if *f.err != "" {
			c.violation("answer to " + *f.err)
		}
		t.addInput(kind, answer)
	}
}
