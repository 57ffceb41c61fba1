package oauth

import (
	"context"
	"net/url"
	"os/exec"
	"runtime"

	"github.com/stdmcp/stdmcp/internal/browser"
)

// OpenBrowser opens a page in the user's browser. It runs no shell, and accepts
// only http and https URLs (OAuth Authorization URL Validation). If the command
// that opens browsers fails within 2 s, as it does on a machine without one,
// OpenBrowser returns an error.
func OpenBrowser(ctx context.Context, page string) error {
	name, args, err := browserCommand(runtime.GOOS, page)
	if err != nil {
		return err
	}
	return startBrowser(ctx, exec.Command(name, args...))
}

func startBrowser(ctx context.Context, cmd *exec.Cmd) error {
	if err := browser.Start(ctx, cmd); err != nil && err != ctx.Err() {
		return &Error{Rule: "cannot open the browser: " + cmd.Args[0], Err: err}
	}
	return ctx.Err()
}

func browserCommand(system, page string) (string, []string, error) {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", nil, &Error{URL: clean(page), Rule: "cannot open this in a browser: only http and https URLs are allowed"}
	}
	page = u.String() // String escapes what the original left unescaped
	switch system {
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", page}, nil
	case "darwin":
		return "/usr/bin/open", []string{page}, nil
	}
	return "xdg-open", []string{page}, nil
}
