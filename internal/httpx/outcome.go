package httpx

import (
	"errors"
	"net"
	"net/http"

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
	var status *StatusError
	if errors.As(err, &status) {
		switch status.Status {
		case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
			return true
		}
		return status.Status < 300
	}
	var redirect *RedirectError
	var op *net.OpError
	return !errors.As(err, &redirect) && !(errors.As(err, &op) && op.Op == "dial")
}
