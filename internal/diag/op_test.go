package diag

import (
	"errors"
	"io"
	"testing"
)

func TestOp(t *testing.T) {
	err := Op("read", io.ErrUnexpectedEOF)
	if err.Error() != "read: unexpected EOF" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	var op *OpError
	if !errors.As(err, &op) || op.Op != "read" {
		t.Errorf("%#v", err)
	}
}
