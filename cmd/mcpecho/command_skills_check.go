package main

import (
	"context"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

func base64Of(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

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
	if c.flags.json {
		err = c.printJSON(skillsCheckJSON(all, listFault))
	} else {
		err = c.print(c.shown(skillsCheckText(all, listFault)))
	}
	if err != nil || faults == 0 {
		return err
	}
	return &failure{status: statusRefused, kind: "check", message: "the skills have " + count(faults, "fault")}
}

// verifySkills reads and verifies every file of every skill.
func (c *invocation) verifySkills(ctx context.Context, s *conversation, r *skills.Reader) (all []checkedSkill, listFault string, err error) {
	p := c.newProgress(s.console, "checking the skills of "+c.targetName())
	defer p.end()
	list, err := r.List(ctx)
	if err != nil {
		var wrong *skills.Error
		if !errors.As(err, &wrong) && !errors.Is(err, mcp.ErrListLimit) {
			return nil, "", err
		}
		listFault = "skills/list: " + textOf(err)
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
		text := textOf(err)
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
		if errorCode(err) != 0 {
			where = "file " + strconv.Quote(f.Name) + ": "
		}
		if err != nil && !add(where, err) {
			return one, err
		}
	}
	return one, nil
}

// skillsCheckText describes the results for people.
func skillsCheckText(all []checkedSkill, listFault string) string {
	var b strings.Builder
	line := func(kind, text string) {
		b.WriteString("  " + kind + strings.ReplaceAll(text, "\n", "\n\t") + "\n")
	}
	for _, one := range all {
		b.WriteString(escapeName(firstOf(one.Name, one.URI)) + ", " + count(len(one.Files), "file") + ":")
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
