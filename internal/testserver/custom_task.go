package testserver

import (
	"errors"
)

// beginTask responds that the call has become a task, and runs the function.
func (r *CustomCall) beginTask() {
	r.task = &task{run: r, poll: 20}
	r.first.beginTask(r.task)
	r.start()
}

// ask requires input and waits for it.
func (t *task) ask(kind string, q query) ([]byte, error) {
	t.srv.mu.Lock()
	t.run.query, t.kinds, t.inputs, t.inputRequested = q, []string{kind}, map[string][]byte{}, false
	t.setLocked("input_required", "Input is required.")
	t.srv.mu.Unlock()
	t.notify()
	answer, err := t.run.receive()
	t.srv.mu.Lock()
	if !t.overLocked() {
		t.setLocked("working", "Input was received.")
	}
	t.srv.mu.Unlock()
	return answer, err
}

func (t *task) report(done float64, message string) {
	t.srv.mu.Lock()
	over := t.overLocked()
	if !over {
		t.done = int(done)
		t.setLocked("working", message)
	}
	t.srv.mu.Unlock()
	if !over {
		t.notify()
	}
}

// storeOutcome stores the outcome of the function, unless the task was canceled.
func (t *task) storeOutcome(e customEvent) {
	t.srv.mu.Lock()
	over := t.overLocked()
	if !over {
		t.completeLocked(e)
	}
	t.srv.mu.Unlock()
	if !over {
		t.notify()
	}
}

func (t *task) completeLocked(e customEvent) {
	if e.err != nil {
		failure, data := &Error{Code: codeInternal}, ""
		if errors.As(e.err, &failure) && failure.Data != "" {
			data = `,"data":` + failure.Data
		}
		t.failure = `{"code":` + itoa(failure.Code) + `,"message":` + quote(e.err.Error()) + data + "}"
		t.setLocked("failed", e.err.Error())
		return
	}
	t.result, t.meta = e.members, e.meta
	status := "completed"
	if f := newFields("result", []byte("{"+e.members+"}")); t.session != nil && f.optBool("isError") {
		status = "failed" // as 2025-11-25 requires
	}
	t.setLocked(status, "Ended.")
}
