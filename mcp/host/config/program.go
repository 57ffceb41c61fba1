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
	editor     = "editor" // settings, most of which are not about servers
)

// programOf returns the program that a file is for, by its path, or "".
func programOf(file string) string {
	file = "/" + filepath.ToSlash(file)
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(file, part) {
				return true
			}
		}
		return false
	}
	switch base := file[strings.LastIndexByte(file, '/')+1:]; {
	case base == ".claude.json", has("/.claude/"):
		return claudeCode
	case has("/.gemini/"):
		return gemini
	case base == "opencode.json", base == "opencode.jsonc", has("/.opencode/"):
		return opencode
	case base == "crush.json", base == ".crush.json":
		return crush
	case has("/.continue/"):
		return continues
	case has("/.nanobot/", "/nanobot."):
		return nanobot
	case base == "settings.json", base == "claude_desktop_config.json":
		return editor
	}
	return ""
}

// programOfSchema returns the program that a file is for, by its $schema, or "".
func programOfSchema(schema string) string {
	switch {
	case strings.Contains(schema, "opencode.ai/"):
		return opencode
	case strings.Contains(schema, "charm.land/crush"):
		return crush
	}
	return ""
}

// unitOf returns the unit of timeouts in the files of a program, or 0.
func unitOf(program string) time.Duration {
	switch program {
	case claudeCode, gemini, opencode:
		return time.Millisecond
	case nanobot, crush:
		return time.Second
	}
	return 0
}

// references replaces the references of other programs to variables by ours. If the file is
// that of none, or the program would run a command, it warns instead.
func (e *entry) references(of *origin) error {
	var err error
	change := func(field, name string, text *string) {
		*text = rewrite(of.program, of.folder, *text)
		odd := oddReference(*text)
		if odd == "" || field == "args" && len(*text) > 0 && strings.ContainsAny(*text, " ;|&") {
			return // a script for a shell
		}
		if name != "" {
			name = " in the value of " + quoteCut(name)
		}
		switch {
		case odd == command && of.program == crush && field != "args":
			if err == nil {
				err = invalidField(field, "has "+odd+name+", which is never run; use ${NAME} for a variable")
			}
		case odd == command:
			e.warnings = append(e.warnings, newFieldError(field, diag.Message("has "+odd+name+", which is never run")))
		default:
			e.warnings = append(e.warnings, newFieldError(field, diag.Message("has "+odd+name+", which is sent as it is; write ${NAME}")))
		}
	}
	change("command", "", &e.Command)
	change("cwd", "", &e.Dir)
	for i := range e.Args {
		change("args", "", &e.Args[i])
	}
	for i, v := range e.Env {
		if name, value, ok := strings.Cut(v, "="); ok {
			change("env", name, &value)
			e.Env[i] = name + "=" + value
		}
	}
	change("url", "", &e.URL)
	for _, name := range wire.SortedKeys(e.Headers) {
		value := e.Headers[name]
		change("headers", name, &value)
		e.Headers[name] = value
	}
	change("auth", "", &e.Auth.Token)
	change("oauth", "clientId", &e.Auth.OAuth.ClientID)
	change("oauth", "clientSecret", &e.Auth.OAuth.ClientSecret)
	return err
}

// rewrite returns a text of a program's file with references in our form.
func rewrite(program, folder, text string) string {
	switch program {
	case gemini, crush:
		return rewriteDollars(program, text)
	case opencode:
		text = strings.ReplaceAll(text, "${", "$${") // which is no reference there
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
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, open)
		inside, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(before)
		b.WriteString(replace(inside))
		text = after
	}
}

// rewriteDollars replaces $NAME. Gemini CLI keeps a reference to a variable that is not set.
func rewriteDollars(program, text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "$")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name := rest[:nameLength(rest)]
		text = rest[len(name):]
		if inside, after, closed := strings.Cut(strings.TrimPrefix(rest, "{"), "}"); closed && rest[0] == '{' && program == gemini && nameLength(inside) == len(inside) {
			b.WriteString("${" + inside + ":-${" + inside + "}}")
			text = after
			continue
		}
		switch {
		case strings.HasPrefix(rest, "$"):
			b.WriteString("${$}") // which escapes nothing
		case name == "" || name == "env" && strings.HasPrefix(text, ":"):
			b.WriteString("$" + name)
		case program == gemini:
			b.WriteString("${" + name + ":-$" + name + "}")
		default:
			b.WriteString("${" + name + "}")
		}
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
// $ counts if it is in capitals: $ can also be a part of a password.
func oddReference(text string) string {
	for _, form := range [...][2]string{{"{env:", "{env:NAME}"}, {"{file:", "{file:NAME}"}, {"${{", "${{ NAME }}"}, {"$(", command}} {
		if i := strings.Index(text, form[0]); i >= 0 && (i == 0 || text[i-1] != '$') {
			return form[1]
		}
	}
	for i := range len(text) {
		if text[i] != '$' || i > 0 && strings.IndexByte(" :='\"", text[i-1]) < 0 {
			continue
		}
		name := text[i+1:]
		if name = name[:nameLength(name)]; len(name) > 1 && name == strings.ToUpper(name) {
			return "$NAME"
		}
	}
	return ""
}
