package oauth

import (
	"context"
	"io"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
)

// A Paste is an Authorizer for a user whose browser runs on another machine: it
// writes the URL of the login page to Out, and reads from In the URL to which the
// browser was redirected, even if the browser could not load that page.
type Paste struct {
	In  io.Reader // Paste reads one line
	Out io.Writer

	// RedirectURI is the redirect URI of the registered client. Empty means
	// http://127.0.0.1/callback, where no server needs to run.
	RedirectURI string

	mu   lock.Mutex
	next chan line // the result of a pending read; guarded by mu
}

type line struct {
	text string
	err  error
}

// Listen implements [Authorizer].
func (p *Paste) Listen(context.Context, string) (Receiver, error) {
	if p.In == nil || p.Out == nil {
		return nil, errPaste
	}
	return paster{p}, nil
}

var errPaste = ruleError("", "Paste needs both In and Out (one is nil)", nil)

type paster struct{ *Paste }

func (p paster) Close() error { return nil }

// RedirectURI implements [Receiver].
func (p paster) RedirectURI() string {
	if p.Paste.RedirectURI != "" {
		return p.Paste.RedirectURI
	}
	return defaultRedirect
}

// Authorize implements [Receiver].
func (p paster) Authorize(ctx context.Context, page string) (string, error) {
	if err := p.show(page, "After you log in, paste the address that the browser shows, even if the page does not load:"); err != nil {
		return "", err
	}
	return p.line(ctx)
}

// show tells the user which page to open and what to do then.
func (p *Paste) show(page, then string) error {
	_, err := io.WriteString(p.Out, "Open this page in a browser:\n\n"+page+"\n\n"+then+"\n")
	return err
}

// line returns the next line that is not empty. If ctx is done first, the
// pending read serves the next call.
func (p *Paste) line(ctx context.Context) (string, error) {
	p.mu.Lock()
	next := p.next
	if next == nil {
		next = make(chan line, 1)
		p.next = next
		go func() { // ends with the line, or with p.In
			var text string
			var err error
			if v := diag.Guard(nil, func() { text, err = readLine(p.In) }); v != nil {
				err = v
			}
			next <- line{text, err}
		}()
	}
	p.mu.Unlock()
	select {
	case l := <-next:
		p.mu.Lock()
		p.next = nil
		p.mu.Unlock()
		if text := strings.TrimSpace(l.text); text != "" || l.err != nil {
			return text, l.err
		}
		return p.line(ctx)
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// readLine reads byte by byte, so that it takes nothing after the line.
func readLine(r io.Reader) (string, error) {
	const longest = 64 << 10
	var text []byte
	for b := make([]byte, 1); len(text) < longest; {
		n, err := r.Read(b)
		if n == 1 {
			if b[0] == '\n' {
				break
			}
			text = append(text, b[0])
		}
		if err == io.EOF && len(text) > 0 {
			break
		}
		if err != nil {
			return "", err
		}
	}
	return string(text), nil
}
