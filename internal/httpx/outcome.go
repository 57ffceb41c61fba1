package httpx

import (
	"errors"
	"net"
	"net/http"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Outcome returns err, with which a request that asks for something ended. If
// the server may have done all the same what it was asked for, the error also
// matches jsonrpc.ErrOutcomeUnknown.
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
