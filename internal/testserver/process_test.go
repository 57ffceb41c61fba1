//go:build unix

package testserver

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// child starts the test binary as a server.
func child(t *testing.T, o *Options) (cmd *exec.Cmd, stdin io.WriteCloser, stdout *bufio.Reader, stderr *strings.Builder) {
	t.Helper()
	args, env := Command(o)
	cmd = exec.Command(args[0], args[1:]...)
	cmd.Env = append(cmd.Environ(), env...)
	stderr = &strings.Builder{}
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	return cmd, stdin, bufio.NewReader(out), stderr
}

// ask sends a line and returns the next.
func ask(t *testing.T, stdin io.Writer, stdout *bufio.Reader, line string) string {
	t.Helper()
	if _, err := io.WriteString(stdin, line+"\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := stdout.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestChildExitsAtStart(t *testing.T) {
	cmd, _, _, stderr := child(t, &Options{Fault: "exits-at-start"})
	_ = cmd.Wait()
	if cmd.ProcessState.ExitCode() != 3 || stderr.String() != "fatal: no configuration file\n" {
		t.Errorf("exit %d, stderr %q", cmd.ProcessState.ExitCode(), stderr)
	}
}

func TestChildDiesMidCall(t *testing.T) {
	cmd, stdin, _, stderr := child(t, &Options{Fault: "dies-mid-call"})
	_, _ = io.WriteString(stdin, echoCall+"\n")
	_ = cmd.Wait()
	if cmd.ProcessState.ExitCode() != 3 || stderr.String() != "fatal: out of luck\n" {
		t.Errorf("exit %d, stderr %q", cmd.ProcessState.ExitCode(), stderr)
	}
}

func TestChildIgnoresEOFAndSIGTERM(t *testing.T) {
	cmd, stdin, stdout, _ := child(t, &Options{Fault: "ignores-eof"})
	ask(t, stdin, stdout, echoCall)
	stdin.Close()
	_ = cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the child
	select {
	case err := <-ended:
		t.Error("the child ended:", err)
	case <-time.After(50 * time.Millisecond):
		_ = cmd.Process.Kill()
		<-ended
	}
}

func TestGrandchildHoldsThePipes(t *testing.T) {
	for _, fault := range []string{"grandchild", "grandchild-escapes"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			cmd, stdin, stdout, _ := child(t, &Options{Fault: fault, Delay: 100 * time.Millisecond})
			ask(t, stdin, stdout, echoCall)
			stdin.Close()
			start := time.Now()
			if _, err := cmd.Process.Wait(); err != nil {
				t.Fatal(err)
			}
			gone := time.Since(start)
			if _, err := stdout.ReadByte(); err != io.EOF {
				t.Fatal(err)
			}
			if held := time.Since(start) - gone; held < 50*time.Millisecond {
				t.Errorf("the pipes were held for %v after the child had ended", held)
			}
			_ = cmd.Wait()
		})
	}
}

func TestProcessToolDescribesTheChild(t *testing.T) {
	_, stdin, stdout, _ := child(t, nil)
	answer := ask(t, stdin, stdout, strings.Replace(echoCall, `"echo"`, `"process"`, 1))
	if !strings.Contains(answer, envName) || !strings.Contains(answer, `"dir":"`) {
		t.Error(answer)
	}
}
