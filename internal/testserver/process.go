package testserver

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// envName is the environment variable that turns a test binary into a server.
const envName = "STDMCP_TESTSERVER"

// holder is the fault of a process that only keeps its pipes open.
const holder = "holds-pipes"

// maxLife limits the life of a child that ignores the end of its input, in case
// a test fails to kill it.
const maxLife = time.Minute

// Command returns the command line that starts the test binary as a server, and
// the environment variables to add. TestMain must call [Main]. The child writes
// violations to its standard error.
func Command(o *Options) (args, env []string) {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	options, _ := json.Marshal(o) // without Report, every value has a JSON form
	// Otherwise a process with the race detector sleeps before it exits.
	race := "GORACE=atexit_sleep_ms=0 " + os.Getenv("GORACE")
	return []string{program}, []string{envName + "=" + string(options), race}
}

// Main runs the server on standard input and output and exits, if the process
// was started by a [Command]. Otherwise it returns.
func Main() {
	text, ok := os.LookupEnv(envName)
	if !ok {
		return
	}
	o := &Options{}
	if err := json.Unmarshal([]byte(text), o); err != nil {
		fmt.Fprintf(os.Stderr, "testserver: %s: %v\n", envName, err)
		os.Exit(2)
	}
	if o.Fault == holder {
		time.Sleep(10 * o.Delay)
		os.Exit(0)
	}
	o.Report = func(what string, _ []byte) { fmt.Fprintln(os.Stderr, "testserver: violation:", what) }
	o.process = true
	s := New(o)
	if err := s.ServeProcess(); err != nil {
		fmt.Fprintln(os.Stderr, "testserver:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// ServeProcess serves a session on standard input and output. A server whose
// fault is to exit ends the process with the status 3.
func (s *Server) ServeProcess() error {
	t := s.newStream(os.Stdin, os.Stdout)
	t.stderr, t.die = os.Stderr, func() { os.Exit(3) }
	return t.serve()
}

// linger outlives the end of standard input.
func (t *stream) linger() {
	if t.srv.opts.process {
		t.wait(maxLife)
	}
}

func ignoreSignals() { signal.Ignore(syscall.SIGTERM, os.Interrupt) }

// spawn starts a process that holds the pipes of this one.
func (t *stream) spawn(prepare func(*exec.Cmd)) {
	if !t.srv.opts.process {
		return
	}
	program, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testserver: grandchild:", err)
		return
	}
	cmd := exec.Command(program)
	// Not by Command, so that programs that only serve do not link encoding/json.
	cmd.Env = append(os.Environ(), envName+`={"Fault":"`+holder+`","Delay":`+itoa(int(t.srv.opts.Delay))+"}")
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
