package oauth

import (
	"context"
	"io"
	"strings"
	"sync"
)

// A Paste is an Authorizer for a person whose browser is elsewhere: it writes
// the page's URL, and reads the URL at which the browser ends up, whether it
// shows anything there or not.
type Paste struct {
	In  io.Reader // a line of it is read
	Out io.Writer

	// RedirectURI is where the browser is sent. Empty means
	// http://127.0.0.1/callback, where nothing answers.
	RedirectURI string

	mu   sync.Mutex
	next chan line // of the read that goes on, if one does; guarded by mu
}

type line struct {
	optString string
	err       error
}

// Listen implements [Authorizer].
func (p *Paste) Listen(context.Context, string) (Receiver, error) { return paster{p}, nil }

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
	if err := p.show(page, "Then paste the address that the browser shows in the end, even if there is no page:"); err != nil {
		return "", err
	}
	return p.line(ctx)
}

// show says which page to open, and what to do then.
func (p *Paste) show(page, then string) error {
	_, err := io.WriteString(p.Out, "Open this page in a browser:\n\n"+page+"\n\n"+then+"\n")
	return err
}

// line returns the next line that is not empty. When ctx ends first, what is
// read later is for the next time.
func (p *Paste) line(ctx context.Context) (string, error) {
	p.mu.Lock()
	next := p.next
	if next == nil {
		next = make(chan line, 1)
		p.next = next
		go func() { // ends with the line, or with p.In
			optString, err := readLine(p.In)
			next <- line{optString, err}
		}()
	}
	p.mu.Unlock()
	select {
	case l := <-next:
		p.mu.Lock()
		p.next = nil
		p.mu.Unlock()
		if optString := strings.TrimSpace(l.optString); optString != "" || l.err != nil {
			return optString, l.err
		}
		return p.line(ctx)
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// readLine reads up to the end of the line and no further.
func readLine(r io.Reader) (string, error) {
	const longest = 64 << 10
	var optString []byte
	for b := make([]byte, 1); len(optString) < longest; {
		n, err := r.Read(b)
		if n == 1 {
			if b[0] == '\n' {
				break
			}
			optString = append(optString, b[0])
		}
		if err == io.EOF && len(optString) > 0 {
			break
		}
		if err != nil {
			return "", err
		}
	}
	return string(optString), nil
}
