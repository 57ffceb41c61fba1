package config

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// Programs whose files have rules of their own.
const (
	claudeCode = "claude-code"
	gemini     = "gemini"
	opencode   = "opencode"
	crush      = "crush"
	continues  = "continue"
	nanobot    = "nanobot"
	picoclaw   = "picoclaw"
	cline      = "cline"
	roo        = "roo"
	copilot    = "copilot"
	amazonQ    = "amazonq"
	editor     = "editor" // settings, most of which are not about servers
)

// programs are the parts of paths and of $schema that belong to programs. A | is the end
// of a path.
var programs = [...]struct {
	name, parts string
	unit        time.Duration // of timeouts; 0 if it is unknown
}{
	{claudeCode, "/.claude.json| /.claude/", time.Millisecond},
	{gemini, "/.gemini/ /.qwen/", time.Millisecond},
	{opencode, "/opencode.json| /opencode.jsonc| /.opencode/ opencode.ai/", time.Millisecond},
	{crush, "/crush.json| /.crush.json| charm.land/crush", time.Second},
	{continues, "/.continue/", 0},
	{nanobot, "/.nanobot/ /nanobot.", time.Second},
	{picoclaw, "/.picoclaw/", time.Second},
	{cline, "/cline_mcp_settings.json| /.cline/", time.Second},
	{roo, "/.roo/ /mcp_settings.json|", time.Second},
	{copilot, "/.copilot/", time.Millisecond},
	{amazonQ, "amazonq/ /.kiro/", time.Millisecond},
	{editor, "/settings.json| /claude_desktop_config.json|", 0},
}

// programOf returns the program that a file is for, by its path or its $schema, or "".
func programOf(file string) string {
	file = "/" + filepath.ToSlash(file) + "|"
	for _, p := range programs {
		for part, rest := "", p.parts; rest != ""; {
			if part, rest, _ = cut(rest, " "); strings.Contains(file, part) {
				return p.name
			}
		}
	}
	return ""
}

// unitOf returns the unit of timeouts in the files of a program, or 0.
func unitOf(program string) time.Duration {
	for _, p := range programs {
		if p.name == program {
			return p.unit
		}
	}
	return 0
}

// references replaces the references of other programs to variables by ours. If the file is
// that of none, or the program would run a command, it warns instead.
func (e *entry) references(of *origin) error {
	var err error
	change := func(field, part, text string) string {
		text = rewrite(of.program, of.folder, text)
		odd := oddReference(text)
		if odd == "" || field == "args" && wire.IndexAny(text, " ;|&") >= 0 { // a script for a shell
			return text
		}
		if part != "" {
			part = " in the value of " + quoteCut(part)
		}
		what := ", which is sent as it is; write ${NAME}"
		if odd == command {
			what = ", which is never run"
			if of.program == crush && field != "args" {
				if err == nil {
					err = invalidField(field, "has "+odd+part+what+"; use ${NAME} for a variable")
				}
				return text
			}
		}
		e.warnings = append(e.warnings, newFieldError(field, diag.Message("has "+odd+part+what)))
		return text
	}
	for i, v := range e.Env {
		if name, value, ok := cut(v, "="); ok {
			e.Env[i] = name + "=" + change("env", name, value)
		}
	}
	e.texts(change)
	if of.program == nanobot { // which also takes the names that its models see
		for i, tool := range e.Tools.Allow {
			e.Tools.Allow[i] = strings.TrimPrefix(tool, "mcp_"+e.Name+"_")
		}
	}
	return err
}

// rewrite returns a text of a program's file with references in our form.
func rewrite(program, folder, text string) string {
	switch program {
	case gemini, crush:
		return rewriteDollars(program, text)
	case opencode:
		text = strings.ReplaceAll(text, "${", "$${") // which is not a reference there
		text = rewriteBetween(text, "{env:", "}", func(name string) string { return "${" + name + ":-}" })
		return rewriteBetween(text, "{file:", "}", func(path string) string {
			if path != "" && path[0] != '~' && folder != "" && !filepath.IsAbs(path) {
				path = filepath.Join(folder, path)
			}
			return "${file:" + path + "}"
		})
	case continues:
		return rewriteBetween(text, "${{", "}}", func(name string) string {
			name = wire.Trim(name)
			return "${" + name[strings.LastIndexByte(name, '.')+1:] + "}"
		})
	}
	return text
}

// rewriteBetween replaces what is between open and end, and both of them.
func rewriteBetween(text, open, end string, replace func(string) string) string {
	done := ""
	for {
		before, rest, _ := cut(text, open)
		inside, after, closed := cut(rest, end)
		if !closed {
			return done + text
		}
		done += before + replace(inside)
		text = after
	}
}

// rewriteDollars replaces $NAME. Gemini CLI keeps a reference to a variable that is not set.
func rewriteDollars(program, text string) string {
	var b []byte
	for {
		before, rest, ok := cut(text, "$")
		b = append(b, before...)
		if !ok {
			return string(b)
		}
		name := rest[:nameLength(rest)]
		text = rest[len(name):]
		new := "$" + name
		switch {
		case program == gemini && strings.HasPrefix(rest, "{"):
			inside, after, closed := cut(rest[1:], "}")
			if closed && nameLength(inside) == len(inside) {
				new, text = "${"+inside+":-${"+inside+"}}", after
			}
		case strings.HasPrefix(rest, "$"):
			new = "${$}" // which escapes nothing
		case name == "" || name == "env" && strings.HasPrefix(text, ":"):
		case program == gemini:
			new = "${" + name + ":-$" + name + "}"
		default:
			new = "${" + name + "}"
		}
		b = append(b, new...)
	}
}

// nameLength returns the length of the variable's name at the start of text.
func nameLength(text string) (n int) {
	for n < len(text) && (text[n] == '_' || text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z' || n > 0 && text[n] >= '0' && text[n] <= '9') {
		n++
	}
	return n
}

const command = "$(command)"

// oddReference returns the form of a reference in text that is not ours, or "". A name after
// $ counts if it is in capitals or ends the text: $ can also be a part of a password. One
// between percent signs is longer than an encoded byte.
func oddReference(text string) string {
	for _, form := range [...][2]string{{"{env:", "{env:NAME}"}, {"{file:", "{file:NAME}"}, {"${{", "${{ NAME }}"}, {"$(", command}} {
		if i := strings.Index(text, form[0]); i >= 0 && (i == 0 || text[i-1] != '$') {
			return form[1]
		}
	}
	for i := range len(text) {
		if text[i] != '%' && text[i] != '$' {
			continue
		}
		name := text[i+1:]
		n := nameLength(name)
		capitals := n > 1 && name[:n] == strings.ToUpper(name[:n])
		switch {
		case text[i] == '%' && n > 2 && capitals && strings.HasPrefix(name[n:], "%"):
			return "%NAME%"
		case text[i] == '$' && (i == 0 || strings.IndexByte(" :='\"", text[i-1]) >= 0) && (capitals || n > 1 && n == len(name) && i > 0):
			return "$NAME"
		}
	}
	return ""
}
