package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/system"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// print writes a result to standard output or the file of -o. Text for a terminal
// must have been escaped.
func (c *invocation) print(text string) error {
	if c.output != nil {
		return failure.Local(c.output.replace([]byte(text)))
	}
	return c.write(text)
}

// write writes to standard output.
func (c *invocation) write(text string) error {
	if _, err := io.WriteString(c.stdout, text); err != nil {
		err = &outputError{err}
		return &failure.Error{Status: failure.Usage, Kind: "file", Message: err.Error(), Err: err}
	}
	return nil
}

// toTerminal reports whether the result goes to a terminal.
func (c *invocation) toTerminal() bool { return c.flags.Output == "" && c.isTerminal(c.stdout) }

// printJSON writes a result object: on one line, or indented on a terminal.
func (c *invocation) printJSON(raw mcp.RawMessage) error {
	if c.toTerminal() {
		return c.print(terminal.ColorJSON(terminal.Escape(terminal.Indent(raw)), c.styler(c.stdout)) + "\n")
	}
	return c.print(c.shown(string(wire.AppendLine(nil, raw))) + "\n")
}

// printResult is printJSON for a decoded result.
func (c *invocation) printResult(res interface{ MarshalJSON() ([]byte, error) }) error {
	raw, err := res.MarshalJSON()
	if err != nil {
		return err
	}
	return c.printJSON(raw)
}

// shown returns text of a server, escaped if it goes to a terminal.
func (c *invocation) shown(text string) string {
	if c.toTerminal() {
		return terminal.Escape(text)
	}
	return text
}

// messagesOut returns standard output for messages of servers to a client, which are escaped
// if it is a terminal.
func (c *invocation) messagesOut() io.Writer {
	if c.isTerminal(c.stdout) {
		return terminal.Escaped{Writer: c.stdout}
	}
	return c.stdout
}

// note prints a line that is not part of the result.
func (c *invocation) note(s *conversation, line string) {
	if !c.flags.Quiet {
		s.console.Line(c.folded(failure.Indent(c.hide(line))))
	}
}

// noteHidden says that values which the user gave for arguments with the names of secrets
// are masked.
func (c *invocation) noteHidden(s *conversation, hidden bool) {
	if hidden {
		c.note(s, "The value of an argument that may be a secret is shown as "+diag.Mask+`; the command "raw" hides nothing.`)
	}
}

// A part is a piece of a result: text, or bytes with a MIME type.
type part struct {
	text   string
	data   []byte
	binary bool
	mime   string
	odd    string // why a content block is printed as JSON; empty if it is not
}

// contentPart returns a content block for printing. A block of an unknown type stays JSON.
func contentPart(t *mcp.Content) part {
	odd := "its members are not those of its type"
	switch {
	case t.Raw != nil && string(t.Type) == "":
		odd = "it has no type"
	case t.Raw != nil && t.Type != mcp.ContentResource:
		odd = "its type " + wire.Quote(string(t.Type)) + " is unknown"
	case t.Raw != nil:
	case t.Type == mcp.ContentText:
		return part{text: t.Text}
	case t.Type == mcp.ContentImage, t.Type == mcp.ContentAudio:
		if data, err := t.Bytes(); err == nil {
			return part{data: data, binary: true, mime: t.MIMEType}
		}
		odd = errNotBase64.Error()
	case t.Type == mcp.ContentResource:
		if p, ok := resourcePart(t.Resource); ok {
			return p
		}
		odd = errNotBase64.Error()
	case t.Type == mcp.ContentResourceLink:
		return part{text: t.URI}
	default: // such as a call of a tool, which only a model makes
		odd = "its type " + wire.Quote(string(t.Type)) + " does not belong here"
	}
	raw, err := t.MarshalJSON()
	if err != nil {
		return part{text: err.Error()}
	}
	return part{text: string(raw), odd: odd}
}

// warnContent warns about a content block that clients may not understand. place names
// the block.
func (c *invocation) warnContent(place string, t *mcp.Content, p part) {
	if p.odd != "" {
		c.warn(place + " is shown as JSON: " + p.odd)
	}
	if t.Annotations != nil {
		for _, role := range t.Annotations.Audience {
			c.warnRole(place+": annotations.audience", role)
		}
	}
}

// warnRole warns about a role that the specification does not know.
func (c *invocation) warnRole(place string, role mcp.Role) {
	if role != mcp.RoleUser && role != mcp.RoleAssistant {
		c.warn(place + ": the role " + wire.Quote(string(role)) + ` is unknown; the specification has "user" and "assistant"`)
	}
}

// resourcePart returns the contents of a resource, or false if a blob is not
// valid base64.
func resourcePart(t *mcp.ResourceContents) (p part, ok bool) {
	data, err := t.Bytes()
	if err != nil {
		return part{}, false
	}
	if t.IsBlob {
		return part{data: data, binary: true, mime: t.MIMEType}, true
	}
	return part{text: t.Text}, true
}

// printParts writes the parts of a result. It joins texts with line breaks, and
// adds a final one unless exact is set and the output is not a terminal. Without exact, it
// masks secret arguments.
func (c *invocation) printParts(s *conversation, parts []part, exact bool) error {
	var texts []string
	var binaries []part
	for _, p := range parts {
		if p.binary {
			binaries = append(binaries, p)
		} else {
			texts = append(texts, p.text)
		}
	}
	text := joinLines(texts)
	if !exact {
		hidden := c.sent.Redact(text)
		c.noteHidden(s, hidden != text)
		text = hidden
	}
	if text != "" && !strings.HasSuffix(text, "\n") && (!exact || c.toTerminal()) {
		text += "\n"
	}
	switch {
	case len(binaries) == 0:
		return c.print(c.shown(text))
	case c.flags.Output != "":
		return c.saveParts(s, text, binaries)
	case text == "" && len(binaries) == 1 && !c.isTerminal(c.stdout):
		return c.print(string(binaries[0].data))
	}
	if text == "" {
		return &failure.Error{Status: failure.Usage, Kind: "usage", Message: "the result is binary: " + describe(binaries),
			Hint: "use -o FILE to save it"}
	}
	c.note(s, "Not shown: "+describe(binaries)+". Use -o FILE to save it.")
	return c.print(c.shown(text))
}

// saveParts writes binaries to files and text to standard output. All but the first file are
// new ones, because the user has not named them.
func (c *invocation) saveParts(s *conversation, text string, binaries []part) (failed error) {
	for i, p := range binaries {
		name, write := c.flags.Output, c.output.replace
		if i > 0 && c.output.isFile() {
			ext := filepath.Ext(name)
			name = strings.TrimSuffix(name, ext) + "-" + strconv.Itoa(i+1) + ext
			write = func(data []byte) error { return writeNew(name, data) }
		}
		if err := write(p.data); err != nil {
			failed = cmp.Or(failed, failure.Local(err))
			continue // the server may not return the others again
		}
		c.note(s, "Wrote "+name+": "+describe([]part{p})+".")
	}
	if c.isTerminal(c.stdout) {
		text = terminal.Escape(text)
	}
	return cmp.Or(c.write(text), failed)
}

// describe returns types and sizes: image/png, 70 bytes.
func describe(binaries []part) string {
	var each []string
	for _, p := range binaries {
		mime := terminal.EscapeLine(p.mime)
		if mime == "" {
			mime = "unknown type"
		}
		each = append(each, mime+", "+strconv.Itoa(len(p.data))+" bytes")
	}
	return strings.Join(each, "; ")
}

// joinLines joins texts with line breaks where they do not end with one.
func joinLines(texts []string) string {
	var b bytes.Buffer
	for i, t := range texts {
		b.WriteString(t)
		if i < len(texts)-1 && t != "" && !strings.HasSuffix(t, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// printLong is print for lists and descriptions: it uses $PAGER if the text is
// longer than the screen.
func (c *invocation) printLong(ctx context.Context, text string) error {
	out := terminal.File(c.stdout)
	pager := c.getenv("PAGER")
	if out == nil || pager == "" || pager == "cat" || !c.toTerminal() || !c.isTerminal(c.stdin) || runtime.GOOS == "windows" {
		return c.print(text)
	}
	_, height, _ := terminal.WindowSize(out)
	if height <= 0 || terminal.ScreenLines(text, c.terminalWidth(out)) < height {
		return c.print(text)
	}
	cmd := system.Shell(ctx, pager)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), out, os.Stderr
	cmd.Env = append(os.Environ(), "LESS="+c.getenv("LESS"))
	if c.getenv("LESS") == "" {
		cmd.Env[len(cmd.Env)-1] = "LESS=FRX" // as git: quit if it fits, show colors, keep the screen
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		_, _ = io.WriteString(c.stderr, "mcpecho: $PAGER: "+terminal.EscapeLine(err.Error())+"\n")
		return c.print(text)
	}
	return nil
}

// newProgress starts to show the progress of what, until end is called.
func (c *invocation) newProgress(con *terminal.Console, what string) *terminal.Progress {
	return terminal.StartProgress(con, what, nil, c.progressWidth())
}

// newWaiting starts to show which of so many servers are still starting.
func (c *invocation) newWaiting(con *terminal.Console, servers int, waits func() []string) *terminal.Progress {
	return terminal.StartProgress(con, terminal.Count(servers, "server"), waits, c.progressWidth())
}

// progressWidth returns the width of a progress, 0 to show none, or -1 for lines.
func (c *invocation) progressWidth() int {
	switch {
	case c.flags.Quiet:
		return 0
	case c.supportsStyles(c.stderr):
		return c.terminalWidth(c.stderr)
	case c.flags.Verbose:
		return -1
	}
	return 0
}

// table returns rows as columns for a terminal, or as lines for a program.
func (c *invocation) table(header terminal.Row, rows []terminal.Row) string {
	escaped := make([]terminal.Row, len(rows))
	for i, r := range rows {
		escaped[i] = terminal.Row{Name: terminal.EscapeName(r.Name), Arguments: r.Arguments, Description: terminal.EscapeLine(r.Description), Rest: terminal.EscapeName(r.Rest)}
	}
	switch {
	case !c.toTerminal():
		return terminal.Lines(escaped)
	case len(rows) == 0:
		return ""
	}
	return terminal.Columns(header, escaped, c.terminalWidth(c.stdout), c.flags.Wide, c.styler(c.stdout))
}

// terminalWidth returns the number of columns of out, or 0 if it is not a
// terminal.
func (e *environment) terminalWidth(out any) int {
	f := terminal.File(out)
	if f == nil {
		return 0
	}
	if width, _, _ := terminal.WindowSize(f); width > 0 {
		return width
	}
	if width, err := strconv.Atoi(e.getenv("COLUMNS")); err == nil && width > 0 {
		return width
	}
	return 80
}

func (e *environment) isTerminal(out any) bool { return e.terminalWidth(out) > 0 }

// supportsStyles reports whether out is a terminal with control sequences.
func (e *environment) supportsStyles(out io.Writer) bool {
	return e.isTerminal(out) && e.getenv("TERM") != "dumb" && (runtime.GOOS != "windows" || e.getenv("WT_SESSION") != "")
}

// hasStyles reports whether text on out may have styles.
func (c *invocation) hasStyles(out io.Writer) bool {
	return !c.flags.NoColor && c.getenv("NO_COLOR") == "" && c.supportsStyles(out)
}

// styler returns a function that applies a style to escaped text, if out supports
// styles.
func (c *invocation) styler(out io.Writer) func(terminal.Style, string) string {
	if !c.hasStyles(out) {
		return func(_ terminal.Style, s string) string { return s }
	}
	return func(st terminal.Style, s string) string {
		if st == terminal.Plain || s == "" {
			return s
		}
		return string(st) + s + "\x1b[0m"
	}
}
