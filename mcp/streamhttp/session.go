package streamhttp

import (
	"context"
	"errors"
	"net/http"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A server that is not stateless may open a session. Its id is a secret.

const sessionHeader, versionHeader = "Mcp-Session-Id", "Mcp-Protocol-Version"

// A session describes the session of a server. The id is empty if the server
// has no session, or one without an id.
type session struct{ id, version string }

// header returns the header of a request that belongs to the session and has no
// message.
func (s session) header() http.Header { return headerKey{version: s.version, session: s.id}.header() }

var errSessionID = errors.New("the server's session id has characters that a header must not have")

// readSession reads the session that a response opens, if it does.
func (c *conn) readSession(resp *http.Response) error {
	id := resp.Header.Get(sessionHeader)
	for i := range len(id) {
		if id[i] <= ' ' || id[i] >= 0x7f {
			httpx.Drain(resp)
			return jsonrpc.Malformed(errSessionID)
		}
	}
	c.mu.Lock()
	c.opened = &session{id: id}
	c.mu.Unlock()
	return nil
}

// setSessionVersion sets the protocol version of the session that is opened.
func (c *conn) setSessionVersion(version string) {
	c.mu.Lock()
	c.opened = &session{c.lastSessionLocked().id, version}
	c.mu.Unlock()
}

// useSession puts the session that was opened into use. Until then calls belong
// to the previous one: the server accepts no calls in a session that has not begun.
func (c *conn) useSession() {
	c.mu.Lock()
	if c.opened != nil {
		c.session, c.opened = *c.opened, nil
	}
	if c.stopListening != nil {
		c.stopListening() // the stream of the previous session
		c.stopListening = nil
	}
	c.mu.Unlock()
}

// currentSessionLocked returns the session that messages belong to. While the first
// session is not in use yet, responses to requests of the server belong to it already.
func (c *conn) currentSessionLocked() session {
	if c.session == (session{}) {
		return c.lastSessionLocked()
	}
	return c.session
}

// lastSessionLocked returns the session that was opened last.
//
//go:noinline
func (c *conn) lastSessionLocked() session {
	if c.opened != nil {
		return *c.opened
	}
	return c.session
}

// endSession asks the server to end the session, and waits for up to
// bestEffortTime.
func (c *conn) endSession() {
	c.mu.Lock()
	last, gone := c.lastSessionLocked(), c.gone
	c.mu.Unlock()
	if last.id == "" || last.id == gone {
		return
	}
	ctx, cancel := context.WithTimeout(httpx.BestEffort(c.ctx), bestEffortTime)
	defer cancel()
	resp, err := c.http.Do(ctx, &httpx.Request{Method: http.MethodDelete, URL: c.url, Header: last.header()})
	if err == nil {
		httpx.Drain(resp)
	}
}
