package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// print writes a result to standard output or the file of -o. Text for a terminal
// must have been escaped.
func (c *invocation) print(text string) error {
	if c.flags.output != "" {
		return c.writeFile(c.flags.output, []byte(text))
	}
	return c.write(text)
}

// write writes to standard output.
func (c *invocation) write(text string) error {
	if _, err := io.WriteString(c.stdout, text); err != nil {
		err = &outputError{err}
		return &failure{status: statusUsage, kind: "file", message: err.Error(), err: err}
	}
	return nil
}

// An outputError is an error of writing to standard output.
type outputError struct{ err error }

func (e *outputError) Error() string { return e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// toTerminal reports whether the result goes to a terminal.
func (c *invocation) toTerminal() bool { return c.flags.output == "" && c.isTerminal(c.stdout) }

// printJSON writes a result object: on one line, or indented on a terminal.
func (c *invocation) printJSON(raw json.RawMessage) error {
	if c.toTerminal() {
		return c.print(c.prettyJSON(raw) + "\n")
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

// prettyJSON returns JSON for a terminal.
func (c *invocation) prettyJSON(raw json.RawMessage) string {
	return colorJSON(escape(indent(raw)), c.styler(c.stdout))
}

// shown returns text of a server, escaped if it goes to a terminal.
func (c *invocation) shown(text string) string {
	if c.toTerminal() {
		return escape(text)
	}
	return text
}

func (c *invocation) writeFile(name string, data []byte) error {
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return localFailure(err)
	}
	return nil
}

// note prints a line that is not part of the result.
func (c *invocation) note(s *conversation, line string) {
	if !c.flags.quiet {
		s.console.line(c.folded(line))
	}
}

// A part is a piece of a result: text, or bytes with a MIME type.
type part struct {
	text   string
	data   []byte
	binary bool
	mime   string
}

// contentPart returns a content block for printing. An unknown type stays JSON.
func contentPart(t *mcp.Content) part {
	switch {
	case t.Raw != nil:
	case t.Type == mcp.ContentText:
		return part{text: t.Text}
	case t.Type == mcp.ContentImage, t.Type == mcp.ContentAudio:
		if data, err := t.Bytes(); err == nil {
			return part{data: data, binary: true, mime: t.MIMEType}
		}
	case t.Type == mcp.ContentResource:
		if p, ok := resourcePart(t.Resource); ok {
			return p
		}
	case t.Type == mcp.ContentResourceLink:
		return part{text: t.URI}
	}
	raw, err := t.MarshalJSON()
	if err != nil {
		return part{text: err.Error()}
	}
	return part{text: string(raw)}
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
// adds a final one unless exact is set and the output is not a terminal.
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
	if text != "" && !strings.HasSuffix(text, "\n") && (!exact || c.toTerminal()) {
		text += "\n"
	}
	switch {
	case len(binaries) == 0:
		return c.print(c.shown(text))
	case c.flags.output != "":
		return c.saveParts(s, text, binaries)
	case text == "" && len(binaries) == 1 && !c.isTerminal(c.stdout):
		return c.print(string(binaries[0].data))
	}
	if text == "" {
		return &failure{status: statusUsage, kind: "usage", message: "the result is binary: " + describe(binaries),
			hint: "use -o FILE to save it"}
	}
	c.note(s, "Not shown: "+describe(binaries)+". Use -o FILE to save it.")
	return c.print(c.shown(text))
}

// saveParts writes binaries to files and text to standard output.
func (c *invocation) saveParts(s *conversation, text string, binaries []part) error {
	name := c.flags.output
	for i, p := range binaries {
		if i > 0 {
			ext := filepath.Ext(name)
			name = strings.TrimSuffix(c.flags.output, ext) + "-" + strconv.Itoa(i+1) + ext
		}
		if err := c.writeFile(name, p.data); err != nil {
			return err
		}
		c.note(s, "Wrote "+name+": "+describe([]part{p})+".")
	}
	if c.isTerminal(c.stdout) {
		text = escape(text)
	}
	return c.write(text)
}

// describe returns types and sizes: image/png, 70 bytes.
func describe(binaries []part) string {
	var each []string
	for _, p := range binaries {
		mime := escapeLine(p.mime)
		if mime == "" {
			mime = "unknown type"
		}
		each = append(each, mime+", "+strconv.Itoa(len(p.data))+" bytes")
	}
	return strings.Join(each, "; ")
}

// joinLines joins texts with line breaks where they do not end with one.
func joinLines(texts []string) string {
	var b strings.Builder
	for i, t := range texts {
		b.WriteString(t)
		if i < len(texts)-1 && t != "" && !strings.HasSuffix(t, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
