package testserver

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ChildEnv is the environment variable that turns a test binary into a server. Its
// value is the JSON form of [Options]. Package childserver reads and writes it.
const ChildEnv = "STDMCP_TESTSERVER"

// holder is the fault of a process that only keeps its pipes open.
const holder = "holds-pipes"

// maxLife limits the life of a child that ignores the end of its input, in case
// a test fails to kill it.
const maxLife = time.Minute

// ServeProcess serves a session on standard input and output. A server whose
// fault is to exit ends the process with the status 3.
func (s *Server) ServeProcess() error {
	if s.opts.Fault == holder {
		time.Sleep(10 * s.opts.Delay)
		return nil
	}
	t := s.newStream(os.Stdin, os.Stdout)
	t.stderr, t.die = os.Stderr, func() { os.Exit(3) }
	return t.serve()
}

// linger outlives the end of standard input.
func (t *stream) linger() {
	if t.srv.opts.Child {
		t.wait(maxLife)
	}
}

func ignoreSignals() { signal.Ignore(syscall.SIGTERM, os.Interrupt) }

// spawn starts a process that holds the pipes of this one.
func (t *stream) spawn(prepare func(*exec.Cmd)) {
	if !t.srv.opts.Child {
		return
	}
	program, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testserver: grandchild:", err)
		return
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), ChildEnv+`={"Fault":"`+holder+`","Delay":`+itoa(int(t.srv.opts.Delay))+"}")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	prepare(cmd)
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "testserver: grandchild:", err)
	}
}

// describe is the tool process, which only child processes have.
func (c *call) describe(*fields) {
	dir, err := os.Getwd()
	if err != nil {
		c.toolError(err.Error())
		return
	}
	var names []string
	for _, v := range os.Environ() {
		names = append(names, strings.SplitN(v, "=", 2)[0])
	}
	slices.Sort(names)
	result := `{"pid":` + itoa(os.Getpid()) + `,"dir":` + quote(dir) + `,"environment":` + quoteAll(names) + "}"
	c.result(`"content":[` + textBlock(result) + `],"structuredContent":` + result)
}
