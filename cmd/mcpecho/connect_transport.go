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
		if f.transport != "" || f.header != nil {
			return nil, c.usage("-t and -H need a server at a URL, not one that is started")
		}
		t := stdio.Command(c.server[0], c.server[1:]...)
		t.Env, t.InheritEnv, t.Dir, t.Stderr = f.env, f.inheritEnv, f.dir, s.stderr
		return t, nil
	}
	if f.env != nil || f.inheritEnv || f.dir != "" {
		return nil, c.usage("-e, --inherit-env and --cwd need a server that is started, not one at a URL")
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

// commandFor returns the command line of another command for the same target;
// server replaces the part that starts the server.
func (c *invocation) commandFor(command, server string) string {
	name, rest, _ := strings.Cut(command, " ")
	if c.server != nil {
		return c.name + " " + command + " " + server
	}
	return strings.TrimSpace(c.name + " " + name + " " + c.targetName() + " " + rest)
}

// explainConnect lists the error of each transport, if both were tried.
func (c *invocation) explainConnect(ctx context.Context, err error) error {
	var tried interface{ Unwrap() []error }
	if !errors.As(err, &tried) || len(tried.Unwrap()) != 2 {
		return c.suggestTransport(ctx, err)
	}
	text := "cannot connect to " + c.targetName() + ":"
	for i, way := range []string{"Streamable HTTP", "HTTP+SSE"} {
		why := tried.Unwrap()[i].Error()
		if op, rest, ok := strings.Cut(why, ": "); ok && (op == "connect" || strings.HasPrefix(op, "connect to ")) {
			why = rest
		}
		text += "\n\t" + way + ": " + why
	}
	f := *classify(err)
	f.message = text
	if u, e := url.Parse(c.target); e == nil && c.entry == nil && strings.Trim(u.Path, "/") == "" && f.status != statusForbidden {
		f.hint = "many servers use the path /mcp: try " + strings.TrimSuffix(c.targetName(), "/") + "/mcp"
	}
	return &f
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
	f.hint = "omit -t to try both transports"
	if c.flags.transport == "" {
		f.hint = "omit the type in the configuration, or add -t auto, to try both transports"
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
	return `run "` + c.name + " login " + c.targetName() + `", or add a token with -H 'Authorization: Bearer TOKEN'`
}
