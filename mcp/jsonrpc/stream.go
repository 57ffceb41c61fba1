package jsonrpc

import (
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// A Stream carries messages in both directions.
type Stream interface {
	// Read returns the next message, which the caller may keep, or the error
	// that ends the connection. The caller ignores a message returned with an
	// error, as it is incomplete. One goroutine calls Read.
	Read() ([]byte, error)

	// Write writes p, which holds one or more messages, each of them one line
	// that ends with a line feed. One goroutine calls Write.
	Write(p []byte) (int, error)

	// Close closes the stream, makes a waiting Read or Write return, and frees
	// its resources. The connection calls it once, possibly during a Read or
	// Write, and waits six seconds for it, or longer for a [SlowCloser].
	Close() error
}

// noStream stands for a nil Stream.
type noStream struct{}

const errNilStream = diag.Message("the Stream is nil")

func (noStream) Read() ([]byte, error)     { return nil, errNilStream }
func (noStream) Write([]byte) (int, error) { return 0, errNilStream }
func (noStream) Close() error              { return nil }

// A MessageLimiter is a [Stream] that accepts messages only up to a limit. The
// streams of package stdio implement it.
type MessageLimiter interface {
	// MaxMessage returns [Features].MaxMessage.
	MaxMessage() int
}

// An Explainer is a [Stream] that may know why a call or Connect has failed. The
// streams of processes in package stdio implement it.
type Explainer interface {
	// Explain is [Features].Explain.
	Explain(err error) error
}

// A SlowCloser is a [Stream] whose Close may take longer than five seconds. The
// streams of processes in package stdio implement it, as programs choose how long
// a process has to exit.
type SlowCloser interface {
	// CloseTime returns how long Close takes at most.
	CloseTime() time.Duration
}

// A TryWriter is a [Stream] that can also write without waiting for the peer.
// A call that is alone on its connection then writes its request on its own
// goroutine. The streams of package stdio implement it.
type TryWriter interface {
	// TryWrite writes as much of p as it can without waiting, possibly nothing,
	// and returns the number of bytes. It is never called during a Write.
	TryWrite(p []byte) (int, error)
}
