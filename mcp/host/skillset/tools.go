package skillset

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

// maxDescription limits the description of a skill in texts for models, in bytes.
const maxDescription = 500

// Prompt returns the names and descriptions of the skills as text for a model's
// prompt, a line each, up to Options.MaxPrompt bytes. It is empty if there are no
// skills. Servers that fail are left out.
func (s *Set) Prompt(ctx context.Context) string {
	list, _ := s.List(ctx)
	const intro = "Skills, which the tool read_skill reads. Read the one that fits a task before you begin it.\n"
	var lines []line
	for _, k := range list {
		if k.Err == nil {
			lines = append(lines, line{k.Server, "- " + k.ID + ": " + diag.Printable(k.Description, maxDescription) + "\n"})
		}
	}
	if len(lines) == 0 {
		return ""
	}
	shown := share(lines, s.opts.MaxPrompt-len(intro)-50)
	if left := len(lines) - len(shown); left > 0 {
		shown = append(shown, strconv.Itoa(left)+" more: the tool list_skills has them\n")
	}
	return intro + strings.Join(shown, "")
}

// A line describes a skill of a server.
type line struct{ server, text string }

// share returns the texts that fit into a number of bytes. It takes one from each server
// in turn, until the next one of the server does not fit: otherwise, a server with many
// skills would hide those of others. The lines of a server follow each other.
func share(lines []line, room int) []string {
	type turn struct{ next, end int }
	var turns []turn
	for i, l := range lines {
		if i == 0 || l.server != lines[i-1].server {
			turns = append(turns, turn{i, i})
		}
		turns[len(turns)-1].end++
	}
	has := make([]bool, len(lines))
	for len(turns) > 0 {
		left := turns[:0]
		for _, t := range turns {
			if size := len(lines[t.next].text); size <= room {
				room -= size
				has[t.next] = true
				if t.next++; t.next < t.end {
					left = append(left, t)
				}
			}
		}
		turns = left
	}
	var texts []string
	for i, l := range lines {
		if has[i] {
			texts = append(texts, l.text)
		}
	}
	return texts
}

// Tools returns the tools list_skills, read_skill and read_skill_file for a model.
// Each text that they return begins with the name of the server that it comes
// from. Their errors tell a model what to change. The Approve option of the Set
// decides about their calls; the host's does not.
func (s *Set) Tools() []*host.Tool {
	tool := func(name, description, properties, required string, run func(context.Context, mcp.RawMessage) (string, error)) *host.Tool {
		schema := `{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`
		return s.h.NewTool(&mcp.Tool{Name: name, Description: description, InputSchema: mcp.RawMessage(schema)}, run)
	}
	const skill = `"skill":{"type":"string","description":"The name from list_skills, or with server the URI of a SKILL.md"},` +
		`"server":{"type":"string","description":"Only with a URI: the server that has the skill"}`
	return []*host.Tool{
		tool("list_skills", "Lists the skills: instructions for kinds of tasks.", "", "", s.listTool),
		tool("read_skill", "Reads the instructions of a skill and the list of its files.", skill, `"skill"`, s.readTool),
		tool("read_skill_file", "Reads a file of a skill.",
			skill+`,"file":{"type":"string","description":"The path in the skill"}`, `"skill","file"`, s.fileTool),
	}
}

func (s *Set) listTool(ctx context.Context, _ mcp.RawMessage) (string, error) {
	list, err := s.List(ctx)
	if len(list) == 0 && err != nil {
		return "", err
	}
	lines := make([]line, len(list))
	for i, k := range list {
		b := wire.AppendString(wire.AppendKey([]byte{'{'}, "skill"), k.ID)
		b = wire.AppendString(wire.AppendKey(b, "server"), k.Server)
		key, text := "description", k.Description
		if k.Err != nil { // no model can read the skill, or have it described
			key, text = "error", k.Err.Error()
		}
		b = wire.AppendString(wire.AppendKey(b, key), diag.Printable(text, maxDescription))
		lines[i] = line{k.Server, string(append(b, '}'))}
	}
	shown := share(lines, s.opts.MaxText)
	if left := len(list) - len(shown); left > 0 {
		shown = append(shown, `{"more":`+strconv.Itoa(left)+`}`)
	}
	return "[" + strings.Join(shown, ",") + "]", nil
}

func (s *Set) readTool(ctx context.Context, input mcp.RawMessage) (string, error) {
	id, _, k, err := s.arguments(ctx, input)
	if err != nil {
		return "", err
	}
	k, text, err := s.load(ctx, id, "", k)
	if err != nil {
		return "", err
	}
	b := []byte(text)
	for i, f := range k.Files {
		if i == 0 {
			b = append(b, "\n\nFiles, which read_skill_file reads, of the skill "+id+":\n"...)
		}
		if len(b) > 2*s.opts.MaxText {
			break
		}
		b = append(b, display.EscapeName(f.Name)+" ("+strconv.FormatInt(f.Size, 10)+" bytes)\n"...)
	}
	return string(b), nil
}

func (s *Set) fileTool(ctx context.Context, input mcp.RawMessage) (string, error) {
	id, file, k, err := s.arguments(ctx, input)
	if err != nil {
		return "", err
	}
	if file == "" {
		return "", errors.New(`"file" is missing`)
	}
	_, text, err := s.load(ctx, id, file, k)
	return text, err
}

// text returns the content of a file for a model.
func (s *Set) text(data []byte) (string, error) {
	if !utf8.Valid(data) {
		return "", errors.New("the file is not text: it has " + strconv.Itoa(len(data)) + " bytes")
	}
	if len(data) <= s.opts.MaxText {
		return string(data), nil
	}
	end := s.opts.MaxText
	for !utf8.RuneStart(data[end]) {
		end--
	}
	return string(data[:end]) + "\n[" + strconv.Itoa(len(data)-end) + " more bytes]", nil
}

// arguments reads the arguments of a tool. A URI becomes the name of the skill, whose
// entry the server is asked for then.
func (s *Set) arguments(ctx context.Context, input mcp.RawMessage) (id, file string, k *skills.Skill, err error) {
	if input == nil {
		input = mcp.RawMessage("{}")
	}
	server := ""
	r := wire.NewReader(input)
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "skill":
			id = r.String()
		case "server":
			server = r.String()
		case "file":
			file = r.String()
		default:
			r.Skip()
		}
	}
	if err = r.End(); err != nil || !strings.Contains(id, "://") {
		if err == nil && id == "" {
			err = errors.New(`"skill" is missing`)
		}
		return id, file, nil, err
	}
	if server == "" {
		return "", "", nil, errors.New(`"server" is missing: a URI is that of a skill of one server`)
	}
	id, k, err = s.findEntry(ctx, server, id)
	return id, file, k, err
}
