package main

import (
	"context"
	"errors"
	"mime"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/nearest"
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
	case !slices.Contains(c.command.actions, action):
		words := []string{"read", action}
		if near := nearest.Names(action, c.command.actions); len(near) > 0 {
			words = append(near[:1], args...)
		}
		return c.usageHint("skills: the action must be read or check, not "+strconv.Quote(action), "type: "+c.commandFor("skills", words...))
	case action == "read" && len(args) == 0:
		return c.usage("skills read needs the NAME or the URI of a skill")
	case action == "read":
		run = func(ctx context.Context, s *conversation, r *skills.Reader) error {
			return c.readSkill(ctx, s, r, args[0], append(args, "SKILL.md")[1])
		}
	case len(args) > 0:
		return c.usage("too many arguments: skills check does not accept " + strconv.Quote(args[0]))
	default:
		run = c.checkSkills
	}
	return c.withServer(ctx, func(s *conversation) error {
		r := skills.NewReader(s.Client, nil)
		switch {
		case r.Supported():
			return run(ctx, s, r)
		case action == "read":
			return notFound("the server offers no skills", skills.ErrUnsupported)
		}
		c.note(s, "The server offers no skills.")
		if c.flags.json {
			return c.printJSON([]byte(`{"skills":[]}`))
		}
		return c.print("")
	})
}

// listSkills prints the skills of the server.
func (c *invocation) listSkills(ctx context.Context, s *conversation, r *skills.Reader) error {
	if c.flags.json {
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
	rows := make([]row, len(list))
	for i, k := range list {
		rows[i] = row{name: k.Name, description: firstLine(k.Description), rest: k.URI}
		if named[k.Name] > 1 || k.Name == "" {
			rows[i].name, rows[i].rest = k.URI, ""
		}
		if k.Err() != nil {
			c.note(s, "mcpecho: "+textOf(k.Err()))
		}
	}
	return c.printLong(ctx, c.table(row{name: "NAME", description: "DESCRIPTION", rest: "URI"}, rows))
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
			hint = didYouMean(file, fileNames(k))
		}
		return skillFailure(err, hint)
	}
	kind := mime.TypeByExtension(path.Ext(file))
	isText := utf8.Valid(data)
	if c.flags.json {
		uri := k.Root() + strings.TrimPrefix(file, "./")
		for _, f := range k.Files {
			if f.Name == path.Clean(file) || f.URI == file {
				uri = f.URI
			}
		}
		content := mcp.ResourceContents{URI: uri, MIMEType: kind, Text: string(data)}
		if !isText {
			content.Text, content.Blob, content.IsBlob = "", base64Of(data), true
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
		if errorCode(err) != jsonrpc.CodeInvalidParams {
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
		f := classify(notFound("the server has no skill "+strconv.Quote(name)+didYouMean(name, known), nil))
		f.hint = c.didMean(name, known, "for a list, type: "+c.commandFor("skills"))
		return nil, f
	case 1:
		return found[0], nil
	}
	message := "several skills are named " + strconv.Quote(name)
	for _, k := range found {
		message += "\n\t" + escapeName(k.URI)
	}
	return nil, &failure{status: statusUsage, kind: "usage", message: message, hint: "use the URI"}
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
	return &failure{status: statusRefused, kind: kind, message: textOf(err) + hint, err: err}
}
