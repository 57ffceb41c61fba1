package main

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/shellwords"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/ticket"
	"github.com/stdmcp/stdmcp/internal/batch"
	"github.com/stdmcp/stdmcp/internal/browser"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/httperr"
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
	tokens := oauth.NewFile(path)
	tokens.Report = func(err error) { c.console().Line("mcpecho: " + err.Error()) }
	o := &oauth.Options{Store: &patientStore{File: tokens, c: c, delay: lockDelay, most: maxLockTime}, ClientName: "mcpecho", Base: c.observed(nil)}
	o.Trace = &oauth.Trace{Odd: func(_ string, what *oauth.Error) {
		if c.command.name == "login" {
			c.warn(what.Error())
		}
	}}
	if c.entry != nil {
		dialers.Configure(o, c.entry)
	}
	if c.flags.Issuer != "" {
		o.Issuer = c.flags.Issuer
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
func runLogin(ctx context.Context, c *invocation) (failed error) {
	url, err := c.address(ctx)
	if err != nil {
		return err
	}
	path, _ := tokenFile()
	if path == "" {
		return failure.Local(errors.New("cannot store tokens: this user has no configuration directory"))
	}
	recorded, err := c.startRecording(ctx)
	if err != nil {
		return err
	}
	defer func() { failed = cmp.Or(failed, recorded()) }()
	o := c.oauthOptions(path)
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	o.Authorizer = c.authorizer(func(_ context.Context, page string) error {
		_, err := c.browseOnce(ctx, page, end)
		return err
	})
	c.auth = oauth.New(url, o)
	if err := c.auth.Login(ctx); err != nil {
		if context.Cause(ctx) == ticket.ErrTwice {
			return &failure.Error{Status: failure.Forbidden, Kind: "authorization", Message: ticket.ErrTwice.Error() + "; the login has ended", Hint: "log in again", Err: err}
		}
		if broken := (*oauth.Error)(nil); errors.As(err, &broken) && c.worksWithoutLogin(ctx, url) {
			return c.print(c.shown(c.targetName()) + " needs no login.\n")
		}
		if f := c.explainRefused(err); f != nil {
			return f
		}
		if f := c.explainNothing(ctx, url, err); f != nil {
			return f
		}
		return c.explainLogin(err)
	}
	c.forgetTools()
	return c.print("Logged in to " + c.shown(c.targetName()) + ".\n")
}

// explainNothing returns the failure for a URL at which the server has nothing, or nil.
// An MCP server may have its login elsewhere, but answers a client.
func (c *invocation) explainNothing(ctx context.Context, address string, err error) error {
	var broken *oauth.Error
	u, wrong := url.Parse(address)
	if wrong != nil || !errors.As(err, &broken) || !strings.Contains(err.Error(), "404") {
		return nil
	}
	_, e := mcp.Connect(ctx, streamhttp.New(address, nil), nil)
	var status *httperr.StatusError
	if !errors.As(e, &status) || status.Status != http.StatusNotFound {
		return nil
	}
	f := *failure.Classify(e)
	f.Message = "there is nothing at " + c.targetName() + ": 404 Not Found"
	f.Hint = "correct the path"
	if better := c.findPath(ctx, u); better != "" && c.entry == nil {
		f.Hint = c.toType("", c.renamed(c.target, better))
	}
	return &f
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
	return dialers.Configure(&oauth.Options{}, c.entry)
}

// authorizer returns the Authorizer of a login: a browser on this machine or a code for
// another device and, on a terminal, a browser on another machine, from which the user
// pastes the response.
func (c *invocation) authorizer(browse func(ctx context.Context, page string) error) oauth.Authorizer {
	device := &oauth.Device{Out: c.stderr}
	if c.flags.Device {
		return device
	}
	if !c.isTerminal(c.stdin) {
		return &oauth.Loopback{Open: func(ctx context.Context, page string) error { return c.openLogin(ctx, page, browse) }, RedirectURI: c.redirect(), Device: device}
	}
	paste := &oauth.Paste{In: c.stdin, Out: c.stderr, RedirectURI: c.redirect()}
	if strings.HasPrefix(paste.RedirectURI, "https:") {
		return paste // mcpecho cannot listen at an https URL
	}
	return &oauth.Loopback{Open: browse, RedirectURI: c.redirect(), Paste: paste, Device: device}
}

// openLogin opens the login page when there is no terminal, such as when another
// program runs mcpecho.
func (c *invocation) openLogin(ctx context.Context, page string, browse func(context.Context, string) error) error {
	line := "Opening in your browser: "
	if err := browse(ctx, page); err != nil {
		if oauth.DeviceOffered(ctx) {
			return err // a code needs no browser on this machine
		}
		line = "To log in, open this page: "
	}
	c.console().Line(line + page)
	return nil
}

// explainLogin returns the error of a login, with what to type instead.
func (c *invocation) explainLogin(err error) error {
	f, ok := loginFailure(err).(*failure.Error)
	if !ok {
		if f = failure.Classify(err); f.Kind == "timeout" { // no flag of login changes the timeout
			f.Hint = "is the server running?"
			return f
		}
		return err
	}
	login := append(cmdline.Words("login"), c.pasteTarget())
	switch broken := (*oauth.Error)(nil); {
	case !c.flags.Device || !errors.Is(err, oauth.ErrNoBrowser) || !errors.As(err, &broken):
		return f
	case c.flags.Issuer == "" && strings.Contains(broken.Rule, "Options.Issuer"):
		f.Hint = c.toType("if you trust "+c.shown(broken.URL)+", ", append(append(login, cmdline.Own("--device", "--issuer")...), cmdline.Word{Text: broken.URL}))
	default:
		f.Hint = c.toType("", login)
	}
	return f
}

func loginFailure(err error) error {
	var broken *oauth.Error
	var refused *oauth.ServerError
	if errors.As(err, &broken) || errors.As(err, &refused) {
		return &failure.Error{Status: failure.Forbidden, Kind: "authorization", Message: err.Error(), Hint: "you are not logged in", Err: err}
	}
	return err
}

// settings are the words of a user for those of package oauth: its options are in the entry
// of a server.
var settings = strings.NewReplacer(
	"set Options.Client", "set oauth.clientId in the server's entry",
	"Options.Issuer to", "oauth.issuer (or --issuer) to", "Options.IssuerInMetadata", "oauth.issuerInMetadata", "Options.Issuer", "oauth.issuer",
	"Options.RequestResource", "oauth.resource", "NoResource", `"none"`, "Options.AssumePKCE", "oauth.assumePKCE", "Options.Parameters", "oauth.parameters",
	"Options.Client", "oauth.clientId", "the RedirectURI of the Authorizer", "oauth.redirectUri",
)

// inSettings returns the message of err with the words of settings in what package oauth
// says. What a server says stays as it is.
func inSettings(message string, err error) string {
	if errors.Is(err, oauth.ErrLoginRequired) {
		message = strings.Replace(message, " (no Authorizer is set)", "", 1)
	}
	var broken *oauth.Error
	if errors.As(err, &broken) {
		message = strings.Replace(message, broken.Rule, settings.Replace(broken.Rule), 1)
	}
	return message
}

// runLogout revokes and deletes the tokens.
func runLogout(ctx context.Context, c *invocation) error {
	url, err := c.address(ctx)
	if err != nil {
		return err
	}
	found := false
	if path, exists := tokenFile(); exists {
		o := c.oauthOptions(path)
		c.auth = oauth.New(url, o)
		if shared, err := c.auth.SharedResource(ctx); err == nil && shared != "" {
			c.console().Line("This also ends the logins at other servers below " + c.shown(shared) + ", which share the token.")
		}
		if err := loginFailure(c.auth.Logout(ctx)); err != nil {
			broken := new(oauth.Error)
			if f, ok := err.(*failure.Error); ok && !(errors.As(err, &broken) && strings.Contains(broken.Rule, "the store")) { // without a fault of the store, Logout has deleted the tokens
				f.Hint = "your tokens are deleted here, and the server may still accept them"
			}
			return err
		}
		store, _ := o.Store.(*patientStore)
		found = store.found.Load()
	}
	c.forgetTools()
	if !found {
		return &failure.Error{Status: failure.Usage, Kind: "authorization", Message: "you are not logged in to " + c.targetName()}
	}
	return c.print("Logged out of " + c.shown(c.targetName()) + ".\n")
}

// browseOnce opens a page whose URL is a secret in the user's browser, without the URL in the
// arguments of the browser. The page is served until ctx ends. It calls end, unless that is
// nil, if a second program asks for the page.
func (c *invocation) browseOnce(ctx context.Context, page string, end func(error)) (*ticket.Ticket, error) {
	t, err := ticket.New(ctx, page, func(err error) {
		if err == ticket.ErrTwice && end != nil {
			end(err)
			return
		}
		c.warn(err.Error())
	})
	if err != nil {
		return nil, err
	}
	if err = c.browse(ctx, t.URL); err != nil {
		_ = t.Close()
	}
	return t, err
}

// browse opens a page in the user's browser. The URL must be http or https, so
// that no browser takes it for a flag.
func (e *environment) browse(ctx context.Context, page string) error {
	commands := browserCommands(e.getenv("BROWSER"), page)
	if len(commands) == 0 {
		return oauth.OpenBrowser(ctx, page)
	}
	var err error
	for _, args := range commands {
		if err = startBrowser(ctx, exec.Command(args[0], args[1:]...)); err == nil || ctx.Err() != nil {
			break
		}
	}
	return err
}

func startBrowser(ctx context.Context, cmd *exec.Cmd) error {
	if err := batch.Prepare(cmd); err != nil {
		return err
	}
	return browser.Start(ctx, cmd)
}

// browserCommands returns the commands in the variable BROWSER, as xdg-open reads it: the
// first browser that works opens the page, which replaces %s or becomes the last
// argument. As in PATH, colons separate browsers, or semicolons on Windows. The name of a
// program may contain spaces; in arguments, quotes protect them.
func browserCommands(variable, page string) (commands [][]string) {
	for _, entry := range strings.Split(variable, string(os.PathListSeparator)) {
		words := []string{entry}
		if _, err := exec.LookPath(entry); err != nil {
			words = nil
			lines, _ := shellwords.Split(entry)
			for _, line := range lines {
				for _, w := range line {
					words = append(words, w.Text)
				}
			}
		}
		if len(words) == 0 {
			continue
		}
		replaced := false
		for i, w := range words[1:] {
			replaced = replaced || strings.Contains(w, "%s")
			words[1+i] = strings.NewReplacer("%%", "%", "%s", page).Replace(w)
		}
		if !replaced {
			words = append(words, page)
		}
		commands = append(commands, words)
	}
	return commands
}
