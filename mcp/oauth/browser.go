package oauth

import (
	"context"
	"net/url"
	"os/exec"
	"runtime"
)

// OpenBrowser opens a page in the user's browser. It runs no shell, and accepts
// only http and https URLs (OAuth Authorization URL Validation).
func OpenBrowser(ctx context.Context, page string) error {
	name, args, err := browserCommand(runtime.GOOS, page)
	if err != nil {
		return err
	}
	// The command may run for as long as the browser does.
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return &Error{Rule: "cannot open the browser", Err: err}
	}
	go func() { _ = cmd.Wait() }() // ends with the command
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
