package jsonrpc

// A Stream carries messages in both directions.
type Stream interface {
	// Read returns the next message, which is the caller's to keep, or the
	// error that ends the connection. Beside an error no message is looked at:
	// what came last was cut off. It is called by one goroutine.
	Read() ([]byte, error)

	// Write writes p, which holds one or more messages, each of them one line
	// that ends with a line feed. It is called by one goroutine.
	Write(p []byte) (int, error)

	// Close ends the stream, makes a Read or Write that is waiting return, and
	// frees what the stream holds. It is called once, beside Read and Write, and
	// returns within five seconds: a connection doesn't wait for it much longer.
	Close() error
}

// A TryWriter is a [Stream] that can also write without waiting for the peer.
// A call that is alone on its connection does that on its own goroutine.
type TryWriter interface {
	// TryWrite writes as much of p as it can at once, maybe nothing, and
	// returns how much that was. It is never called beside Write.
	TryWrite(p []byte) (int, error)
}
