package diag

// A Message is an error that is its text, so that a constant needs no code.
type Message string

func (m Message) Error() string { return string(m) }

// ErrUnread is matched by the error of a connection whose server has ended without
// having read anything, so that no request can be the reason.
const ErrUnread = Message("the server has read nothing")

// A textError is an error with a text of its own. It matches kind and cause,
// either of which may be nil.
type textError struct {
	text        string
	kind, cause error
}

// Error returns an error with the given text that matches kind, a sentinel, and
// cause. Either may be nil.
//
//go:noinline
func Error(text string, kind, cause error) error { return &textError{text, kind, cause} }

func (e *textError) Error() string        { return e.text }
func (e *textError) Is(target error) bool { return target == e.kind }
func (e *textError) Unwrap() error        { return e.cause }

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

// Find returns the first error in the tree of err that is a T. It is errors.As
// without reflection, which would add 11 KB to a program, and without As methods.
func Find[T any](err error) (found T, ok bool) {
	for err != nil {
		if found, ok = err.(T); ok {
			return found, true
		}
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			for _, err := range e.Unwrap() {
				if found, ok = Find[T](err); ok {
					return found, true
				}
			}
			return found, false
		default:
			return found, false
		}
	}
	return found, false
}
