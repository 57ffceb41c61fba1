package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"mime"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

// skillsList describes the list of skills, which --json prints as the server sent it.
var skillsList = &list{name: "skills", method: "skills/list", key: "skills", id: "uri"}

// runSkills lists the skills of a server, reads a file of one, or checks all.
func runSkills(ctx context.Context, c *invocation) error {
	action, args := "", c.args
	if len(args) > 0 {
		action, args = args[0], args[1:]
	}
	var run func(context.Context, *conversation, *skills.Reader) error
	switch {
	case action == "":
		run = c.listSkills
	case !hasWord(c.command.actions, action):
		return c.usage("skills: the action must be read or check, not " + wire.Quote(action))
	case action == "read" && len(args) == 0:
		return c.usage("skills read needs the NAME or the URI of a skill")
	case action == "read":
		run = func(ctx context.Context, s *conversation, r *skills.Reader) error {
			return c.readSkill(ctx, s, r, args[0], append(args, "SKILL.md")[1])
		}
	case len(args) > 0:
		return c.usage("too many arguments: skills check does not accept " + wire.Quote(args[0]))
	default:
		run = c.checkSkills
	}
	return c.withServer(ctx, func(s *conversation) error {
		r := skills.NewReader(s.Client, nil)
		switch {
		case r.Supported():
			return run(ctx, s, r)
		case action == "read":
			return failure.NotFound("the server offers no skills", skills.ErrUnsupported)
		}
		c.note(s, "The server offers no skills.")
		if c.flags.JSON {
			return c.printJSON([]byte(`{"skills":[]}`))
		}
		return c.print("")
	})
}

// listSkills prints the skills of the server.
func (c *invocation) listSkills(ctx context.Context, s *conversation, r *skills.Reader) error {
	if c.flags.JSON {
		raw, err := c.fetch(ctx, s, skillsList)
		if err != nil {
			return err
		}
		return c.printJSON(raw)
	}
	list, err := r.List(ctx)
	if err != nil {
		return skillFailure(err, "")
	}
	if len(list) == 0 {
		c.note(s, "The server has no skills.")
	}
	named := make(map[string]int)
	for _, k := range list {
		named[k.Name]++
	}
	rows := make([]terminal.Row, len(list))
	for i, k := range list {
		rows[i] = terminal.Row{Name: k.Name, Description: terminal.FirstLine(k.Description), Rest: k.URI}
		if named[k.Name] > 1 || k.Name == "" {
			rows[i].Name, rows[i].Rest = k.URI, ""
		}
		if k.Err() != nil {
			c.note(s, "mcpecho: "+failure.Text(k.Err()))
		}
	}
	return c.printLong(ctx, c.table(terminal.Row{Name: "NAME", Description: "DESCRIPTION", Rest: "URI"}, rows))
}

// readSkill prints a file of a skill, once it is verified.
func (c *invocation) readSkill(ctx context.Context, s *conversation, r *skills.Reader, name, file string) error {
	k, err := c.findSkill(ctx, r, name)
	if err != nil {
		return err
	}
	data, err := k.Read(ctx, file)
	if err != nil {
		hint := ""
		if errors.Is(err, skills.ErrNotListed) {
			hint = failure.DidYouMean(file, fileNames(k))
		}
		return skillFailure(err, hint)
	}
	kind := mime.TypeByExtension(path.Ext(file))
	isText := utf8.Valid(data)
	if c.flags.JSON {
		uri := k.Root() + strings.TrimPrefix(file, "./")
		for _, f := range k.Files {
			if f.Name == path.Clean(file) || f.URI == file {
				uri = f.URI
			}
		}
		content := mcp.ResourceContents{URI: uri, MIMEType: kind, Text: string(data)}
		if !isText {
			content.Text, content.Blob, content.IsBlob = "", base64.StdEncoding.EncodeToString(data), true
		}
		return c.printResult(&mcp.ReadResourceResult{Contents: []mcp.ResourceContents{content}})
	}
	p := part{data: data, binary: true, mime: kind}
	if isText {
		p = part{text: string(data)}
	}
	return c.printParts(s, []part{p}, true)
}

func fileNames(k *skills.Skill) (names []string) {
	for _, f := range k.Files {
		names = append(names, f.Name)
	}
	return names
}

// findSkill returns the skill with a name, or with a URI: that of its SKILL.md or
// of its directory.
func (c *invocation) findSkill(ctx context.Context, r *skills.Reader, name string) (*skills.Skill, error) {
	isURI := strings.Contains(name, "://")
	if isURI && strings.HasSuffix(name, "/SKILL.md") { // which may not be listed
		k, err := r.Get(ctx, name)
		if failure.Code(err) != jsonrpc.CodeInvalidParams {
			return k, skillFailure(err, "")
		}
	}
	list, err := r.List(ctx)
	if err != nil {
		return nil, skillFailure(err, "")
	}
	var found []*skills.Skill
	var known []string
	for _, k := range list {
		switch {
		case k.URI == name, strings.TrimSuffix(k.Root(), "/") == strings.TrimSuffix(name, "/"):
			return k, nil
		case k.Name == name:
			found = append(found, k)
		}
		if isURI {
			known = append(known, k.URI)
		} else {
			known = append(known, k.Name)
		}
	}
	switch len(found) {
	case 0:
		f := failure.Classify(failure.NotFound("the server has no skill "+wire.Quote(name)+failure.DidYouMean(name, known), nil))
		f.Hint = c.didMean(name, known, c.toType("for a list, ", c.commandFor("skills")))
		return nil, f
	case 1:
		return found[0], nil
	}
	message := "several skills are named " + wire.Quote(name)
	for _, k := range found {
		message += "\n\t" + terminal.EscapeName(k.URI)
	}
	return nil, &failure.Error{Status: failure.Usage, Kind: "usage", Message: message, Hint: "use the URI"}
}

// skillFailure returns the failure for a skill that cannot be used. Other errors
// stay as they are.
func skillFailure(err error, hint string) error {
	var wrong *skills.Error
	if !errors.As(err, &wrong) {
		return err
	}
	kind := "skill"
	if errors.Is(err, skills.ErrNotListed) {
		kind = "not_found"
	}
	return &failure.Error{Status: failure.Refused, Kind: kind, Message: failure.Text(err) + hint, Err: err}
}

// A checkedSkill is the result of checking a skill.
type checkedSkill struct {
	*skills.Skill
	wrong   []string
	careful string // why the skill cannot be verified; usually empty
}

// checkSkills verifies all skills and prints what is wrong.
func (c *invocation) checkSkills(ctx context.Context, s *conversation, r *skills.Reader) error {
	all, listFault, err := c.verifySkills(ctx, s, r)
	if err != nil {
		return err
	}
	faults := 0
	for _, one := range all {
		faults += len(one.wrong)
	}
	if listFault != "" {
		faults++
	}
	if len(all) == 0 && listFault == "" {
		c.note(s, "The server has no skills.")
	}
	if c.flags.JSON {
		err = c.printJSON(skillsCheckJSON(all, listFault))
	} else {
		err = c.print(c.shown(skillsCheckText(all, listFault)))
	}
	if err != nil || faults == 0 {
		return err
	}
	return &failure.Error{Status: failure.Refused, Kind: "check", Message: "the skills have " + terminal.Count(faults, "fault")}
}

// verifySkills reads and verifies every file of every skill.
func (c *invocation) verifySkills(ctx context.Context, s *conversation, r *skills.Reader) (all []checkedSkill, listFault string, err error) {
	p := c.newProgress(s.console, "checking the skills of "+c.targetName())
	defer p.End()
	list, err := r.List(ctx)
	if err != nil {
		var wrong *skills.Error
		if !errors.As(err, &wrong) && !errors.Is(err, mcp.ErrListLimit) {
			return nil, "", err
		}
		listFault = "skills/list: " + failure.Text(err)
	}
	for _, k := range list {
		one, err := checkSkill(ctx, r, k)
		if err != nil {
			return nil, "", err
		}
		all = append(all, one)
	}
	return all, listFault, nil
}

// checkSkill checks one skill. Its error ends all checks.
func checkSkill(ctx context.Context, r *skills.Reader, k *skills.Skill) (checkedSkill, error) {
	one := checkedSkill{Skill: k}
	// add reports whether the check can go on after err.
	add := func(where string, err error) bool {
		var wrong *skills.Error
		var answer *jsonrpc.Error
		if !errors.As(err, &wrong) && !errors.As(err, &answer) {
			return false
		}
		text := failure.Text(err)
		if wrong != nil {
			text = strings.TrimPrefix(text, "skill "+wire.Quote(k.URI)+": ")
		}
		one.wrong = append(one.wrong, where+text)
		return true
	}
	switch err := k.Err(); {
	case errors.Is(err, skills.ErrDynamic):
		one.careful = "its files are dynamic: they have no digests, so a client cannot verify them"
		return one, nil
	case err != nil:
		add("", err)
		return one, nil
	}
	switch again, err := r.Get(ctx, k.URI); {
	case err != nil:
		if !add("skills/get: ", err) {
			return one, err
		}
	case again.Digest() != k.Digest():
		one.wrong = append(one.wrong, "skills/get: the files differ from those of skills/list")
	}
	for _, f := range k.Files {
		where := ""
		_, err := k.Read(ctx, f.Name)
		if failure.Code(err) != 0 {
			where = "file " + wire.Quote(f.Name) + ": "
		}
		if err != nil && !add(where, err) {
			return one, err
		}
	}
	return one, nil
}

// skillsCheckText describes the results for people.
func skillsCheckText(all []checkedSkill, listFault string) string {
	var b bytes.Buffer
	line := func(kind, text string) {
		b.WriteString("  " + kind + strings.ReplaceAll(text, "\n", "\n\t") + "\n")
	}
	for _, one := range all {
		b.WriteString(terminal.EscapeName(terminal.FirstOf(one.Name, one.URI)) + ", " + terminal.Count(len(one.Files), "file") + ":")
		if len(one.wrong) == 0 && one.careful == "" {
			b.WriteString(" nothing wrong\n")
			continue
		}
		b.WriteString("\n")
		for _, text := range one.wrong {
			line("wrong    ", text)
		}
		if one.careful != "" {
			line("careful  ", one.careful)
		}
	}
	if listFault != "" {
		b.WriteString("the list:\n")
		line("wrong    ", listFault)
	}
	return b.String()
}

// skillsCheckJSON returns the results as an object.
func skillsCheckJSON(all []checkedSkill, listFault string) []byte {
	finding := func(b []byte, severity, text string) []byte {
		b = wire.AppendString(wire.AppendKey(append(wire.AppendComma(b), '{'), "severity"), severity)
		return append(wire.AppendString(wire.AppendKey(b, "message"), text), '}')
	}
	b := []byte(`{"skills":[`)
	for _, one := range all {
		b = wire.AppendString(wire.AppendKey(append(wire.AppendComma(b), '{'), "uri"), one.URI)
		b = wire.AppendString(wire.AppendKey(b, "name"), one.Name)
		b = wire.AppendInt(wire.AppendKey(b, "files"), int64(len(one.Files)))
		b = append(wire.AppendKey(b, "findings"), '[')
		for _, text := range one.wrong {
			b = finding(b, "error", text)
		}
		if one.careful != "" {
			b = finding(b, "warning", one.careful)
		}
		b = append(b, "]}"...)
	}
	b = append(b, ']')
	if listFault != "" {
		b = append(finding(append(wire.AppendKey(b, "findings"), '['), "error", listFault), ']')
	}
	return append(b, '}')
}
