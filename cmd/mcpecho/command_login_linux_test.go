package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// A person at a remote shell has the browser on another machine: it is sent to
// an address where nothing answers, which the person pastes. One whose browser
// is on this machine need not.
func TestLoginOnATerminal(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	t.Setenv("BROWSER", filepath.Join(home, "none"))
	url := authServer(t, nil) + "/mcp"
	for _, here := range []bool{false, true} {
		p := startInPty(t, 80, "login", url)
		p.until("paste the address of that page here:\r\n")
		_, page, _ := strings.Cut(p.output.String(), "Open this page in a browser:\r\n\r\n")
		page, _, _ = strings.Cut(page, "\r\n")
		browser := &http.Client{}
		if !here {
			browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		}
		resp, err := browser.Get(page)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if !here {
			p.typeLine("what?")
			p.until("This is another address. Paste the one that begins with http://127.0.0.1:")
			p.typeLine(resp.Header.Get("Location"))
		}
		p.wantEnd(0, "Logged in to "+url+".\n")
		runCommand(t, "call", url, "echo", "message=hi").want(t, 0, "hi\n", "")
		runCommand(t, "logout", url).want(t, 0, "Logged out of "+url+".\n", "")
	}
}
