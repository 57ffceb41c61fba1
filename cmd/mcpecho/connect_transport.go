package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// transport returns the transport to the target.
func (c *invocation) transport(s *conversation) (mcp.Transport, error) {
	f := &c.flags
	if c.entry != nil {
		return c.entryTransport(s)
	}
	if c.server != nil {
		t := stdio.Command(c.server[0], c.server[1:]...)
		t.Env, t.InheritEnv, t.Dir, t.Stderr = f.env, f.inheritEnv, f.dir, s.stderr
		return t, nil
	}
	if f.env != nil || f.inheritEnv || f.dir != "" {
		return nil, c.usageHint("-e, --inherit-env and --cwd need a server that is started, not one at a URL",
			"type: "+c.paste(c.without("env", "inherit-env", "cwd")))
	}
	return c.urlTransport(c.target, f.header, f.transport)
}

// urlTransport returns the transport to a server at a URL: http, sse, or else
// whichever works.
func (c *invocation) urlTransport(url string, header http.Header, way string) (mcp.Transport, error) {
	client := c.loggedIn(url)
	stream := streamhttp.New(url, &streamhttp.Options{Client: client, Header: header})
	events := sse.New(url, &sse.Options{Client: client, Header: header})
	switch way {
	case "http":
		c.otherTransport = events
		return stream, nil
	case "sse":
		c.otherTransport = stream
		return events, nil
	}
	return mcp.FirstOf(stream, events), nil
}

// targetName returns the name of the target without secrets in a URL.
func (c *invocation) targetName() string {
	switch {
	case c.server != nil:
		return strings.Join(c.server, " ")
	case c.entry != nil:
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
func (c *invocation) explainRefused(err error) *failure {
	u, e := url.Parse(c.target)
	if e != nil || c.entry != nil || !httpx.IsRefused(err) {
		return nil
	}
	f := *classify(err)
	f.message = "cannot connect to " + c.targetName() + ": connection refused, no server listens on port " + httpx.Port(u) + " of " + u.Hostname()
	f.hint = "start the server, or correct the port"
	return &f
}

// explainConnect lists the error of each transport, if both were tried, and
// says what works instead, if anything does.
func (c *invocation) explainConnect(ctx context.Context, err error) error {
	if c.server != nil {
		return c.explainStart(err)
	}
	if c.entry != nil {
		if f := c.explainEntry(err); f != nil {
			return f
		}
	}
	if better := otherScheme(c.target, err); better != "" && c.entry == nil {
		f := *classify(err)
		f.message, f.hint = strings.TrimSuffix(strings.TrimSuffix(f.message, " use http://"), " use https://"), "type: "+c.retyped(c.target, better)
		f.message = strings.TrimRight(f.message, ":;")
		return &f
	}
	u, e := url.Parse(c.target)
	if f := c.explainRefused(err); f != nil {
		return f
	}
	var tried interface{ Unwrap() []error }
	if !errors.As(err, &tried) || len(tried.Unwrap()) != 2 {
		return c.suggestTransport(ctx, err)
	}
	reasons := make([]string, 2)
	for i := range reasons {
		reasons[i] = tried.Unwrap()[i].Error()
		if op, rest, ok := strings.Cut(reasons[i], ": "); ok && (op == "connect" || strings.HasPrefix(op, "connect to ")) {
			reasons[i] = rest
		}
	}
	f := *classify(err)
	f.message = "cannot connect to " + c.targetName() + ":\n\tStreamable HTTP: " + reasons[0] + "\n\tHTTP+SSE: " + reasons[1]
	if e != nil || c.entry != nil || f.status != statusUnreachable {
		return &f
	}
	if better := c.findPath(ctx, u); better != "" {
		f.message = c.targetName() + " is not an MCP server, but " + better + " is"
		f.hint = "type: " + c.retyped(c.target, better)
	} else if strings.Trim(u.Path, "/") == "" {
		f.hint = "many servers use the path /mcp: type " + c.retyped(c.target, strings.TrimSuffix(c.targetName(), "/")+"/mcp")
	}
	return &f
}

// findPath returns a URL of the same host at which an MCP server answers, or "".
func (c *invocation) findPath(ctx context.Context, u *url.URL) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for _, path := range []string{"/mcp", "/sse", "/"} {
		other := *u
		other.Path, other.RawPath = path, ""
		if path == u.Path || path == "/" && u.Path == "" {
			continue
		}
		t, err := c.urlTransport(other.String(), c.flags.header, "")
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
	f := *classify(err)
	if c.otherTransport == nil || f.hint != "" || !errors.As(err, &other) || !other.OtherTransport() || onlyModern(err) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if client, e := mcp.Connect(ctx, c.otherTransport, nil); e == nil {
		_ = client.Close()
		kinds := [2]string{"Streamable HTTP", "HTTP+SSE"}
		if _, ok := c.otherTransport.(*sse.Transport); !ok {
			kinds[0], kinds[1] = kinds[1], kinds[0]
		}
		f.message = c.targetName() + " speaks " + kinds[1] + ", not " + kinds[0] + "\n\t" + f.message
	}
	f.hint = "to try both transports, type: " + c.paste(c.without("transport"))
	if c.flags.transport == "" {
		f.hint = "omit the type in the configuration, or type: " + c.paste(append(c.without(), "-t", "auto"))
	}
	return &f
}

// onlyModern reports whether err comes from a server that certainly supports
// Streamable HTTP.
func onlyModern(err error) bool {
	var answer *jsonrpc.Error
	return errors.As(err, &answer) && mcp.CodeUnsupportedVersion <= answer.Code && answer.Code <= mcp.CodeHeaderMismatch
}

// loginHint returns what to type after the server refused authorization.
func (c *invocation) loginHint() string {
	if c.flags.header.Get("Authorization") != "" {
		return "the server does not accept the Authorization header of -H"
	}
	return "add a token with -H " + c.quoteWord("Authorization: Bearer TOKEN") + ", or type: " + c.loginCommand()
}

// loginCommand returns the command line that logs in to the target.
func (c *invocation) loginCommand() string {
	login := []string{"login", c.pasteTarget()}
	for _, file := range c.flags.config {
		login = append(login, "-c", file)
	}
	return c.paste(login)
}
