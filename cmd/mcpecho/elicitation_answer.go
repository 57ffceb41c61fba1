package main

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/form"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// answer returns the values of --answer, or nil. In a shell, each command may have its own.
func (c *invocation) answer() *flags.Answer {
	if c.shell != nil {
		return c.shell.answer.Load()
	}
	return c.flags.Answer
}

// answerForm answers a form with --answer. If the values do not fit the form, the server
// learns that the form was canceled, and the command fails.
func (c *invocation) answerForm(s *conversation, given *flags.Answer, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	fields, err := p.Fields()
	if err != nil {
		return nil, err
	}
	switch given.Action {
	case "decline":
		return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
	case "cancel":
		return &mcp.ElicitResult{Action: mcp.ElicitCancel}, nil
	}
	content, reason := make(map[string]any), ""
	for i := range fields {
		f := &fields[i]
		text, ok := given.Value(f.Name)
		switch {
		case ok:
			v, err := form.AnswerValue(f, text)
			if err != nil && reason == "" {
				reason = wire.Quote(f.Name) + " cannot be " + wire.Quote(terminal.Cut(text, 100)) + ": " + err.Error()
			}
			content[f.Name] = v
		case f.Required && f.Schema.Default == nil && reason == "":
			reason = wire.Quote(f.Name) + " is required"
		}
	}
	if others := otherAnswers(fields, given); len(others) > 0 {
		if reason == "" {
			c.tell(s, "The question has no field "+terminal.EscapeName(others[0].Key)+": "+terminal.FirstLine(p.Message))
		} else {
			reason += ", and there is no field " + wire.Quote(others[0].Key)
		}
	}
	if reason != "" {
		if err := c.wrongAnswer(fields, p.Message, reason); c.hold == nil {
			s.refuse(err)
		} else { // a call that fails later has another reason
			c.tell(s, failure.Text(err))
		}
		return &mcp.ElicitResult{Action: mcp.ElicitCancel}, nil
	}
	c.tell(s, "Answered a question of the server: "+terminal.FirstLine(p.Message))
	return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: content}, nil
}

// answerPage answers the request to open a page. Only the user can open it.
func (c *invocation) answerPage(s *conversation, given *flags.Answer, r *mcp.URLRequest) mcp.ElicitAction {
	switch given.Action {
	case "accept":
		c.tell(s, "The server asks you to open a page: "+r.URL)
		return mcp.ElicitAccept
	case "cancel":
		return mcp.ElicitCancel
	}
	c.tell(s, "Declined to open a page; --answer accept agrees: "+terminal.FirstLine(r.Message))
	return mcp.ElicitDecline
}

// otherAnswers returns the values for which a form has no field. Their names may be
// misspelled, or they may answer another question.
func otherAnswers(fields []mcp.FormField, given *flags.Answer) (others []toolargs.Argument) {
	if given == nil {
		return nil
	}
	for _, v := range given.Values {
		if !slices.ContainsFunc(fields, func(f mcp.FormField) bool { return f.Name == v.Key }) {
			others = append(others, v)
		}
	}
	return others
}

// wrongAnswer returns the failure of values that do not fit a form, with its fields.
func (c *invocation) wrongAnswer(fields []mcp.FormField, message, reason string) error {
	text := "--answer does not fit the question " + wire.Quote(terminal.Cut(terminal.FirstLine(message), 200)) + ": " + reason
	for i := range fields {
		text += "\n\t" + form.Describe(&fields[i])
	}
	f := &failure.Error{Status: failure.Usage, Kind: "usage", Message: text}
	if c.shell == nil { // where it is not known which command asked
		f.Hint = c.answerHint(fields)
	}
	return f
}

// answerHint says how to answer a form in advance.
func (c *invocation) answerHint(fields []mcp.FormField) string {
	where := ""
	if c.hold != nil {
		where = " to the command that holds the session"
	}
	if len(fields) == 0 {
		return "add --answer accept" + where
	}
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = terminal.EscapeName(fields[i].Name)
	}
	return "add --answer FIELD=VALUE for each of " + strings.Join(names, ", ") + where
}

// refuse records the first answer that did not fit. The command fails with it.
func (s *conversation) refuse(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused == nil {
		s.refused = err
	}
}

// takeRefused returns the failure of an answer that did not fit, once.
func (s *conversation) takeRefused() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.refused
	s.refused = nil
	return err
}

// declineForm declines a form without a terminal, and says how to answer it.
func (c *invocation) declineForm(s *conversation, p *mcp.ElicitParams) {
	c.tell(s, "Declined a question of the server, because "+c.noTerminal()+": "+terminal.FirstLine(p.Message))
	line := "With --answer, you can answer it in advance."
	if fields, err := p.Fields(); err == nil && c.shell == nil {
		line = "To answer it in advance, " + c.answerHint(fields) + "."
	}
	c.tell(s, line)
}

func (c *invocation) noTerminal() string {
	switch {
	case c.inBackground():
		return "a process in the background cannot ask"
	case c.hold != nil:
		return "hold has no terminal"
	}
	return "this is not a terminal"
}

// inBackground reports whether a question would stop this process.
func (c *invocation) inBackground() bool {
	f := terminal.File(c.stdin)
	return f != nil && terminal.InBackground(f)
}

// tell is note for what has become of a question of the server. Callers of hold see it, too.
func (c *invocation) tell(s *conversation, line string) {
	c.note(s, line)
	c.hold.Asking(c.hide(line))()
}
