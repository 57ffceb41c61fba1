package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/system"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// transport returns the transport to the target. With --record, its connections are
// recorded.
func (c *invocation) transport(s *conversation) (mcp.Transport, error) {
	f := &c.flags
	if c.entry != nil {
		return c.entryTransport(s)
	}
	if c.server != nil {
		t := stdio.Command(c.server[0], c.server[1:]...)
		t.Env, t.InheritEnv, t.Dir, t.Stderr = f.Env, f.InheritEnv, f.Dir, s.stderr
		return c.wrap(t), nil
	}
	if f.Env != nil || f.InheritEnv || f.Dir != "" {
		return nil, c.suggest("-e, --inherit-env and --cwd need a server that is started, not one at a URL", c.without("env", "inherit-env", "cwd"))
	}
	return c.urlTransport(c.target, f.Header, f.Transport)
}

// urlTransport returns the transport to a server at a URL: http, sse, or else
// whichever works.
func (c *invocation) urlTransport(url string, header http.Header, way string) (mcp.Transport, error) {
	var client *http.Client
	if c.flags.Insecure {
		client = c.insecureClient()
	} else if client = c.loggedIn(url); client == nil {
		client = &http.Client{Transport: c.observed(nil), Jar: httpx.OwnCookies}
	}
	stream := streamhttp.New(url, &streamhttp.Options{Client: client, Header: header})
	events := sse.New(url, &sse.Options{Client: client, Header: header})
	switch way {
	case "http":
		c.otherTransport = events
		return c.wrap(stream), nil
	case "sse":
		c.otherTransport = stream
		return c.wrap(events), nil
	}
	return mcp.FirstOf(c.wrap(stream), c.wrap(events)), nil
}

// insecureClient returns a client that does not verify certificates. It sends no tokens
// of a login: whoever answers in place of the server would receive them.
func (c *invocation) insecureClient() *http.Client {
	if !c.warnedInsecure {
		c.warnedInsecure = true
		c.console().Line("Warning: --insecure does not verify the certificate of the server, so that others may read and change everything.")
	}
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if base, ok := http.DefaultTransport.(*http.Transport); ok {
		t = base.Clone()
	}
	t.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // which the user asks for
	return &http.Client{Transport: cmp.Or[http.RoundTripper](c.observed(t), t), Jar: httpx.OwnCookies}
}

// targetName returns the name of the target without secrets.
func (c *invocation) targetName() string {
	switch {
	case c.server != nil:
		public, _ := diag.PublicArgs(c.server...)
		return strings.Join(public, " ")
	case c.entry != nil, c.session != "":
		return c.target
	}
	u, err := url.Parse(c.target)
	if err != nil {
		return "invalid URL"
	}
	return httpx.Clean(u)
}

// explainRefused returns what to do about a URL at which no server listens, or nil
// if err is another error.
func (c *invocation) explainRefused(err error) *failure.Error {
	u, e := url.Parse(c.target)
	if e != nil || c.entry != nil || !httpx.IsRefused(err) {
		return nil
	}
	f := *failure.Classify(err)
	f.Message = "cannot connect to " + c.targetName() + ": connection refused, no server listens on port " + httpx.Port(u) + " of " + u.Hostname()
	f.Hint = "start the server, or correct the port"
	return &f
}

// explainConnect lists the error of each transport, if both were tried, and
// says what works instead, if anything does.
func (c *invocation) explainConnect(ctx context.Context, err error) error {
	if c.session != "" {
		return err
	}
	if f := c.explainEnvironment(err); f != nil {
		return f
	}
	if c.server != nil {
		return c.explainStart(err)
	}
	if c.entry != nil {
		if f := c.explainEntry(err); f != nil {
			return f
		}
	}
	if better := otherScheme(c.target, err); better != "" && c.entry == nil {
		f := *failure.Classify(err)
		f.Message, f.Hint = strings.TrimSuffix(strings.TrimSuffix(f.Message, " use http://"), " use https://"), c.toType("", c.retyped(c.target, cmdline.Word{Text: better, Own: true}))
		f.Message = strings.TrimRight(f.Message, ":;")
		return &f
	}
	u, e := url.Parse(c.target)
	if f := c.explainRefused(err); f != nil && !errors.Is(err, diag.ErrEndedByProbe) {
		return f
	}
	f := *failure.Classify(err)
	var tried interface{ Unwrap() []error }
	var page *httperr.StatusError
	switch {
	case errors.As(err, &tried) && len(tried.Unwrap()) == 2:
		reasons := make([]string, 2)
		for i := range reasons {
			reasons[i] = tried.Unwrap()[i].Error()
			if op, rest, ok := strings.Cut(reasons[i], ": "); ok && (op == "connect" || strings.HasPrefix(op, "connect to ")) {
				reasons[i] = rest
			}
		}
		f.Message = "cannot connect to " + c.targetName() + ":\n\tStreamable HTTP: " + reasons[0] + "\n\tHTTP+SSE: " + reasons[1]
	case !errors.As(err, &page) || page.Status/100 != 2 || page.ContentType != "text/html":
		return c.suggestTransport(ctx, err)
	}
	if e != nil || c.entry != nil || f.Status != failure.Unreachable {
		return &f
	}
	if better := c.findPath(ctx, u); better != "" {
		f.Message = c.targetName() + " is not an MCP server, but " + better + " is"
		f.Hint = c.toType("", c.retyped(c.target, cmdline.Word{Text: better, Own: true}))
	} else if strings.Trim(u.Path, "/") == "" {
		f.Hint = "correct the path: many servers use /mcp"
	}
	return &f
}

// findPath returns a URL of the same host at which an MCP server answers, or "".
func (c *invocation) findPath(ctx context.Context, u *url.URL) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	unrecorded := *c
	unrecorded.recorder = nil
	paths := []string{"/mcp", "/sse", "/"}
	if bare := strings.TrimRight(u.Path, "/"); bare != u.Path && bare != "" {
		paths = slices.Insert(paths, 0, bare)
	}
	for _, path := range paths {
		other := *u
		other.Path, other.RawPath = path, ""
		if path == u.Path || path == "/" && u.Path == "" {
			continue
		}
		t, err := unrecorded.urlTransport(other.String(), c.flags.Header, "")
		if err != nil {
			return ""
		}
		if client, err := mcp.Connect(ctx, t, nil); err == nil {
			_ = client.Close()
			return httpx.Clean(&other)
		}
	}
	return ""
}

// suggestTransport tries the other transport if the server may need another one
// than -t or the configuration names, and says which one the server speaks.
func (c *invocation) suggestTransport(ctx context.Context, err error) error {
	var other mcp.OtherTransportError
	f := *failure.Classify(err)
	if c.otherTransport == nil || f.Hint != "" || !errors.As(err, &other) || !other.OtherTransport() {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if client, e := mcp.Connect(ctx, c.otherTransport, nil); e == nil {
		_ = client.Close()
		kinds := [2]string{"Streamable HTTP", "HTTP+SSE"}
		if c.otherTransport.Features().Kind != kinds[1] {
			kinds[0], kinds[1] = kinds[1], kinds[0]
		}
		f.Message = c.targetName() + " speaks " + kinds[1] + ", not " + kinds[0] + "\n\t" + f.Message
	}
	f.Hint = c.toType("to try both transports, ", c.without("transport"))
	if c.flags.Transport == "" {
		f.Hint = c.toType("omit the type in the configuration, or ", append(c.without(), cmdline.Own("-t", "auto")...))
	}
	return &f
}

// loginHint returns what to type after the server refused authorization.
func (c *invocation) loginHint() string {
	if c.flags.Header.Get("Authorization") != "" {
		return "the server does not accept the Authorization header of -H"
	}
	const token = "add a token with -H 'Authorization: Bearer TOKEN'"
	return cmp.Or(c.toType(token+", or ", c.withFiles(append(cmdline.Words("login"), c.pasteTarget()))), token)
}

// eraKey returns what identifies the target, without secrets: the transport's
// name for it. Servers with the same name share an entry, which is only a hint. It is
// empty with --no-state or --protocol.
func (c *invocation) eraKey(t mcp.Transport) string {
	if c.flags.NoState || c.flags.Protocol != "" || c.session != "" {
		return ""
	}
	name := t.Features().Name
	if c.entry != nil {
		name = c.entry.Name + " " + name
	}
	return wire.Quote(diag.HideUserinfo(c.hide(name)))
}

// configured returns the names of the configured servers that equal name.
func (c *invocation) configured(name string) []string {
	return slices.DeleteFunc(serverNames(config.Load(".", c.flags.Config...)), func(known string) bool { return known != name })
}

func serverNames(cfg *config.Config) (names []string) {
	for _, s := range cfg.Servers {
		names = append(names, s.Name)
	}
	return names
}

// explainStart adds to the failure of a server that was started what the user may
// have meant: a command that exists, or a flag of mcpecho before the --.
func (c *invocation) explainStart(err error) error {
	if c.server == nil {
		return err
	}
	f := *failure.Classify(err)
	if f.Status != failure.Unreachable {
		return err
	}
	before, _ := cutServer(c.typed)
	if info, e := os.Stat(c.server[0]); e == nil && info.IsDir() {
		f.Message = wire.Quote(c.server[0]) + " is a directory, not a program"
		return &f
	}
	words, ours := strings.Fields(c.server[0]), cmdline.Line(nil)
	missing := errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, system.ErrNotProgram)
	switch {
	case missing && len(c.server) == 1 && len(words) > 1 && isProgram(words[0]) && !strings.ContainsAny(c.server[0], "'\"\\"): // all of it was in quotes
		f.Hint = c.toType("", withServer(cmdline.Own(before...), words))
	case f.Kind == "crashed" && !missing:
		flag, theirs := c.ownFlags()
		if ours = cmdline.Own(flag...); len(ours) == 0 {
			return err
		}
		f.Hint = c.toType("", withServer(append(cmdline.Own(before...), ours...), theirs))
	default:
		return err
	}
	return &f
}

// explainEnvironment returns a failure that says how to pass the variables that the
// server misses, or nil.
func (c *invocation) explainEnvironment(err error) error {
	var missed *diag.NotPassedError
	if !errors.As(err, &missed) {
		return nil
	}
	f := *failure.Classify(err)
	what, better := "with -e", c.without()
	if c.entry != nil {
		what = `with "env" of the entry in ` + terminal.EscapeName(c.entry.Source) + ", or with -e"
	}
	for _, name := range missed.Names {
		better = append(better, cmdline.Own("-e", name)...)
	}
	f.Message = missed.Reword(f.Message, "\n"+missed.Advice("pass", " "+what))
	f.Hint = c.toType("", withServer(better, c.server))
	return &f
}

// ownFlags separates the flags of mcpecho at the end of the server's command. Those
// that are for URLs belong to the server.
func (c *invocation) ownFlags() (ours, theirs []string) {
	for i := 1; i < len(c.server); i++ {
		f, _, hasValue := flags.Find(c.server[i])
		if f == nil || !hasWord(c.command.flags, f.Name) || !strings.HasPrefix(c.server[i], "--") || f.Name == "transport" || f.Name == "header" {
			continue
		}
		end := i + 1
		if f.Value != "" && !hasValue {
			end = min(end+1, len(c.server))
		}
		return c.server[i:end], slices.Concat(c.server[:i], c.server[end:])
	}
	return nil, nil
}

// withScheme returns the URL that a text without a scheme means: HOST:PORT, or a name with a
// path, on this machine http. It returns "" for another text, and for a file.
func withScheme(text string) string {
	host, path, _ := strings.Cut(text, "/")
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	_, wrong := strconv.ParseUint(port, 10, 16)
	local := name == "localhost" || net.ParseIP(name) != nil
	dot := strings.LastIndexByte(name, '.')
	isHost := dot > 0 && dot < len(name)-1 && path != "" && !strings.ContainsFunc(name, func(r rune) bool { return r != '.' && r != '-' && notInName(r) })
	_, found := os.Stat(text)
	if name == "" || found == nil || isFile(host) || filepath.Ext(host) == ".json" || port != "" && wrong != nil || !local && !isHost && port == "" {
		return ""
	}
	scheme := "https://"
	if local || port != "" {
		scheme = "http://"
	}
	if _, err := httpx.Parse(scheme + text); err != nil {
		return ""
	}
	return scheme + text
}

// otherScheme returns the URL with the scheme that the server speaks, according
// to err, or "".
func otherScheme(target string, err error) string {
	u, e := url.Parse(target)
	if e != nil {
		return ""
	}
	switch text := err.Error(); {
	case u.Scheme == "https" && strings.Contains(text, "speaks plain HTTP"):
		u.Scheme = "http"
	case u.Scheme == "http" && (strings.Contains(text, "speaks TLS") || strings.Contains(text, "HTTP request to an HTTPS server")):
		u.Scheme = "https"
	default:
		return ""
	}
	return httpx.Clean(u)
}

// explainEntry returns a failure that says how to correct the configured server,
// or nil.
func (c *invocation) explainEntry(err error) error {
	f := *failure.Classify(err)
	if words := strings.Fields(c.entry.Command); len(words) > 1 && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)) {
		args := make([]string, 0, len(words)-1+len(c.entry.Args))
		for _, arg := range slices.Concat(words[1:], c.entry.Args) {
			args = append(args, string(wire.AppendString(nil, arg)))
		}
		f.Hint = "in " + terminal.EscapeName(c.entry.Source) + " write " + string(wire.AppendString([]byte(`"command": `), words[0])) + `, "args": [` + strings.Join(args, ", ") + "]"
		return &f
	}
	if _, e := httpx.Parse(c.entry.URL); e != nil && c.entry.URL != "" {
		if better := withScheme(c.entry.URL); better != "" {
			f.Status, f.Kind = failure.Usage, "configuration"
			f.Message = terminal.EscapeName(c.entry.Source) + ": server " + wire.Quote(c.entry.Name) + ": " + e.Error()
			f.Hint = `write "url": ` + wire.Quote(httpx.Display(better))
			return &f
		}
	}
	return nil
}
