package host_test

import (
	"io"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// scripted returns what opens a stream to a server that answers by method, as
// testserver.Replies has it, with what answers returns at the time.
func scripted(answers func() map[string]string) func() (io.ReadWriteCloser, error) {
	return func() (io.ReadWriteCloser, error) {
		return testserver.Script(func(line string) []string { return testserver.Replies(answers())(line) }).Pipe(), nil
	}
}
