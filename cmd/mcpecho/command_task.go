package main

import (
	"context"
	"errors"

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
	if same := c.command.synonyms[action]; same != "" {
		return c.usageHint("task: the action must be list, get or cancel, not "+wire.Quote(action), "type: "+c.taskLine(same, c.args[1:]...))
	}
	switch {
	case action != "list" && action != "get" && action != "cancel":
		return c.usageHint("task: the action must be list, get or cancel, not "+wire.Quote(action), "type: "+c.taskLine("get", action))
	case action == "list" && id != "":
		return c.usageHint("task list needs no ID", "type: "+c.taskLine("get", id))
	case action != "list" && id == "":
		return c.usageHint("task "+action+" needs the ID of a task", "for a list, type: "+c.taskLine("list"))
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

// taskLine returns a command line of task: its action comes before the target.
func (c *invocation) taskLine(action string, id ...string) string {
	d := *c
	d.typed = nil
	if c.inShell() {
		return c.paste(append([]string{"task", action}, id...))
	}
	if c.server == nil && c.target != "" {
		id = append([]string{c.pasteTarget()}, id...)
	}
	d.target, d.entry = "", nil
	return d.commandFor("task", append([]string{action}, id...)...)
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
		f.Hint = "for a list, type: " + c.taskLine("list")
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
