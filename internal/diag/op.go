package diag

// An OpError is an error and the operation, the server or the field that it
// concerns.
type OpError struct {
	Op  string
	Err error
}

// Op returns err with op and a colon in front. It stays out of line, as errors are
// rare and there are many places for them.
//
//go:noinline
func Op(op string, err error) error { return &OpError{op, err} }

func (e *OpError) Error() string { return e.Op + ": " + e.Err.Error() }
func (e *OpError) Unwrap() error { return e.Err }
