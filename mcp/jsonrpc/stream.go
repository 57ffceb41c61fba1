package jsonrpc

// A Stream carries messages in both directions.
type Stream interface {
	// Read returns the next message, which is the caller's to keep. It is
	// called by one goroutine.
	Read() ([]byte, error)

	// Write writes p, which holds one or more messages, each of them one line
	// that ends with a line feed. It is called by one goroutine.
	Write(p []byte) (int, error)

	// Close ends the stream, makes a Read or Write that is waiting return, and
	// frees what the stream holds. It is called once.
	Close() error
}
