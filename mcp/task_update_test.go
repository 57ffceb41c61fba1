package mcp

import (
	"strings"
	"testing"
)

// TestLongStatesOfTasks: each task keeps the latest state from a notification while the user
// answers for it, beside the limits of other notifications.
func TestLongStatesOfTasks(t *testing.T) {
	for text, want := range map[string]int{"": 1, strings.Repeat("x", maxUpdate): 0} {
		table := &taskTable{runs: make(map[*taskRun]bool)}
		r := &taskRun{id: "1", updates: make(chan *Task, 1)}
		table.add(r)
		err := table.observe("notifications/tasks", RawMessage(`{"taskId":"1","status":"working","statusMessage":"`+text+`"}`))
		if err != nil || len(r.updates) != want {
			t.Errorf("%d bytes: %d states, %v", len(text), len(r.updates), err)
		}
	}
}
