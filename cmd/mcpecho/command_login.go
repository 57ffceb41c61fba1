package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// tokenFile returns the path of the file with the tokens. The login command
// creates it.
func tokenFile() (path string, exists bool) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", false
	}
	path = filepath.Join(dir, "mcpecho", "tokens.json")
	_, err = os.Stat(path)
	return path, err == nil
}

// loggedIn returns a client that sends the tokens of a login. Without a token
// file it returns nil, so that nothing is written.
func (c *invocation) loggedIn(url string) *http.Client {
	path, exists := tokenFile()
	if !exists {
		return nil
	}
	c.auth = oauth.New(url, c.oauthOptions(path))
	return c.auth.Client()
}

func (c *invocation) oauthOptions(path string) *oauth.Options {
	o := &oauth.Options{Store: oauth.NewFile(path), ClientName: "mcpecho"}
	if c.entry != nil {
		known := &c.entry.Auth.OAuth
		o.Client, o.Scopes = oauth.Client{ID: known.ClientID, Secret: known.ClientSecret}, known.Scopes
	}
	return o
}

// address returns the URL of the target.
func (c *invocation) address(ctx context.Context) (string, error) {
	if err := c.expandEntry(ctx); err != nil {
		return "", err
	}
	switch {
	case c.entry == nil:
		return c.target, nil
	case c.entry.Type == config.Stdio || c.entry.URL == "":
		return "", c.usage("login and logout need a server at a URL, but " + c.targetName() + " is started")
	}
	return c.entry.URL, nil
}

// runLogin has the user authorize mcpecho in a browser, and stores the tokens.
func runLogin(ctx context.Context, c *invocation) error {
	url, err := c.address(ctx)
	if err != nil {
		return err
	}
	path, _ := tokenFile()
	if path == "" {
		return localFailure(errors.New("cannot store tokens: this user has no configuration directory"))
	}
	o := c.oauthOptions(path)
	o.Authorizer = c.authorizer()
	c.auth = oauth.New(url, o)
	if err := c.auth.Login(ctx); err != nil {
		if broken := (*oauth.Error)(nil); errors.As(err, &broken) && c.worksWithoutLogin(ctx, url) {
			return c.print(c.shown(c.targetName()) + " needs no login.\n")
		}
		if f := c.explainRefused(err); f != nil {
			return f
		}
		return loginFailure(err)
	}
	c.forgetTools()
	return c.print("Logged in to " + c.shown(c.targetName()) + ".\n")
}

// worksWithoutLogin reports whether the server answers a client without tokens.
func (c *invocation) worksWithoutLogin(ctx context.Context, url string) bool {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	client, err := mcp.Connect(ctx, mcp.FirstOf(streamhttp.New(url, nil), sse.New(url, nil)), nil)
	if err != nil {
		return false
	}
	defer client.Close()
	if client.Server().Capabilities.Tools == nil {
		return true
	}
	_, err = client.Call(ctx, "tools/list", nil)
	return err == nil
}

// redirect returns the redirect URI in the configuration, or "".
func (c *invocation) redirect() string {
	if c.entry == nil {
		return ""
	}
	known := &c.entry.Auth.OAuth
	if known.RedirectURI == "" && known.CallbackPort > 0 {
		return "http://127.0.0.1:" + strconv.Itoa(known.CallbackPort) + "/callback"
	}
	return known.RedirectURI
}

// authorizer returns the Authorizer of a login: a browser on this machine and, on
// a terminal, one on another machine, from which the user pastes the response.
func (c *invocation) authorizer() oauth.Authorizer {
	if !c.isTerminal(c.stdin) {
		return &oauth.Loopback{Open: c.openLogin, RedirectURI: c.redirect()}
	}
	paste := &oauth.Paste{In: c.stdin, Out: c.stderr, RedirectURI: c.redirect()}
	if strings.HasPrefix(paste.RedirectURI, "https:") {
		return paste // mcpecho cannot listen at an https URL
	}
	return &oauth.Loopback{Open: c.browse, RedirectURI: c.redirect(), Paste: paste}
}

// openLogin opens the login page when there is no terminal, such as when another
// program runs mcpecho.
func (c *invocation) openLogin(ctx context.Context, page string) error {
	line := "Opening in your browser: "
	if c.browse(ctx, page) != nil {
		line = "To log in, open this page: "
	}
	(&console{w: c.stderr}).line(line + page)
	return nil
}

func loginFailure(err error) error {
	var broken *oauth.Error
	var refused *oauth.ServerError
	if errors.As(err, &broken) || errors.As(err, &refused) {
		return &failure{status: statusForbidden, kind: "authorization", message: err.Error(), hint: "you are not logged in", err: err}
	}
	return err
}

// runLogout revokes and deletes the tokens.
func runLogout(ctx context.Context, c *invocation) error {
	url, err := c.address(ctx)
	if err != nil {
		return err
	}
	if path, exists := tokenFile(); exists {
		c.auth = oauth.New(url, c.oauthOptions(path))
		if err := c.auth.Logout(ctx); err != nil {
			return loginFailure(err)
		}
	}
	c.forgetTools()
	return c.print("Logged out of " + c.shown(c.targetName()) + ".\n")
}
