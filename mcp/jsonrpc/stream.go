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
