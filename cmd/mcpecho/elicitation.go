package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/form"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/hold"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/lineedit"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// elicitation returns the handler of the server's elicitation requests. It takes
// the answers of --answer, or asks the user on a terminal, and otherwise declines.
func (c *invocation) elicitation(s *conversation) mcp.Elicitation {
	var a *asker // nil without a terminal
	if c.isTerminal(c.stdin) && c.isTerminal(c.stderr) {
		a = &asker{c: c, s: s, turn: make(chan struct{}, 1), in: c.reader()}
	}
	return mcp.Elicitation{
		Form: func(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			switch given := c.answer(); {
			case given != nil:
				return c.answerForm(s, given, p)
			case a != nil && !c.inBackground():
				return a.form(ctx, p)
			}
			c.declineForm(s, p)
			return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
		},
		OpenURL: func(ctx context.Context, r *mcp.URLRequest) (mcp.ElicitAction, error) {
			switch given := c.answer(); {
			case given != nil:
				return c.answerPage(s, given, r), nil
			case a != nil && !c.inBackground():
				return a.page(ctx, r)
			}
			c.tell(s, "Declined to open a page, because "+c.noTerminal()+": "+terminal.FirstLine(r.Message))
			c.tell(s, "To agree in advance, "+c.answerHint(nil)+".")
			return mcp.ElicitDecline, nil
		},
	}
}

// An asker asks the user a server's questions, one at a time. The console holds
// other output back meanwhile.
type asker struct {
	c    *invocation
	s    *conversation
	turn chan struct{} // full during a question; guards what follows
	in   *bufio.Reader
	next chan inputLine // the result of a pending read; nil if there is none
}

// An inputLine is a line of the user, or the end of the input.
type inputLine struct {
	line string
	err  error
}

// begin waits for its turn and prints the question.
func (a *asker) begin(ctx context.Context, message string) (end func(), err error) {
	answered := a.c.hold.Asking(hold.OnTerminal + a.c.hide(terminal.FirstLine(message)))
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		answered()
		return nil, context.Cause(ctx)
	}
	a.s.console.Pause()
	select {
	case <-a.next: // was typed for an earlier question
		a.next = nil
	default:
	}
	a.discard()
	st := a.c.styler(a.c.stderr)
	a.print("\n" + st(terminal.Bold, "Question from "+terminal.EscapeName(a.c.targetName())) + "\n" + indented(message) + "\n")
	return func() {
		a.print("\n")
		if ctx.Err() != nil {
			a.print("The question is withdrawn.\n")
		}
		a.s.console.Resume()
		<-a.turn
		answered()
	}, nil
}

// discard discards what the user typed before a question, which cannot be an answer to it.
func (a *asker) discard() {
	if f := terminal.File(a.c.stdin); f != nil {
		terminal.DiscardTyped(f)
	}
	if a.in != nil {
		_, _ = a.in.Discard(a.in.Buffered())
	}
	if e := a.c.lineEditor(); e != nil {
		e.DiscardTyped()
	}
}

// indented returns text of a server so that it cannot pass for text of mcpecho.
func indented(text string) string {
	return "  " + strings.ReplaceAll(terminal.Escape(strings.TrimSpace(text)), "\n", "\n  ") + "\n"
}

// print prints text that has been escaped.
func (a *asker) print(text string) { _, _ = io.WriteString(a.c.stderr, a.folded(text)) }

// folded returns text with lines that fit on the terminal, if there is one.
func (a *asker) folded(text string) string {
	if width := a.c.terminalWidth(a.c.stderr); width > 0 {
		return terminal.Wrap(text, width-2) // a space may follow
	}
	return text
}

// askLine prints a prompt and returns the line that the user enters, with an editor if the
// terminal can show one. The error is io.EOF at the end of the input.
func (a *asker) askLine(ctx context.Context, l *lineedit.Line) (string, error) {
	l.Prompt = a.folded(strings.TrimSuffix(l.Prompt, " ")) + " "
	if e := a.c.lineEditor(); e != nil {
		return a.edit(ctx, e, l)
	}
	a.print(l.Prompt)
	if a.next == nil {
		next := make(chan inputLine, 1)
		go func() { // ends with the line, or the program
			line, err := a.in.ReadString('\n')
			next <- inputLine{line, err}
		}()
		a.next = next
	}
	select {
	case t := <-a.next:
		a.next = nil
		if t.err != nil {
			return "", t.err // text before Ctrl-D was not entered
		}
		return strings.TrimSpace(t.line), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// edit asks with an editor. Ctrl-C cancels the question, and the command that led
// to it.
func (a *asker) edit(ctx context.Context, e *lineedit.Editor, l *lineedit.Line) (string, error) {
	if i := strings.LastIndexByte(l.Prompt, '\n'); i >= 0 {
		a.print(l.Prompt[:i+1])
		l.Prompt = l.Prompt[i+1:]
	}
	line, err := e.ReadLine(ctx, l)
	if !errors.Is(err, lineedit.ErrInterrupted) {
		return strings.TrimSpace(line), err
	}
	if sh := a.c.shell; sh != nil && e == sh.editor {
		if sh.interrupt() {
			return "", context.Canceled
		}
		return "", io.EOF
	}
	a.c.interrupts.raise()
	<-ctx.Done()
	return "", context.Cause(ctx)
}

// confirm asks a yes/no question. An empty line means no.
func (a *asker) confirm(ctx context.Context, prompt string) (bool, error) {
	for {
		line, err := a.askLine(ctx, &lineedit.Line{Prompt: prompt + " [y/N] "})
		if err != nil || line == "" {
			return false, err
		}
		if yes, ok := form.YesOrNo(line); ok {
			return yes, nil
		}
	}
}

// ticketTime is how long a browser may take to ask for a page.
const ticketTime = 10 * time.Second

// page asks whether to open a page in the browser.
func (a *asker) page(ctx context.Context, r *mcp.URLRequest) (mcp.ElicitAction, error) {
	end, err := a.begin(ctx, r.Message)
	if err != nil {
		return "", err
	}
	defer end()
	st := a.c.styler(a.c.stderr)
	text := "The server asks you to open a page of " + st(terminal.Bold, r.Host) + ":\n  " + r.URL + "\n"
	if r.Punycode {
		text += "Careful: the host name contains characters that can look like others.\n"
	}
	a.print(text)
	yes, err := a.confirm(ctx, "Open it in your browser?")
	switch {
	case errors.Is(err, io.EOF):
		return mcp.ElicitCancel, nil
	case err != nil:
		return "", err
	case !yes:
		return mcp.ElicitDecline, nil
	}
	serve, cancel := context.WithTimeout(context.WithoutCancel(ctx), ticketTime)
	defer cancel()
	opened, err := a.c.browseOnce(serve, r.URL, nil)
	if err == nil {
		select {
		case <-opened.Used:
		case <-serve.Done():
			err = errors.New("it has not asked for the page")
		}
	}
	if err != nil {
		a.print("Cannot start a browser (" + terminal.EscapeLine(err.Error()) + "); please open the page yourself.\n")
	}
	return mcp.ElicitAccept, nil
}

// form has the user fill in a form and confirm it.
func (a *asker) form(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	fields, err := p.Fields()
	if err != nil {
		return nil, err
	}
	end, err := a.begin(ctx, p.Message)
	if err != nil {
		return nil, err
	}
	defer end()
	if len(fields) > 0 {
		a.print("Press Enter for the value in brackets or to omit an optional field, Ctrl-D to cancel.\n")
	}
	content, err := a.fill(ctx, fields)
	yes := false
	if err == nil {
		yes, err = a.confirm(ctx, "Send this answer?")
	}
	switch {
	case errors.Is(err, io.EOF):
		return &mcp.ElicitResult{Action: mcp.ElicitCancel}, nil
	case err != nil:
		return nil, err
	case !yes:
		return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
	}
	return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: content}, nil
}

// fill asks for each field until its value is valid.
func (a *asker) fill(ctx context.Context, fields []mcp.FormField) (map[string]any, error) {
	content := make(map[string]any)
	for i := range fields {
		f := &fields[i]
		for {
			line, err := a.askLine(ctx, form.FieldLine(f))
			if err != nil {
				return nil, err
			}
			if line == "" && (f.Schema.Default != nil || !f.Required) {
				break // package mcp fills in the default
			}
			v, err := form.FieldValue(f, line)
			if err == nil {
				content[f.Name] = v
				break
			}
			a.print("    " + terminal.EscapeLine(err.Error()) + "\n")
		}
	}
	return content, nil
}

// askMissing asks on a terminal for the required arguments that the user did not
// give, in the form that servers' questions have. It changes nothing if there is
// no terminal, or with --no-input. If the user cancels, by the end of the input,
// the arguments stay incomplete, which is then an error.
func (c *invocation) askMissing(ctx context.Context, s *conversation, tool *mcp.Tool, input *toolargs.Schema, given *toolargs.Given) (canceled bool, err error) {
	missing := given.Absent(input.Required)
	if len(missing) == 0 || given.Unknown(input) != "" || c.flags.NoInput || !c.onTerminal() {
		return false, nil
	}
	a := &asker{c: c, s: s, in: c.reader()}
	s.console.Pause()
	defer s.console.Resume()
	filled := given.Absent(input.Filled)
	keys := "Press Ctrl-D to cancel.\n"
	if len(filled) > 0 {
		keys = "Press Enter for the value in brackets, Ctrl-D to cancel.\n"
	}
	a.print(c.styler(c.stderr)(terminal.Bold, terminal.EscapeName(tool.Name)+" needs "+terminal.EscapeName(strings.Join(missing, ", "))) + "\n" + keys)
	var added []toolargs.Argument
	for _, name := range append(missing, filled...) {
		p := input.Property(name)
		if p == nil {
			p = new(toolargs.Schema)
		}
		value, err := a.argument(ctx, tool.Name, name, p, wire.Lookup(tool.InputSchema, "properties", name))
		switch {
		case errors.Is(err, io.EOF):
			a.print("\n")
			return true, nil
		case err != nil:
			return false, err
		}
		added = append(added, toolargs.Argument{Key: name, Value: string(value), Json: true})
	}
	given.Each = append(given.Each, added...)
	return false, nil
}

// argument asks for an argument until it is valid, and returns it as JSON.
func (a *asker) argument(ctx context.Context, tool, name string, s *toolargs.Schema, raw []byte) (mcp.RawMessage, error) {
	field, simple := form.SimpleField(name, raw)
	entered := a.c.enteredFor(tool, name)
	for {
		l := form.FieldLine(field)
		if !simple {
			l = &lineedit.Line{Prompt: "  " + terminal.EscapeName(name) + ": " + terminal.EscapeLine(s.Kind()) + s.InJSON() + form.DescribedBy(s) + ": ", More: form.IsOpenJSON}
		}
		if l.History == nil {
			l.History = entered
		}
		line, err := a.askLine(ctx, l)
		if err != nil {
			return nil, err
		}
		value, err := form.ArgumentValue(field, simple, s, line)
		if err == nil {
			if line != "" {
				entered.Add(line)
			}
			return value, nil
		}
		a.print("    " + terminal.EscapeLine(err.Error()) + "\n")
	}
}

// enteredFor returns what the user has entered for an argument in this shell.
func (c *invocation) enteredFor(tool, argument string) *lineedit.History {
	if c.shell == nil {
		return new(lineedit.History)
	}
	c.shell.mu.Lock()
	defer c.shell.mu.Unlock()
	key := tool + "\x00" + argument
	if c.shell.entered[key] == nil {
		c.shell.entered[key] = new(lineedit.History)
	}
	return c.shell.entered[key]
}
