package main

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp"
)

// flags are the values of all flags.
type flags struct {
	json, verbose, quiet, inheritEnv, noColor, help bool

	env                     []string
	header                  http.Header
	config                  []string
	given                   []string // the names of the flags that were given
	transport               string   // http, sse or auto; empty when not given
	address                 string   // where to serve
	dir, protocol           string
	trace, output           string
	timeout, connectTimeout time.Duration // no limit when negative
}

func defaultFlags() flags {
	return flags{timeout: time.Minute, connectTimeout: 15 * time.Second}
}

// A flag is an argument that begins with a dash. Package flag knows only those
// in front of all other arguments.
type flag struct {
	name, short string // short may be empty, and name has one letter for a flag without a long form
	value       string // how help calls its value; empty for a flag without one
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
		{"json", "", "", "print the result object of the specification, on one line", on(func(f *flags) *bool { return &f.json })},
		{"output", "o", "FILE", "write the result to FILE", text(func(f *flags) *string { return &f.output })},
		{"config", "c", "FILE", "read configured servers from FILE, too; may be repeated", func(f *flags, v string) error {
			f.config = append(f.config, v)
			return nil
		}},
		{"env", "e", "K=V", "set an environment variable of the server; may be repeated", setEnv},
		{"inherit-env", "", "", "give the server the whole environment", on(func(f *flags) *bool { return &f.inheritEnv })},
		{"cwd", "", "DIR", "start the server in DIR", text(func(f *flags) *string { return &f.dir })},
		{"header", "H", "'K: V'", "send an HTTP header to the server, such as a token; may be repeated", setHeader},
		{"transport", "t", "http|sse|auto", "reach a URL over Streamable HTTP, HTTP+SSE or what works (auto)", setTransport},
		{"http", "", "ADDR", "serve over HTTP at ADDR, such as 127.0.0.1:3001", text(func(f *flags) *string { return &f.address })},
		{"protocol", "", "REVISION", "speak only this protocol revision", setProtocol},
		{"connect-timeout", "", "TIME", "how long connecting may take (15s; 60s to a server that is started)", wait(func(f *flags) *time.Duration { return &f.connectTimeout })},
		{"timeout", "", "TIME", "how long to wait for an answer, or for progress (60s; 0: no limit)", wait(func(f *flags) *time.Duration { return &f.timeout })},
		{"trace", "", "FILE", "write every message to FILE, a JSON line each, secrets masked", text(func(f *flags) *string { return &f.trace })},
		{"v", "", "", "show the server's logs and standard error", on(func(f *flags) *bool { return &f.verbose })},
		{"q", "", "", "show nothing but the result and errors", on(func(f *flags) *bool { return &f.quiet })},
		{"no-color", "", "", "print without colours, as NO_COLOR in the environment does", on(func(f *flags) *bool { return &f.noColor })},
		{"help", "h", "", "say how the command is used", on(func(f *flags) *bool { return &f.help })},
	}
}

// names returns the flag as it is typed: -o, --output.
func (f *flag) names() (names []string) {
	if f.short != "" {
		names = append(names, "-"+f.short)
	}
	if len(f.name) == 1 {
		return append(names, "-"+f.name)
	}
	return append(names, "--"+f.name)
}

func setEnv(f *flags, v string) error {
	if key, _, ok := strings.Cut(v, "="); !ok || key == "" {
		return errors.New("want K=V") // without the value, which may be a secret
	}
	f.env = append(f.env, v)
	return nil
}

// setHeader takes a header. The error repeats nothing of it, not even the name:
// in a header that is mistyped, the name may be the secret.
func setHeader(f *flags, v string) error {
	key, value, ok := strings.Cut(v, ":")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !ok || value == "" || httpx.CheckHeader(http.Header{key: {value}}) != nil {
		return errors.New("want 'Name: value', such as 'Authorization: Bearer …'")
	}
	if f.header == nil {
		f.header = make(http.Header)
	}
	f.header.Add(key, value)
	return nil
}

func setTransport(f *flags, v string) error {
	if v != "http" && v != "sse" && v != "auto" {
		return errors.New("want http, sse or auto, not " + strconv.Quote(v))
	}
	f.transport = v
	return nil
}

func setProtocol(f *flags, v string) error {
	if known := mcp.ProtocolVersions(); !slices.Contains(known, v) {
		return errors.New("unknown revision " + strconv.Quote(v) + "; there are " + strings.Join(known, ", "))
	}
	f.protocol = v
	return nil
}

// parseWait reads a time such as 60s, or 60 for the same. 0 means no limit.
func parseWait(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if n, e := strconv.ParseUint(v, 10, 31); e == nil {
		d, err = time.Duration(n)*time.Second, nil
	}
	switch {
	case err != nil || d < 0:
		return 0, errors.New("want a time such as 60s or 2m, not " + strconv.Quote(v))
	case d == 0:
		return -1, nil
	}
	return d, nil
}
