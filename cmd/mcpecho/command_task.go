package main

import (
	"context"
	"errors"
	"slices"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// runTask lists the tasks of a server, or gets or cancels one.
func runTask(ctx context.Context, c *invocation) error {
	action, id := "list", ""
	if len(c.args) > 0 {
		action = c.args[0]
	}
	if len(c.args) > 1 {
		id = c.args[1]
	}
	switch {
	case action != "list" && action != "get" && action != "cancel":
		return c.usage("task: the action must be list, get or cancel, not " + wire.Quote(action))
	case action == "list" && id != "":
		return c.usage("task list needs no ID")
	case action != "list" && id == "":
		return c.usageHint("task "+action+" needs the ID of a task", c.taskList())
	}
	return c.withServer(ctx, func(s *conversation) error {
		switch action {
		case "get":
			sending, kept := sentTo(ctx)
			t, err := s.Task(id).Status(sending)
			if err != nil {
				return c.explainTask(s, err)
			}
			return c.printTask(s, *kept, t)
		case "cancel":
			if err := s.Task(id).Cancel(ctx); err != nil {
				return c.explainTask(s, err)
			}
			c.note(s, "Asked the server to cancel "+terminal.EscapeName(id)+".")
			return nil
		}
		return c.listTasks(ctx, s)
	})
}

// taskList returns the hint with the line that lists the tasks.
func (c *invocation) taskList() string {
	if c.inShell() {
		return c.toType("for a list, ", cmdline.Words("task", "list"))
	}
	line := c.commandFor("task")
	return c.toType("for a list, ", slices.Concat(line[:1], cmdline.Words("list"), line[1:]))
}

// explainTask returns what to do if the ID is unknown or the server has no tasks.
func (c *invocation) explainTask(s *conversation, err error) error {
	f := *failure.Classify(err)
	caps := s.Server().Capabilities
	_, extension := caps.Extensions[mcp.TasksExtension]
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		f.Status, f.Kind, f.Message = failure.Refused, "not_found", "the server does not support this for tasks"
	case f.Code == 0:
	case caps.Tasks != nil && caps.Tasks.List != nil:
		f.Hint = c.taskList()
	case caps.Tasks == nil && !extension:
		f.Hint = "the server does not say that it has tasks"
	default:
		f.Hint = "the server has no list of its tasks; the response to the call has the ID of its task: taskId"
	}
	return &f
}

func (c *invocation) listTasks(ctx context.Context, s *conversation) error {
	if declared := s.Server().Capabilities.Tasks; c.flags.JSON && declared != nil && declared.List != nil {
		raw, err := c.fetch(ctx, s, &list{method: "tasks/list", key: "tasks"})
		if err != nil {
			return err
		}
		return c.printJSON(raw)
	}
	all, err := s.ListTasks(ctx)
	if errors.Is(err, errors.ErrUnsupported) {
		c.note(s, "The server offers no list of tasks.")
		err = nil
	}
	if err != nil {
		return err
	}
	if c.flags.JSON {
		return c.printJSON([]byte(`{"tasks":[]}`))
	}
	rows := make([]terminal.Row, len(all))
	for i, t := range all {
		rows[i] = terminal.Row{Name: t.TaskID, Description: taskState(t), Rest: t.LastUpdatedAt}
	}
	return c.print(c.table(terminal.Row{Name: "ID", Description: "STATUS", Rest: "UPDATED"}, rows))
}

func taskState(t *mcp.Task) string {
	if t.StatusMessage == "" {
		return string(t.Status)
	}
	return string(t.Status) + ": " + t.StatusMessage
}

func (c *invocation) printTask(s *conversation, kept mcp.RawMessage, t *mcp.Task) error {
	if c.flags.JSON {
		return c.printSent(s, kept, t)
	}
	text := terminal.EscapeName(t.TaskID) + "\t" + terminal.EscapeLine(taskState(t)) + "\n"
	if t.Error != nil {
		text += terminal.EscapeLine(t.Error.Error()) + "\n"
	}
	if t.Payload != nil {
		text += terminal.Indent(t.Payload) + "\n"
	}
	return c.print(c.shown(text))
}
