package oauth

import (
	"context"
	"net/url"
	"os/exec"
	"runtime"
)

// OpenBrowser opens a page in the person's browser. It runs no shell, and
// refuses anything but http and https (OAuth Authorization URL Validation).
func OpenBrowser(ctx context.Context, page string) error {
	name, args, err := browserCommand(runtime.GOOS, page)
	if err != nil {
		return err
	}
	// The command hands the page over and ends; its end is not waited for, as
	// it may be that of the browser.
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return &Error{Rule: "the browser cannot be opened", Err: err}
	}
	go func() { _ = cmd.Wait() }() // ends with the command
	return ctx.Err()
}

func browserCommand(system, page string) (string, []string, error) {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", nil, &Error{URL: clean(page), Rule: "only pages of http and https are opened in a browser"}
	}
	page = u.String() // escaped as URLs are, whatever it was
	switch system {
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", page}, nil
	case "darwin":
		return "/usr/bin/open", []string{page}, nil
	}
	return "xdg-open", []string{page}, nil
}
