//go:build unix

package testserver

import (
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
)

// child starts the test binary as a server.
func child(t *testing.T, o *Options) (p *process.Process, stderr *strings.Builder) {
	t.Helper()
	args, env := Command(o)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(cmd.Environ(), env...)
	stderr = &strings.Builder{}
	cmd.Stderr = stderr
	p, err := process.Start(cmd)
	testutil.Must(t, err)
	t.Cleanup(func() {
		p.Kill()
		_ = p.Wait()
	})
	return p, stderr
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

func TestChildExits(t *testing.T) {
	for fault, want := range map[string]string{
		"exits-at-start": "fatal: no configuration file\n",
		"dies-mid-call":  "fatal: out of luck\n",
	} {
		p, stderr := child(t, &Options{Fault: fault})
		_, _ = io.WriteString(p.In, echoCall+"\n")
		_ = p.Wait()
		if p.ProcessState.ExitCode() != 3 || stderr.String() != want {
			t.Errorf("%s: exit %d, stderr %q", fault, p.ProcessState.ExitCode(), stderr)
		}
	}
}

func TestChildIgnoresEOFAndSIGTERM(t *testing.T) {
	p, _ := child(t, &Options{Fault: "ignores-eof"})
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
			p, _ := child(t, &Options{Fault: fault, Delay: 100 * time.Millisecond})
			ask(t, p, echoCall)
			p.In.Close()
			start := time.Now()
			if _, err := p.Process.Wait(); err != nil {
				t.Fatal(err)
			}
			gone := time.Since(start)
			if _, err := p.Out.ReadByte(); err != io.EOF {
				t.Fatal(err)
			}
			if held := time.Since(start) - gone; held < 50*time.Millisecond {
				t.Errorf("the pipes were held for %v after the child had ended", held)
			}
		})
	}
}

func TestProcessToolDescribesTheChild(t *testing.T) {
	p, _ := child(t, nil)
	answer := ask(t, p, strings.Replace(echoCall, `"echo"`, `"process"`, 1))
	if !strings.Contains(answer, envName) || !strings.Contains(answer, `"dir":"`) {
		t.Error(answer)
	}
}
