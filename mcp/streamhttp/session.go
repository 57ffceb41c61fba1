package streamhttp

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Sessions are what servers before 2026-07-28 may have. The id is a secret.

const sessionHeader, revisionHeader = "Mcp-Session-Id", "Mcp-Protocol-Version"

var errSessionID = errors.New("the server's session id has characters that cannot be sent")

// begin takes the session that the response to initialize opens, if any.
func (c *conn) begin(resp *http.Response) error {
	id := resp.Header.Get(sessionHeader)
	for i := range len(id) {
		if id[i] <= ' ' || id[i] >= 0x7f {
			httpx.Drain(resp)
			return jsonrpc.Malformed(errSessionID)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.revision = id, ""
	if c.unlisten != nil {
		c.unlisten() // belonged to the session before
		c.unlisten = nil
	}
	return nil
}

// end tells the server that the session is over. It waits no longer than
// courtesyTime.
func (c *conn) end() {
	header := c.sessionHeader("")
	if header[sessionHeader] == nil {
		return
	}
	ctx, cancel := context.WithTimeout(httpx.Quiet(c.ctx), courtesyTime)
	defer cancel()
	resp, err := c.http.Do(ctx, &httpx.Request{Method: http.MethodDelete, URL: c.url, Header: header})
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
