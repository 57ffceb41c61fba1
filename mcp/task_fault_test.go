package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

// TestFaultyTaskServers uses peers that respond to tools/call with a task.
func TestFaultyTaskServers(t *testing.T) {
	task := func(members string) string {
		return `{"resultType":"task","taskId":"a","createdAt":"x","lastUpdatedAt":"x","ttlMs":null` + members + `}`
	}
	const working = `,"status":"working","pollIntervalMs":0`
	for _, tt := range []struct {
		name, begin, then string
		target            error
		says              string
	}{
		{"no id", `{"resultType":"task","status":"working"}`, "", mcp.ErrMalformed, "id or status"},
		{"no status", task(""), "", mcp.ErrMalformed, "id or status"},
		{"no object", `{"resultType":"task","taskId":{}}`, "", mcp.ErrMalformed, ""},
		{"a state that is none", task(working), `{}`, mcp.ErrMalformed, "tasks/get"},
		{"no result", task(`,"status":"completed"`), "", mcp.ErrMalformed, "research"},
		{"a result that is none", task(working), task(`,"status":"completed","result":[]`), mcp.ErrMalformed, "research"},
		{"no error", task(`,"status":"failed"`), "", mcp.ErrMalformed, "without an error"},
		{"cancelled", task(`,"status":"cancelled"`), "", mcp.ErrTaskCancelled, "research"},
		{"a status of tomorrow", task(`,"status":"dreaming"`), task(`,"status":"completed","result":` + done), nil, ""},
		{"asked too much", task(`,"status":"input_required","inputRequests":` + inputRequests(65)), "", mcp.ErrInputRequired, "64"},
		{"asked what no task may", task(`,"status":"input_required","inputRequests":{"a":{"method":"tools/call"}}`), "",
			mcp.ErrInputRequired, "tools/call"},
		{"asked with a mended key", task(`,"status":"input_required","inputRequests":{"\ud800":{"method":"roots/list"}}`), "",
			mcp.ErrMalformed, "replacement character"},
		{"the state of another task", task(working), strings.Replace(task(`,"status":"completed","result":`+done), `"a"`, `"b"`, 1), mcp.ErrMalformed, "another task"},
		{"a task in a task", task(`,"status":"completed","result":{"resultType":"task","taskId":"b"}`), "", mcp.ErrMalformed, `the resultType "task"`},
		{"a question in a task", task(`,"status":"completed","result":{"resultType":"input_required"}`), "", mcp.ErrMalformed, `the resultType "input_required"`},
		{"asks nothing", task(`,"status":"input_required"`), task(`,"status":"completed","result":` + done), nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, rwc := newPeer(t, modern, func(p *peer, m request) {
					switch m.Method {
					case "tools/call":
						p.answer(m, tt.begin)
					case "tasks/get":
						p.answer(m, tt.then)
					default:
						p.answer(m, "{}")
					}
				})
				c := connectStream(t, rwc, withTasks())
				res, err := c.CallTool(t.Context(), "research", nil)
				if tt.target == nil {
					if err != nil || res.Text() != "done" {
						t.Errorf("%+v, %v", res, err)
					}
					return
				}
				wantError(t, err, tt.target, tt.says)
			})
		})
	}
}

// TestMendedKeyAsksNothing: the user does not answer what the client cannot send.
func TestMendedKeyAsksNothing(t *testing.T) {
	const asks = `"inputRequests":{"a":{"method":"roots/list"},"\ud800":{"method":"roots/list"}}}`
	for _, result := range []string{`{"resultType":"input_required",` + asks, `{"resultType":"task","taskId":"a","status":"input_required",` + asks} {
		synctest.Test(t, func(t *testing.T) {
			_, rwc := newPeer(t, modern, func(p *peer, m request) { p.answer(m, result) })
			asked := 0
			_, err := connectStream(t, rwc, withTasks(mcp.Roots{List: func(context.Context) ([]mcp.Root, error) {
				asked++
				return nil, nil
			}})).CallTool(t.Context(), "any", nil)
			if wantError(t, err, mcp.ErrMalformed, "replacement character"); asked > 0 {
				t.Errorf("%s: the user was asked", result)
			}
		})
	}
}

func inputRequests(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"q%d":{"method":"roots/list"}`, i))
	}
	return "{" + strings.Join(list, ",") + "}"
}

// TestTaskSurvivesFailedPolls: a proxy may lose some.
func TestTaskSurvivesFailedPolls(t *testing.T) {
	for lost, ok := range map[int]bool{2: true, 3: false} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			p, rwc := newPeer(t, modern, func(p *peer, m request) {
				switch m.Method {
				case "tools/call":
					p.answer(m, `{"resultType":"task","taskId":"a","status":"working","pollIntervalMs":5000}`)
				case "tasks/get":
					if asked++; asked > lost {
						p.answer(m, `{"resultType":"complete","taskId":"a","status":"completed","result":`+done+`}`)
					}
				}
			})
			o := withTasks()
			o.Timeout = time.Second
			c := connectStream(t, rwc, o)
			_, err := c.CallTool(t.Context(), "any", nil)
			if (err == nil) != ok {
				t.Errorf("%d questions lost: %v", lost, err)
			}
			if !ok {
				wantError(t, err, context.DeadlineExceeded, "tasks/get")
			}
			if got := len(p.messages("tasks/cancel")); (got == 0) != ok {
				t.Errorf("cancelled %d times", got)
			}
		})
	}
}

func TestTaskResultOfOtherMethodIsMalformed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, rwc := newPeer(t, modern, func(p *peer, m request) {
			p.answer(m, `{"resultType":"task","taskId":"a","status":"working"}`)
		})
		c := connectStream(t, rwc, withTasks())
		_, err := c.GetPrompt(t.Context(), "x", nil)
		wantError(t, err, mcp.ErrMalformed, "task")
	})
}

// TestResultOfAFailedTask: a legacy server may not repeat in the result that the tool failed.
func TestResultOfAFailedTask(t *testing.T) {
	for _, status := range []mcp.TaskStatus{mcp.TaskFailed, mcp.TaskCompleted} {
		synctest.Test(t, func(t *testing.T) {
			_, rwc := newPeer(t, legacy, func(p *peer, m request) {
				if m.Method == "tasks/get" {
					p.answer(m, `{"taskId":"a","status":"`+string(status)+`"}`)
				} else {
					p.answer(m, done)
				}
			})
			res, err := connectStream(t, rwc, withTasks()).Task("a").Wait(t.Context())
			if err != nil || res.IsError != (status == mcp.TaskFailed) {
				t.Errorf("%s: %+v, %v", status, res, err)
			}
		})
	}
}

// TestStatesOfATaskAreThoseOfTheProgram: a map that another goroutine of the program reads
// ends the process if the client changes it.
func TestStatesOfATaskAreThoseOfTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const task = `{"resultType":"task","taskId":"a","status":"`
		both := task + `input_required","statusMessage":"more","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"roots/list"}}}`
		polls := 0
		_, rwc := newPeer(t, modern, func(p *peer, m request) {
			switch {
			case m.Method == "tools/call":
				p.answer(m, task+`input_required","inputRequests":{"a":{"method":"roots/list"}}}`)
			case m.Method != "tasks/get":
				p.answer(m, "{}")
			default:
				if polls++; polls < 3 {
					p.answer(m, both)
				} else {
					p.answer(m, task+`completed","result":`+done+`}`)
				}
			}
		})
		c := connectStream(t, rwc, withTasks(mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return nil, nil }}))
		var states []*mcp.Task
		if _, err := c.Do(t.Context(), &mcp.ToolCall{Name: "any", Task: func(s *mcp.Task) { states = append(states, s) }}); err != nil {
			t.Error(err)
		}
		for i, s := range states {
			if s.Status == mcp.TaskInputRequired && s.InputRequests["a"].Method == "" {
				t.Errorf("state %d has the requests %v", i, s.InputRequests)
			}
		}
	})
}

// TestInputsAreProvidedOnce: a caller that waits again does not begin with the state
// in which the task was created.
func TestInputsAreProvidedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const task = `{"resultType":"task","taskId":"a","createdAt":"x","lastUpdatedAt":"x","ttlMs":null,"pollIntervalMs":1000,"status":`
		ended := time.Now().Add(time.Minute)
		_, rwc := newPeer(t, modern, func(p *peer, m request) {
			switch {
			case m.Method == "tools/call":
				p.answer(m, task+`"input_required","inputRequests":{"a":{"method":"roots/list"}}}`)
			case m.Method == "tasks/get" && time.Now().Before(ended):
				p.answer(m, task+`"working"}`)
			case m.Method == "tasks/get":
				p.answer(m, task+`"completed","result":`+done+`}`)
			default:
				p.answer(m, "{}")
			}
		})
		asked := 0
		c := connectStream(t, rwc, withTasks(mcp.Roots{List: func(context.Context) ([]mcp.Root, error) {
			asked++
			return nil, nil
		}}))
		h, err := c.StartTool(t.Context(), &mcp.ToolCall{Name: "research"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err = h.Wait(ctx)
		wantError(t, err, context.DeadlineExceeded)
		if res, err := h.Wait(t.Context()); err != nil || res.Text() != "done" || asked != 1 {
			t.Errorf("asked %d times: %+v, %v", asked, res, err)
		}
	})
}
