package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

// tokenFile is where tokens are kept. It is made by login.
func tokenFile() (path string, exists bool) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", false
	}
	path = filepath.Join(dir, "mcpecho", "tokens.json")
	_, err = os.Stat(path)
	return path, err == nil
}

// loggedIn returns what sends the tokens of a login, or nil when there never
// was one, as nothing is to be written then.
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
		return "", c.usage("only servers at a URL have logins, and " + c.targetName() + " is started")
	}
	return c.entry.URL, nil
}

// runLogin has the user authorize mcpecho in a browser, and keeps the tokens.
func runLogin(ctx context.Context, c *invocation) error {
	url, err := c.address(ctx)
	if err != nil {
		return err
	}
	path, _ := tokenFile()
	if path == "" {
		return localFailure(errors.New("there is no folder for the configuration of users"))
	}
	o := c.oauthOptions(path)
	o.Authorizer = c.authorizer()
	c.auth = oauth.New(url, o)
	if err := c.auth.Login(ctx); err != nil {
		return loginFailure(err)
	}
	return c.print("Logged in to " + c.shown(c.targetName()) + ".\n")
}

// redirect is where the configuration wants the browser to be sent, or "".
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

// authorizer is how the user agrees: in a browser here, or one elsewhere, from
// which a person at the terminal can paste the answer.
func (c *invocation) authorizer() oauth.Authorizer {
	if !c.isTerminal(c.stdin) {
		return &oauth.Loopback{Open: c.openLogin, RedirectURI: c.redirect()}
	}
	paste := &oauth.Paste{In: c.stdin, Out: c.stderr, RedirectURI: c.redirect()}
	if strings.HasPrefix(paste.RedirectURI, "https:") {
		return paste // what is there is not this program
	}
	return &oauth.Loopback{Open: c.browse, RedirectURI: c.redirect(), Paste: paste}
}

// openLogin shows the page of the authorization server where nobody is at the
// terminal, as when a program runs this one.
func (c *invocation) openLogin(ctx context.Context, page string) error {
	line := "Your browser opens "
	if c.browse(ctx, page) != nil {
		line = "To log in, open "
	}
	(&console{w: c.stderr}).line(line + page)
	return nil
}

func loginFailure(err error) error {
	var broken *oauth.Error
	var refused *oauth.ServerError
	if errors.As(err, &broken) || errors.As(err, &refused) {
		return &failure{status: statusForbidden, kind: "authorization", message: err.Error(), hint: "nobody is logged in", err: err}
	}
	return err
}

// runLogout forgets the tokens.
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
	return c.print("Logged out of " + c.shown(c.targetName()) + ".\n")
}
