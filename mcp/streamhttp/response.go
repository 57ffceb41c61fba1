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
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// maxErrorBody limits the body that is read of a response with an error.
	maxErrorBody = 64 << 10

	// The sizes of the buffers for a body of unknown length, which double.
	firstChunk, maxChunk = 1 << 10, 1 << 20

	// firstKnown is the size of the first buffer for a body of known length.
	firstKnown = 64 << 10
)

const noResponse = "the HTTP response has no result for the call"

var errNoResponse = jsonrpc.Malformed(errors.New(noResponse))

// readMessage reads a response that is one message.
func (c *conn) readMessage(slot *jsonrpc.PendingCall, resp *http.Response) error {
	defer resp.Body.Close()
	data, err := readAll(resp, c.opts.MaxMessage)
	if err != nil {
		if errors.Is(err, jsonrpc.ErrTooLarge) {
			return err
		}
		return jsonrpc.OutcomeUnknown(jsonrpc.Closed(err))
	}
	c.Receive(c, data, slot.ID())
	if len(slot.Response()) == 0 {
		return jsonrpc.Malformed(errors.New(noResponse + httpx.Quote(resp, data)))
	}
	return errNoResponse // without effect
}

// readAll reads a body of at most max bytes.
func readAll(resp *http.Response, max int) ([]byte, error) {
	if n := resp.ContentLength; 0 < n && n <= int64(max) {
		return readKnown(resp.Body, int(n))
	}
	// io.ReadAll grows one buffer, which may cost several times the limit.
	var chunks [][]byte
	chunk, total := make([]byte, 0, firstChunk), 0
	for {
		n, err := resp.Body.Read(chunk[len(chunk):cap(chunk)])
		chunk, total = chunk[:len(chunk)+n], total+n
		switch {
		case total > max:
			return nil, jsonrpc.ErrTooLarge
		case err == io.EOF && chunks == nil:
			return chunk, nil
		case err == io.EOF:
			data := make([]byte, 0, total)
			for _, c := range append(chunks, chunk) {
				data = append(data, c...)
			}
			return data, nil
		case err != nil:
			return nil, err
		case len(chunk) == cap(chunk):
			chunks = append(chunks, chunk)
			chunk = make([]byte, 0, min(total, maxChunk))
		}
	}
}

// readKnown reads a body of n bytes. Its memory grows with what has arrived, as a
// server can announce any length.
func readKnown(body io.Reader, n int) ([]byte, error) {
	var data []byte
	for {
		read := len(data)
		data = append(make([]byte, 0, min(n, max(firstKnown, 4*read))), data...)
		data = data[:cap(data)]
		if _, err := io.ReadFull(body, data[read:]); err != nil || len(data) == n {
			return data, err
		}
	}
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
		}
	}
	status := httpx.NewStatusError(resp, typeJSON)
	switch {
	case status.Status == http.StatusNotFound && sent.Get(sessionHeader) != "":
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
func responseError(rpcErr *jsonrpc.Error, status *httpx.StatusError) error {
	if rpcErr != nil {
		return &rpcError{rpcErr, status}
	}
	return httpx.Outcome(status)
}

// An rpcError is a JSON-RPC error in a response with an HTTP error status.
type rpcError struct {
	err    *jsonrpc.Error
	status *httpx.StatusError
}

func (e *rpcError) Error() string { return e.err.Error() }
func (e *rpcError) Unwrap() error { return e.err }

// OtherTransport reports whether the server may require another transport. A
// server that knows the transport, but not the method, responds with 404 too.
func (e *rpcError) OtherTransport() bool {
	if e.err.Code == jsonrpc.CodeMethodNotFound && e.status.Status == http.StatusNotFound {
		return false
	}
	return e.status.OtherTransport()
}

// As finds the status, which Unwrap does not return.
func (e *rpcError) As(target any) bool {
	if t, ok := target.(**httpx.StatusError); ok {
		*t = e.status
		return true
	}
	return false
}
