package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

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
	return oauth.New(url, c.oauthOptions(path)).Client()
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
	if err := c.start(ctx); err != nil {
		return "", err
	}
	switch {
	case c.entry == nil:
		return c.target, nil
	case c.entry.Type == config.Stdio || c.entry.URL == "":
		return "", c.usage("only servers at a URL have logins, and " + c.where() + " is started")
	}
	return c.entry.URL, nil
}

// errNoBrowser is that the user has to open the page.
var errNoBrowser = errors.New("no browser could be started")

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
	o.Authorizer = &oauth.Loopback{Open: c.openLogin, RedirectURI: c.redirect()}
	err = oauth.New(url, o).Login(ctx)
	if errors.Is(err, errNoBrowser) {
		o.Authorizer = &oauth.Paste{In: c.stdin, Out: c.stderr, RedirectURI: c.redirect()}
		err = oauth.New(url, o).Login(ctx)
	}
	if err != nil {
		return loginFailure(err)
	}
	return c.print("Logged in to " + c.shown(c.where()) + ".\n")
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

// openLogin shows the page of the authorization server. Where that is not
// possible and somebody is there, they can paste the answer, from whichever
// machine has a browser.
func (c *invocation) openLogin(ctx context.Context, page string) error {
	console := &console{w: c.stderr}
	if err := c.browse(ctx, page); err == nil {
		console.line("Your browser opens " + page)
		return nil
	}
	if c.isTerminal(c.stdin) {
		return errNoBrowser
	}
	console.line("To log in, open " + page)
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
		if err := oauth.New(url, c.oauthOptions(path)).Logout(ctx); err != nil {
			return loginFailure(err)
		}
	}
	return c.print("Logged out of " + c.shown(c.where()) + ".\n")
}
