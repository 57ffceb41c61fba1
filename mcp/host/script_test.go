package host_test

import (
	"io"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// scripted returns a function that opens a stream to a server that responds to
// each method with the result of answers, as testserver.Replies does.
func scripted(answers func() map[string]string) func() (io.ReadWriteCloser, error) {
	return func() (io.ReadWriteCloser, error) {
		return testserver.Script(func(line string) []string { return testserver.Replies(answers())(line) }).Pipe(), nil
	}
}
