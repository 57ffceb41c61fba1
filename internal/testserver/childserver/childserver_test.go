//go:build unix

package childserver

import (
	"io"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
)

// start starts the test binary as a server.
func start(t *testing.T, o *testserver.Options) *process.Process {
	t.Helper()
	args, env := Command(o)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(cmd.Environ(), env...)
	p, err := process.Start(cmd)
	testutil.Must(t, err)
	t.Cleanup(func() {
		p.Kill()
		_ = p.Wait()
	})
	return p
}

// ask sends a line and returns the next.
func ask(t *testing.T, p *process.Process, line string) string {
	t.Helper()
	if _, err := io.WriteString(p.In, line+"\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := p.Line()
	testutil.Must(t, err)
	return answer
}

const echoCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",` +
	`"arguments":{"message":"hi"},` + `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{}}}}`

func TestChildIgnoresEOFAndSIGTERM(t *testing.T) {
	p := start(t, &testserver.Options{Fault: "ignores-eof"})
	ask(t, p, echoCall)
	p.In.Close()
	_ = p.Process.Signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }() // ends with the child
	select {
	case err := <-ended:
		t.Error("the child ended:", err)
	case <-time.After(50 * time.Millisecond):
		p.Kill()
		<-ended
	}
}

func TestGrandchildHoldsThePipes(t *testing.T) {
	for _, fault := range []string{"grandchild", "grandchild-escapes"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			held := time.Duration(0)
			// On a busy machine, the test may notice the end of the child late.
			for delay := 100 * time.Millisecond; held < delay/2; delay *= 4 {
				if delay > testutil.Timeout {
					t.Fatalf("the pipes were held for %v after the child had ended", held)
				}
				p := start(t, &testserver.Options{Fault: fault, Delay: delay})
				ask(t, p, echoCall)
				p.In.Close()
				if _, err := p.Process.Wait(); err != nil {
					t.Fatal(err)
				}
				gone := time.Now()
				if _, err := p.Out.ReadByte(); err != io.EOF {
					t.Fatal(err)
				}
				held = time.Since(gone)
			}
		})
	}
}
