package httpx

import (
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Outcome returns err, the error of a request. If the server may have carried out
// the request nevertheless, the result also matches jsonrpc.ErrOutcomeUnknown.
func Outcome(err error) error {
	if mayHaveArrived(err) {
		return jsonrpc.OutcomeUnknown(err)
	}
	return err
}

func mayHaveArrived(err error) bool {
	if status, ok := diag.Find[*httperr.StatusError](err); ok {
		switch status.Status {
		case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
			return true
		}
		return status.Status < 300
	}
	_, redirected := diag.Find[*httperr.RedirectError](err)
	op, _ := diag.Find[*net.OpError](err)
	return !redirected && (op == nil || op.Op != "dial")
}

// Unreachable reports whether err means that the server is away for now: no
// connection was possible, it broke, or a gateway responded with 502 to 504.
func Unreachable(err error) bool {
	if status, ok := diag.Find[*httperr.StatusError](err); ok {
		switch status.Status {
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		return false
	}
	if op, ok := diag.Find[*net.OpError](err); ok {
		return op.Op != "remote error" && op.Op != "local error" // which are of TLS
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
