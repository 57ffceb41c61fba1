//go:build !unix

package stdio

import (
	"os"

	"github.com/stdmcp/stdmcp/internal/retry"
)

// A rawWriter does not exist on these systems, where a write may block.
type rawWriter struct{}

func newRawWriter(*os.File) *rawWriter { return nil }

// TryWrite writes nothing.
func (p *process) TryWrite([]byte) (int, error) { return 0, nil }

// closeInput closes the file that Write writes to, and returns a function that waits
// until it is closed. Closing waits for a Write that begins at that moment; on Windows,
// only the end of the child ends such a Write.
func closeInput(f *os.File) (wait func()) {
	closed := make(chan struct{})
	go func() { // ends with the Write
		_ = f.Close()
		close(closed)
	}()
	return func() { retry.Await(closed, closeWait) }
}
