package streamhttp

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A server that is not stateless may open a session. Its id is a secret.

const sessionHeader, versionHeader = "Mcp-Session-Id", "Mcp-Protocol-Version"

// A session is one, or none. Servers need not give it an id.
type session struct{ id, version string }

// header returns the header of what belongs to the session and is no message.
func (s session) header() http.Header { return headerKey{version: s.version, session: s.id}.header() }

var errSessionID = errors.New("the server's session id has characters that cannot be sent")

// begin reads the session that a response opens, if any.
func (c *conn) readSession(resp *http.Response) error {
	id := resp.Header.Get(sessionHeader)
	for i := range len(id) {
		if id[i] <= ' ' || id[i] >= 0x7f {
			httpx.Drain(resp)
			return jsonrpc.Malformed(errSessionID)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened = &session{id: id}
	return nil
}

// agree notes the revision of the session that is opened.
func (c *conn) setSessionVersion(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opened == nil {
		c.opened = &session{id: c.session.id} // no response has opened one
	}
	c.opened.version = version
}

// open puts the session that was opened into use. Until then calls belong to
// the one before: the server accepts nothing in a session that has not begun.
func (c *conn) useSession() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opened != nil {
		c.session, c.opened = *c.opened, nil
	}
	if c.stopListening != nil {
		c.stopListening() // belonged to the session before
		c.stopListening = nil
	}
}

// usable returns the session that messages belong to. The first session there
// is may be used by answers to what the server asks before it is open. c.mu is held.
func (c *conn) currentSession() session {
	if c.opened != nil && c.session == (session{}) {
		return *c.opened
	}
	return c.session
}

// end tells the server that the session is over. It waits no longer than
// courtesyTime.
func (c *conn) endSession() {
	c.mu.Lock()
	last := c.session
	if c.opened != nil {
		last = *c.opened // the one before was lost
	}
	c.mu.Unlock()
	if last.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(httpx.BestEffort(c.ctx), bestEffortTime)
	defer cancel()
	resp, err := c.http.Do(ctx, &httpx.Request{Method: http.MethodDelete, URL: c.url, Header: last.header()})
	if err == nil {
		httpx.Drain(resp)
	}
}

// A sessionError is the loss of a session.
type sessionError struct{ status *httpx.StatusError }

func (e *sessionError) Error() string {
	return "the server has forgotten the session (" + strconv.Itoa(e.status.Status) + ")"
}

func (e *sessionError) Is(target error) bool { return target == jsonrpc.ErrNoSession }
func (e *sessionError) Unwrap() error        { return e.status }
