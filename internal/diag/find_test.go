package diag_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"testing"

	"github.com/stdmcp/stdmcp/internal/diag"
)

func TestFind(t *testing.T) {
	op := &net.OpError{Op: "dial", Err: errors.New("refused")}
	for _, err := range []error{
		op, diag.Op("connect", op), fmt.Errorf("a: %w", op), errors.Join(errors.New("x"), op), fmt.Errorf("%w and %w", fs.ErrExist, diag.Op("b", op)),
	} {
		if found, ok := diag.Find[*net.OpError](err); !ok || found != op {
			t.Errorf("in %q Find found %v, %t", err, found, ok)
		}
	}
	for _, err := range []error{nil, errors.New("x"), diag.Op("x", fs.ErrExist), errors.Join(fs.ErrExist, errors.New("y"))} {
		if found, ok := diag.Find[*net.OpError](err); ok || found != nil {
			t.Errorf("in %v Find found %v, %t", err, found, ok)
		}
	}
}
