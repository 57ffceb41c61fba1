package main

import (
	"errors"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/mcp"
)

// flags holds the values of all flags.
type flags struct {
	json, verbose, quiet, inheritEnv, noColor, noState, refresh, help bool
	wide, user, revoke, all, requireLogin                             bool
	record, replay                                                    string
	noInput                                                           bool
	stopOnError                                                       bool

	env                     []string
	passed                  []string // the names in env whose values are those of this process
	header                  http.Header
	config                  []string
	roots                   []mcp.Root
	sampling                string // the command that answers for a model
	given                   []givenFlag
	from                    string // the program whose server is added
	transport               string // http, sse or auto; empty if not given
	address                 string // the address to listen on
	dir, protocol           string
	trace, output           string
	timeout, connectTimeout time.Duration // negative means no limit
}

// A givenFlag is a flag on the command line, with the words of the user.
type givenFlag struct {
	name  string
	words []string
}

// isGiven reports whether the flag is on the command line.
func (f *flags) isGiven(name string) bool {
	return slices.ContainsFunc(f.given, func(g givenFlag) bool { return g.name == name })
}

func defaultFlags() flags {
	return flags{timeout: time.Minute, connectTimeout: 15 * time.Second}
}

// A flag is an argument that begins with a dash. It may follow other arguments,
// which package flag does not support.
type flag struct {
	name, short string // short may be empty; a name of one letter has no long form
	value       string // placeholder of the value in help; empty for a boolean flag
	help        string
	set         func(f *flags, value string) error
}

func flagTable() []flag {
	on := func(p func(*flags) *bool) func(*flags, string) error {
		return func(f *flags, _ string) error { *p(f) = true; return nil }
	}
	text := func(p func(*flags) *string) func(*flags, string) error {
		return func(f *flags, v string) error { *p(f) = v; return nil }
	}
	wait := func(p func(*flags) *time.Duration) func(*flags, string) error {
		return func(f *flags, v string) (err error) { *p(f), err = parseWait(v); return err }
	}
	return []flag{
		{"json", "", "", "print the result as JSON, in the form of the specification", on(func(f *flags) *bool { return &f.json })},
		{"output", "o", "FILE", "write the result to FILE", func(f *flags, v string) error {
			if v == "json" { // what it means to other programs
				f.json = true
				return nil
			}
			f.output = v
			return nil
		}},
		{"wide", "", "", "do not shorten the lines of a list", on(func(f *flags) *bool { return &f.wide })},
		{"user", "", "", "use the user's ~/.mcp.json, not the project's .mcp.json", on(func(f *flags) *bool { return &f.user })},
		{"from", "", "PROGRAM", "copy the server NAME of another program, such as cursor", text(func(f *flags) *string { return &f.from })},
		{"all", "", "", "also list the servers of other programs", on(func(f *flags) *bool { return &f.all })},
		{"refresh", "", "", "ask the servers again, instead of using earlier results", on(func(f *flags) *bool { return &f.refresh })},
		{"revoke", "", "", "revoke the trust", on(func(f *flags) *bool { return &f.revoke })},
		{"config", "c", "FILE", "also read configured servers from FILE; may be repeated", func(f *flags, v string) error {
			f.config = append(f.config, v)
			return nil
		}},
		{"env", "e", "K=V", "set an environment variable of the server; K alone passes the variable on; may be repeated", setEnv},
		{"inherit-env", "", "", "pass the whole environment to the server", on(func(f *flags) *bool { return &f.inheritEnv })},
		{"cwd", "", "DIR", "start the server in DIR", text(func(f *flags) *string { return &f.dir })},
		{"header", "H", "'K: V'", "send an HTTP header, such as a token; may be repeated", setHeader},
		{"transport", "t", "http|sse|auto", "Streamable HTTP, HTTP+SSE, or the one that works (default)", setTransport},
		{"http", "", "ADDR", "serve over HTTP at ADDR, such as 127.0.0.1:3001", setAddress},
		{"require-login", "", "", "let only clients that log in use the server", on(func(f *flags) *bool { return &f.requireLogin })},
		{"protocol", "", "VERSION", "use only this protocol version", setProtocol},
		{"root", "", "DIR", "tell the server that it may work in DIR; may be repeated", addRoot},
		{"sampling", "", "COMMAND", "answer for a model: COMMAND reads the request as JSON from standard input, and writes text or the result as JSON", setSampling},
		{"connect-timeout", "", "TIME", "limit for connecting (default 15s; 60s if it starts the server)", wait(func(f *flags) *time.Duration { return &f.connectTimeout })},
		{"timeout", "", "TIME", "limit for a response or progress (default 60s; 0: no limit)", wait(func(f *flags) *time.Duration { return &f.timeout })},
		{"trace", "", "FILE", "write each message to FILE as a line of JSON, secrets masked", text(func(f *flags) *string { return &f.trace })},
		{"v", "", "", "show the server's logs and standard error", on(func(f *flags) *bool { return &f.verbose })},
		{"q", "", "", "show only the result and errors", on(func(f *flags) *bool { return &f.quiet })},
		{"no-state", "", "", "keep nothing about servers in files", on(func(f *flags) *bool { return &f.noState })},
		{"no-color", "", "", "do not use colors (also with the environment variable NO_COLOR)", on(func(f *flags) *bool { return &f.noColor })},
		{"no-input", "", "", "do not ask for missing arguments", on(func(f *flags) *bool { return &f.noInput })},
		{"record", "", "FILE", "record the session in FILE, secrets masked", text(func(f *flags) *string { return &f.record })},
		{"replay", "", "FILE", "respond as the recorded server did", text(func(f *flags) *string { return &f.replay })},
		{"stop-on-error", "", "", "end a script at the first command that fails", on(func(f *flags) *bool { return &f.stopOnError })},
		{"help", "h", "", "show help for the command", on(func(f *flags) *bool { return &f.help })},
	}
}

// names returns the forms of the flag: -o, --output.
func (f *flag) names() (names []string) {
	if f.short != "" {
		names = append(names, "-"+f.short)
	}
	if len(f.name) == 1 {
		return append(names, "-"+f.name)
	}
	return append(names, "--"+f.name)
}

func setAddress(f *flags, v string) error {
	if u, err := httpx.Parse(v); err == nil {
		return &betterValue{errors.New("must be HOST:PORT, such as 127.0.0.1:3001, not a URL"), "", u.Host}
	}
	f.address = v
	return nil
}

// setEnv sets a variable of the server, or passes one of this process on.
func setEnv(f *flags, v string) error {
	switch key, _, ok := strings.Cut(v, "="); {
	case key == "" || !ok && strings.Trim(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") != "":
		return errors.New("must be K=V, or the name of a variable that is set") // does not quote v, which may be a secret
	case !ok:
		value, set := os.LookupEnv(v)
		if !set && strings.Trim(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" {
			return &betterValue{errors.New("must be K=V, as the variable " + v + " is not set"), "", v + "=…"}
		} else if !set {
			return errors.New("must be K=V, or the name of a variable that is set")
		}
		f.passed = append(f.passed, v)
		v += "=" + value
	}
	f.env = append(f.env, v)
	return nil
}

// envEntry returns the variables of -e for a file, which refers to those that are
// passed on.
func (f *flags) envEntry() []string {
	env := slices.Clone(f.env)
	for i, v := range env {
		if key, _, _ := strings.Cut(v, "="); slices.Contains(f.passed, key) {
			env[i] = key + "=${" + key + "}"
		}
	}
	return env
}

// setHeader adds a header. Its error does not quote v, not even the name, because
// in a mistyped header the name may be the secret.
func setHeader(f *flags, v string) error {
	key, value, ok := strings.Cut(v, ":")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !ok || value == "" || httpx.CheckHeader(http.Header{key: {value}}) != nil {
		return errors.New("must be a name, a colon and a value: -H 'Authorization: Bearer …'")
	}
	if f.header == nil {
		f.header = make(http.Header)
	}
	f.header.Add(key, value)
	return nil
}

func setSampling(f *flags, v string) error {
	if strings.TrimSpace(v) == "" {
		return errors.New("must be a command, such as 'llm -m MODEL'")
	}
	f.sampling = v
	return nil
}

func setTransport(f *flags, v string) error {
	if v != "http" && v != "sse" && v != "auto" {
		err := errors.New("must be http, sse or auto, not " + strconv.Quote(v))
		if strings.Contains(nearest.Plain(v), "http") {
			return &betterValue{err, "-t", "http"}
		}
		return err
	}
	f.transport = v
	return nil
}

func setProtocol(f *flags, v string) error {
	if known := mcp.ProtocolVersions(); !slices.Contains(known, v) {
		err := errors.New("unknown protocol version " + strconv.Quote(v) + "; use one of " + strings.Join(known, ", "))
		better := slices.DeleteFunc(slices.Clone(known), func(version string) bool { return v == "" || v != "latest" && !strings.HasPrefix(version, v) })
		if better = append(better, nearest.Names(v, known)...); len(better) > 0 {
			return &betterValue{err, "", better[0]}
		}
		return err
	}
	f.protocol = v
	return nil
}

// parseWait parses a duration such as 60s, or 60 for seconds. 0 means no limit
// and returns -1.
func parseWait(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if n, e := strconv.ParseUint(v, 10, 31); e == nil {
		d, err = time.Duration(n)*time.Second, nil
	}
	switch {
	case err != nil || d < 0:
		err := errors.New("must be a duration such as 60s or 2m, not " + strconv.Quote(v))
		if number := strings.TrimRight(v, " abcdefghijklmnopqrstuvwxyz"); number != "" && strings.Trim(number, "0123456789.") == "" {
			if unit := strings.TrimSpace(v[len(number):]); unit != "" && strings.ContainsRune("smh", rune(unit[0])) {
				return 0, &betterValue{err, "", number + unit[:1]}
			}
		}
		return 0, err
	case d == 0:
		return -1, nil
	}
	return d, nil
}
