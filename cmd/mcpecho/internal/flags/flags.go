// Package flags has the flags of mcpecho: their names, help and values.
package flags

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

// Values holds the values of all flags.
type Values struct {
	JSON, Verbose, Quiet, InheritEnv, NoColor, NoState, Refresh, Help bool
	Wide, User, Revoke, All, RequireLogin                             bool
	Record, Replay                                                    string
	NoInput                                                           bool
	Insecure                                                          bool // do not verify certificates
	Watch, Follow, Errors                                             bool
	For                                                               []string // model providers
	StopOnError, Strict, Call                                         bool
	NoToken, Timed                                                    bool
	Origins                                                           []string // of web pages that may use the proxy

	Env                     []string
	passed                  []string // the names in env whose values are those of this process
	Header                  http.Header
	Config                  []string
	Roots                   []mcp.Root
	Sampling                string           // the command that answers for a model
	Answer                  *Answer          // to the questions of the server; nil to ask the user
	LogLevel                mcp.LoggingLevel // of the logs to request; empty for the default
	Given                   []Given
	From                    string // the program whose server is added
	Transport               string // http, sse or auto; empty if not given
	Address                 string // the address to listen on
	Dir, Protocol           string
	Issuer                  string   // the only authorization server; empty for any
	OAuth                   []string // settings of a login: KEY=VALUE
	Device                  bool     // log in with a code
	Output                  string
	Method, Tool, ID, Grep  string        // of messages to print
	Sender, Connection      string        // of them, too
	Last                    int           // how many lines to print; negative for all
	Timeout, ConnectTimeout time.Duration // negative means no limit
}

// A Given is a flag on the command line, with the words of the user.
type Given struct {
	Name  string
	Words []string
}

// IsGiven reports whether the flag is on the command line.
func (f *Values) IsGiven(name string) bool {
	return slices.ContainsFunc(f.Given, func(g Given) bool { return g.Name == name })
}

func Defaults() Values {
	return Values{Timeout: time.Minute, ConnectTimeout: 15 * time.Second, Last: -1}
}

// A Flag is an argument that begins with a dash. It may follow other arguments,
// which package flag does not support.
type Flag struct {
	Name, Short string // short may be empty; a name of one letter has no long form
	Value       string // placeholder of the value in help; empty for a boolean flag
	Help        string
	setter
}

// A setter sets what a flag says. The types below are small in a table: a function that
// returns another one would be a copy of it for each flag.
type setter interface {
	Set(f *Values, value string) error
}

type on func(*Values) *bool

func (p on) Set(f *Values, _ string) error { *p(f) = true; return nil }

type text func(*Values) *string

func (p text) Set(f *Values, v string) error { *p(f) = v; return nil }

type wait func(*Values) *time.Duration

func (p wait) Set(f *Values, v string) (err error) { *p(f), err = ParseWait(v); return err }

type value func(f *Values, value string) error

func (p value) Set(f *Values, v string) error { return p(f, v) }

// another is of the flags that make their command another one.
var another = value(func(*Values, string) error { return nil })

func All() []Flag {
	return []Flag{
		{"json", "", "", "print the result as JSON, in the form of the specification", on(func(f *Values) *bool { return &f.JSON })},
		{"output", "o", "FILE", "write the result to FILE", value(func(f *Values, v string) error {
			if v == "json" { // what it means to other programs
				f.JSON = true
				return nil
			}
			if form, _, _ := strings.Cut(v, "="); strings.Contains(" yaml wide raw text table jsonpath ", " "+form+" ") {
				return errors.New("takes json or a file, and a file of this name is ./" + form)
			}
			f.Output = v
			return nil
		})},
		{"wide", "", "", "do not shorten the lines of a list", on(func(f *Values) *bool { return &f.Wide })},
		{"templates", "", "", "list the resource templates", another},
		{"ping", "", "", "check whether the server responds, and how fast", another},
		{"logout", "", "", "revoke and delete the tokens", another},
		{"version", "V", "", "print the version and the supported protocol versions", another},
		{"user", "", "", "use the user's ~/.mcp.json, not the project's .mcp.json", on(func(f *Values) *bool { return &f.User })},
		{"from", "", "PROGRAM", "copy the server NAME of another program, such as cursor", text(func(f *Values) *string { return &f.From })},
		{"all", "", "", "also list the servers of other programs", on(func(f *Values) *bool { return &f.All })},
		{"refresh", "", "", "ask the servers again, instead of using earlier results", on(func(f *Values) *bool { return &f.Refresh })},
		{"revoke", "", "", "revoke the trust", on(func(f *Values) *bool { return &f.Revoke })},
		{"config", "c", "FILE", "also read configured servers from FILE; may be repeated", value(func(f *Values, v string) error {
			f.Config = append(f.Config, v)
			return nil
		})},
		{"env", "e", "K=V", "set an environment variable of the server; K alone passes the variable on; may be repeated", value(setEnv)},
		{"inherit-env", "", "", "pass the whole environment to the server", on(func(f *Values) *bool { return &f.InheritEnv })},
		{"cwd", "", "DIR", "start the server in DIR", text(func(f *Values) *string { return &f.Dir })},
		{"header", "H", "'K: V'", "send an HTTP header, such as a token; may be repeated", value(setHeader)},
		{"transport", "t", "http|sse|auto", "Streamable HTTP, HTTP+SSE, or the one that works (default)", value(setTransport)},
		{"http", "", "ADDR", "serve over HTTP at ADDR, such as 127.0.0.1:3001", value(setAddress)},
		{"require-login", "", "", "let only clients that log in use the server", on(func(f *Values) *bool { return &f.RequireLogin })},
		{"device", "", "", "log in on another device, with a code (RFC 8628, an extension of OAuth)", on(func(f *Values) *bool { return &f.Device })},
		{"issuer", "", "URL", "use only this authorization server", text(func(f *Values) *string { return &f.Issuer })},
		{"oauth", "", "K=V", "set a field of oauth for the login, such as clientId=ID; may be repeated", value(func(f *Values, v string) error {
			if k, _, ok := strings.Cut(v, "="); !ok || k == "" {
				return errors.New("must be KEY=VALUE")
			}
			f.OAuth = append(f.OAuth, v)
			return nil
		})},
		{"protocol", "", "VERSION", "use only this protocol version", value(setProtocol)},
		{"root", "", "DIR", "tell the server that it may work in DIR; may be repeated", value(addRoot)},
		{"insecure", "k", "", "do not verify the server's certificate, and send no stored tokens", on(func(f *Values) *bool { return &f.Insecure })},
		{"log-level", "", "LEVEL", "show the server's logs from LEVEL on: debug, info, notice, warning, error, critical, alert or emergency", value(setLogLevel)},
		{"sampling", "", "COMMAND", "answer for a model: COMMAND reads the request as JSON from standard input, and writes text or the result as JSON", value(setSampling)},
		{"answer", "", "ANSWER", "answer the server's questions: K=V for a field, a JSON object, @FILE, accept, decline or cancel; may be repeated", value(setAnswer)},
		{"connect-timeout", "", "TIME", "limit for connecting (default 15s; 60s if it starts the server)", wait(func(f *Values) *time.Duration { return &f.ConnectTimeout })},
		{"timeout", "", "TIME", "limit for a response or progress (default 60s; 0: no limit)", wait(func(f *Values) *time.Duration { return &f.Timeout })},
		{"v", "", "", "show more: the server's logs and standard error, and HTTP headers", on(func(f *Values) *bool { return &f.Verbose })},
		{"q", "", "", "show only the result and errors", on(func(f *Values) *bool { return &f.Quiet })},
		{"no-state", "", "", "keep nothing about servers in files", on(func(f *Values) *bool { return &f.NoState })},
		{"no-color", "", "", "do not use colors (also with the environment variable NO_COLOR)", on(func(f *Values) *bool { return &f.NoColor })},
		{"no-input", "", "", "do not ask for missing arguments", on(func(f *Values) *bool { return &f.NoInput })},
		{"record", "", "FILE", "record each message and HTTP header in FILE, secrets masked; an existing FILE is kept under another name; - prints them on standard error", value(func(f *Values, v string) error {
			if f.Record != "" {
				return errors.New("may be given only once, and --trace is the same")
			}
			f.Record = v
			return nil
		})},
		{"replay", "", "FILE", "respond as the recorded server did", text(func(f *Values) *string { return &f.Replay })},
		{"timed", "", "", "with --replay, respond after the time that the server took", on(func(f *Values) *bool { return &f.Timed })},
		{"follow", "f", "", "wait for further messages until interrupted", on(func(f *Values) *bool { return &f.Follow })},
		{"last", "n", "N", "print only the last N lines", value(func(f *Values, v string) (err error) {
			if f.Last, err = strconv.Atoi(v); err != nil || f.Last < 0 {
				err = errors.New("must be a number of lines, not " + wire.Quote(v))
			}
			return err
		})},
		{"errors", "", "", "print only what went wrong, with its requests", on(func(f *Values) *bool { return &f.Errors })},
		{"method", "", "METHOD", "print only the messages of these methods, such as tools/*", text(func(f *Values) *string { return &f.Method })},
		{"tool", "", "NAME", "print only the calls of these tools, such as get_*, and what belongs to them", text(func(f *Values) *string { return &f.Tool })},
		{"id", "", "ID", "print only the request with this id and what belongs to it", text(func(f *Values) *string { return &f.ID })},
		{"grep", "", "TEXT", "print only messages with this text, in lower or upper case", text(func(f *Values) *string { return &f.Grep })},
		{"sender", "", "client|server", "print only what this side sent", text(func(f *Values) *string { return &f.Sender })},
		{"connection", "", "N", "print only the messages of this connection", text(func(f *Values) *string { return &f.Connection })},
		{"watch", "", "", "check again when files change: those that the server's command names, and each PATH", on(func(f *Values) *bool { return &f.Watch })},
		{"call", "", "", "also call the tools that are marked read-only, with sample arguments", on(func(f *Values) *bool { return &f.Call })},
		{"for", "", "PROVIDERS", "also find what model providers reject: anthropic,openai,gemini …", value(func(f *Values, v string) error {
			for name := range strings.SplitSeq(v, ",") {
				if !slices.Contains(schema.Providers(), name) {
					return errors.New("must be some of " + strings.Join(schema.Providers(), ",") + ", not " + wire.Quote(name))
				}
				f.For = append(f.For, name)
			}
			return nil
		})},
		{"strict", "", "", "exit with status 5 also for changes that may break callers", on(func(f *Values) *bool { return &f.Strict })},
		{"no-token", "", "", "serve without a secret in the URL; only on a loopback address", on(func(f *Values) *bool { return &f.NoToken })},
		{"allow-origin", "", "URL", "let web pages of this origin use the proxy; may be repeated", value(addOrigin)},
		{"stop-on-error", "", "", "end a script at the first command that fails", on(func(f *Values) *bool { return &f.StopOnError })},
		{"help", "h", "", "show help for the command", on(func(f *Values) *bool { return &f.Help })},
	}
}

// Names returns the forms of the flag: -o, --output.
func (f *Flag) Names() (names []string) {
	if f.Short != "" {
		names = append(names, "-"+f.Short)
	}
	if len(f.Name) == 1 {
		return append(names, "-"+f.Name)
	}
	return append(names, "--"+f.Name)
}

func setAddress(f *Values, v string) error {
	if _, err := httpx.Parse(v); err == nil {
		return errors.New("must be HOST:PORT, such as 127.0.0.1:3001, not a URL")
	}
	if port := v[strings.LastIndexByte(v, ':')+1:]; CheckPort(port) != nil {
		return CheckPort(port)
	}
	if !strings.Contains(v, ":") && strings.Trim(v, "0123456789") != "" {
		return errors.New("must be HOST:PORT, such as 127.0.0.1:3001, not " + wire.Quote(v))
	}
	f.Address = v
	return nil
}

// addOrigin adds an origin: a scheme, a host and an optional port.
func addOrigin(f *Values, v string) error {
	u, err := httpx.Parse(v)
	if err != nil {
		return errors.New("must be an origin such as http://localhost:6274, not " + wire.Quote(v))
	}
	if v != u.Scheme+"://"+u.Host {
		return errors.New("must be an origin, without a path")
	}
	f.Origins = append(f.Origins, v)
	return nil
}

// CheckPort returns an error for a number that is not a port. Names of ports are valid.
func CheckPort(port string) error {
	if n, err := strconv.ParseUint(port, 10, 64); err == nil && n > 65535 {
		return errors.New("a port is at most 65535, not " + port)
	}
	return nil
}

// setEnv sets a variable of the server, or passes one of this process on.
func setEnv(f *Values, v string) error {
	switch key, _, ok := strings.Cut(v, "="); {
	case key == "" || !ok && strings.Trim(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") != "":
		return errors.New("must be K=V, or the name of a variable that is set") // does not quote v, which may be a secret
	case !ok:
		value, set := os.LookupEnv(v)
		if !set && strings.Trim(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" {
			return errors.New("must be K=V, as the variable " + v + " is not set")
		} else if !set {
			return errors.New("must be K=V, or the name of a variable that is set")
		}
		f.passed = append(f.passed, v)
		v += "=" + value
	}
	f.Env = append(f.Env, v)
	return nil
}

// EnvEntry returns the variables of -e for a file, which refers to those that are
// passed on.
func (f *Values) EnvEntry() []string {
	env := slices.Clone(f.Env)
	for i, v := range env {
		if key, _, _ := strings.Cut(v, "="); slices.Contains(f.passed, key) {
			env[i] = key + "=${" + key + "}"
		}
	}
	return env
}

// setHeader adds a header. Its error does not quote v, not even the name, because
// in a mistyped header the name may be the secret.
func setHeader(f *Values, v string) error {
	key, value, ok := strings.Cut(v, ":")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	const form = ": -H 'Authorization: Bearer …'"
	switch {
	case !ok || value == "" || key == "":
		return errors.New("must be a name, a colon and a value" + form)
	case value == "Bearer", value == "Basic":
		return errors.New("has a scheme without a value, which needs quotes" + form)
	case httpx.CheckHeader(http.Header{key: {"x"}}) != nil:
		return errors.New("the name of a header has only letters, digits and dashes" + form)
	case httpx.CheckHeader(http.Header{key: {value}}) != nil:
		return errors.New("the value of a header has no line breaks or other control characters" + form)
	}
	if f.Header == nil {
		f.Header = make(http.Header)
	}
	f.Header.Add(key, value)
	return nil
}

// LogLevels are the levels of logs, that with the most logs first.
var LogLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func setLogLevel(f *Values, v string) error {
	if !slices.Contains(LogLevels, v) {
		return errors.New("must be one of " + strings.Join(LogLevels, ", ") + ", not " + wire.Quote(v))
	}
	f.LogLevel = mcp.LoggingLevel(v)
	return nil
}

func setSampling(f *Values, v string) error {
	if strings.TrimSpace(v) == "" {
		return errors.New("must be a command, such as 'llm -m MODEL'")
	}
	f.Sampling = v
	return nil
}

func setTransport(f *Values, v string) error {
	if v != "http" && v != "sse" && v != "auto" {
		return errors.New("must be http, sse or auto, not " + wire.Quote(v))
	}
	f.Transport = v
	return nil
}

func setProtocol(f *Values, v string) error {
	if known := mcp.ProtocolVersions(); !slices.Contains(known, v) {
		return errors.New("unknown protocol version " + wire.Quote(v) + "; use one of " + strings.Join(known, ", "))
	}
	f.Protocol = v
	return nil
}

// ParseWait parses a duration such as 60s, or 60 for seconds. 0 means no limit
// and returns -1.
func ParseWait(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if n, e := strconv.ParseUint(v, 10, 31); e == nil {
		d, err = time.Duration(n)*time.Second, nil
	}
	switch {
	case err != nil || d < 0:
		return 0, errors.New("must be a duration such as 60s or 2m, not " + wire.Quote(v))
	case d == 0:
		return -1, nil
	}
	return d, nil
}

// Secrets returns the values of the flags that are secret, and those of the variables
// that the server gets.
func (f *Values) Secrets() (all []string) {
	for key, values := range f.Header {
		for _, v := range values {
			all = append(all, v)
			if _, token, ok := strings.Cut(v, " "); ok && http.CanonicalHeaderKey(key) == "Authorization" {
				all = append(all, strings.TrimSpace(token))
			}
		}
	}
	if f.Answer != nil {
		for _, v := range f.Answer.Values {
			if diag.IsSecretName(v.Key) {
				all = append(all, v.Value)
			}
		}
	}
	variables := f.Env
	if f.InheritEnv {
		variables = append(os.Environ(), variables...)
	}
	for _, e := range variables {
		if key, value, _ := strings.Cut(e, "="); diag.IsSecretName(key) {
			all = append(all, value)
		}
	}
	return all
}

// addRoot adds the directory v to what a server that requests roots receives.
func addRoot(f *Values, v string) error {
	info, err := os.Stat(v)
	if err == nil && !info.IsDir() {
		return errors.New("must be a directory, and " + wire.Quote(v) + " is a file")
	}
	if err == nil {
		v, err = filepath.Abs(v)
	}
	if err != nil {
		return err
	}
	f.Roots = append(f.Roots, mcp.Root{URI: FileURI(v), Name: filepath.Base(v)})
	return nil
}

// FileURI returns the file URI of an absolute path.
func FileURI(path string) string {
	path = filepath.ToSlash(path)
	if host, ok := strings.CutPrefix(path, "//"); ok { // a share of Windows
		host, path, _ = strings.Cut(host, "/")
		return (&url.URL{Scheme: "file", Host: host, Path: "/" + path}).String()
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // before the letter of a drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// IsFlag reports whether arg is a flag. A single dash means standard input.
func IsFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

// Find returns the flag in arg, or nil, and the value after its "=".
func Find(arg string) (f *Flag, value string, hasValue bool) {
	name, value, hasValue := strings.Cut(arg, "=")
	if name == "--trace" {
		name = "--record" // which it is to other programs
	}
	table := All()
	i := slices.IndexFunc(table, func(f Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil, value, hasValue
	}
	return &table[i], value, hasValue
}
