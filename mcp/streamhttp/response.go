package streamhttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// maxErrorBody limits the body that is read of a response with an error.
	maxErrorBody = 64 << 10

	// firstChunk is the size of the first buffer for a body of unknown length.
	firstChunk = 1 << 10

	// firstKnown is the longest announced length for which a buffer is allocated at
	// once.
	firstKnown = 64 << 10
)

const noResponse = "the HTTP response has no result for the call"

// readMessage reads a response that is one message.
func (c *conn) readMessage(call *jsonrpc.PendingCall, resp *http.Response) error {
	defer resp.Body.Close()
	data, err := readAll(resp, c.opts.MaxMessage)
	if err != nil {
		if errors.Is(err, jsonrpc.ErrTooLarge) {
			return err
		}
		return jsonrpc.OutcomeUnknown(jsonrpc.Closed(err))
	}
	c.Receive(c, data, call.ID())
	if !call.Ended() {
		return jsonrpc.Malformed(errStray(errors.New(noResponse+httpx.Quote(resp, data)), strayID(data), call.ID()))
	}
	return nil
}

// readAll reads a body of at most max bytes. The result has memory of its own, little
// more than its length; while a long body arrives, it grows in buffers of the pool.
// The memory follows what has arrived, as a server can announce any length.
func readAll(resp *http.Response, max int) ([]byte, error) {
	known := resp.ContentLength
	first := firstChunk
	if 0 < known && known <= int64(min(firstKnown, max)) {
		first = int(known)
	}
	data := make([]byte, 0, first)
	for {
		if len(data) == cap(data) && len(data) > 0 {
			data = grow(data, int(min(known, int64(4*len(data)))), max)
		}
		n, err := resp.Body.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case len(data) > max:
			err = jsonrpc.ErrTooLarge
		case err == io.EOF && known > 0 && int64(len(data)) < known:
			err = io.ErrUnexpectedEOF
		case err == io.EOF || int64(len(data)) == known:
			return shrink(data), nil
		}
		if err != nil {
			buffers.Put(data[:cap(data)])
			return nil, err
		}
	}
}

// grow moves data, which is full, to a longer buffer of up to max bytes and one.
func grow(data []byte, hint, max int) []byte {
	longer := append(buffers.Get(len(data), hint, max+1)[:0], data...)
	buffers.Put(data)
	return longer
}

// shrink returns data in memory of about its length.
func shrink(data []byte) []byte {
	if cap(data) <= max(firstChunk, len(data)+len(data)/4) {
		return data
	}
	whole := bytes.Clone(data)
	buffers.Put(data[:cap(data)])
	return whole
}

// statusError returns the error for a response whose status is not 2xx. Its body
// may be a JSON-RPC error. id is that of the call, and sent the header of the
// request.
func (c *conn) statusError(resp *http.Response, id jsonrpc.ID, sent http.Header) error {
	var rpcErr *jsonrpc.Error
	answered := false // with the id of the call
	if httpx.MediaType(resp.Header) == typeJSON {
		data, _ := buffers.ReadUpTo(resp.Body, maxErrorBody)
		_ = resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(data))
		if m, err := jsonrpc.Parse(data); err == nil {
			rpcErr, answered = m.Error, m.ID == id
			if c.Handler.Trace != nil {
				c.Handler.Trace(false, data)
			}
		} else if e := wire.Lookup(data, "jsonRpcError"); e != nil { // an exception of the Java SDK, behind its stack
			m, _ = jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":null,"error":` + string(e) + "}"))
			rpcErr = m.Error
		}
	}
	status := httpx.NewStatusError(resp, typeJSON)
	switch {
	case answered && rpcErr != nil && rpcErr.Code == jsonrpc.CodeMethodNotFound:
		// The session exists, the method does not: servers of 2026-07-28 respond
		// with 404 to that (basic/transports/streamable-http).
	case status.Status == http.StatusNotFound && sent.Get(sessionHeader) != "":
		c.mu.Lock()
		c.gone = sent.Get(sessionHeader)
		c.mu.Unlock()
		text := "the server has forgotten the session (" + strconv.Itoa(status.Status) + ")"
		return diag.Error(text, jsonrpc.ErrNoSession, status)
	case status.Status == http.StatusBadRequest && sent.Get(sessionHeader) != "" && !(rpcErr != nil && answered):
		// The servers of an SDK's examples respond with 400 in a session that they
		// have forgotten, to no id.
		err := responseError(rpcErr, status)
		return diag.Error(err.Error(), jsonrpc.ErrSessionInDoubt, err)
	}
	return responseError(rpcErr, status)
}

// responseError returns the error for a status, which may come with a JSON-RPC
// error.
func responseError(rpcErr *jsonrpc.Error, status *httperr.StatusError) error {
	if rpcErr != nil {
		return &rpcError{rpcErr, status}
	}
	return httpx.Outcome(status)
}

// An rpcError is a JSON-RPC error in a response with an HTTP error status.
type rpcError struct {
	err    *jsonrpc.Error
	status *httperr.StatusError
}

func (e *rpcError) Error() string { return e.err.Error() }
func (e *rpcError) Unwrap() error { return e.err }

// modernMin and modernMax are the first and the last code that only servers of
// Streamable HTTP use (backward compatibility).
const modernMin, modernMax = -32022, -32020

// OtherTransport reports whether the server may require another transport. A
// server that knows the transport, but not the method, responds with 404 too.
func (e *rpcError) OtherTransport() bool {
	code := e.err.Code
	if modernMin <= code && code <= modernMax || code == jsonrpc.CodeMethodNotFound && e.status.Status == http.StatusNotFound {
		return false
	}
	return e.status.OtherTransport()
}

// Unauthorized reports whether the server refuses every request without another
// authorization.
func (e *rpcError) Unauthorized() bool { return e.status.Unauthorized() }

// Permanent reports whether the server refuses the same request later, too.
func (e *rpcError) Permanent() bool {
	return e.err.Code == jsonrpc.CodeMethodNotFound || e.status.Permanent()
}

// As finds the status, which Unwrap does not return.
func (e *rpcError) As(target any) bool {
	if t, ok := target.(**httperr.StatusError); ok {
		*t = e.status
		return true
	}
	return false
}
