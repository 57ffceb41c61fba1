package testserver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
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
	// Otherwise a process with the race detector sleeps before it exits.
	race := "GORACE=atexit_sleep_ms=0 " + os.Getenv("GORACE")
	return []string{program}, []string{envName + "=" + encode(o), race}
}

// Main runs the server on standard input and output and exits, if the process
// was started by a [Command]. Otherwise it returns.
func Main() {
	text, ok := os.LookupEnv(envName)
	if !ok {
		return
	}
	o, err := decodeOptions(text)
	if err != nil {
		fmt.Fprintf(os.Stderr, "testserver: %s: %v\n", envName, err)
		os.Exit(2)
	}
	if o.Fault == holder {
		time.Sleep(10 * o.Delay)
		os.Exit(0)
	}
	o.Report = func(what string) { fmt.Fprintln(os.Stderr, "testserver: violation:", what) }
	s := New(o)
	s.process = true
	s.tools = append(s.tools, tool{name: "process", title: "Process", hints: readOnly, run: (*call).describe,
		description: "Describes the process: its id, working directory and the names of environment variables."})
	t := s.newStream(os.Stdin, os.Stdout)
	t.stderr = os.Stderr
	t.die = func() { os.Exit(3) }
	if err := t.serve(); err != nil {
		fmt.Fprintln(os.Stderr, "testserver:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// encode returns the options that a child needs.
func encode(o *Options) string {
	if o == nil {
		o = &Options{}
	}
	b, err := wire.AppendValue(nil, map[string]any{
		"ProtocolVersions": o.ProtocolVersions,
		"Fault":            o.Fault,
		"Delay":            int64(o.Delay),
		"Size":             o.Size,
		"Without":          o.Without,
		"PageSize":         o.PageSize,
		"Tools":            o.Tools,
		"HeaderTool":       o.HeaderTool,
		"Tasks":            o.Tasks,
	})
	if err != nil {
		return err.Error() // unreachable: all values have a JSON form
	}
	return string(b)
}

func decodeOptions(text string) (*Options, error) {
	o := &Options{}
	r := wire.NewReader([]byte(text))
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "ProtocolVersions":
			o.ProtocolVersions = decodeTexts(&r)
		case "Fault":
			o.Fault = r.String()
		case "Delay":
			o.Delay = time.Duration(r.Int())
		case "Size":
			o.Size = int(r.Int())
		case "Without":
			o.Without = decodeTexts(&r)
		case "PageSize":
			o.PageSize = int(r.Int())
		case "Tools":
			o.Tools = int(r.Int())
		case "HeaderTool":
			o.HeaderTool = r.Bool()
		case "Tasks":
			o.Tasks = r.Bool()
		default:
			r.Fail(errors.New("unknown option"))
		}
	}
	return o, r.End()
}

func decodeTexts(r *wire.Reader) (list []string) {
	if r.Null() {
		return nil
	}
	for r.Array(); r.More(); {
		list = append(list, r.String())
	}
	return list
}

// linger outlives the end of standard input.
func (t *stream) linger() {
	if t.srv.process {
		t.wait(maxLife)
	}
}

func ignoreSignals() { signal.Ignore(syscall.SIGTERM, os.Interrupt) }

// spawn starts a process that holds the pipes of this one.
func (t *stream) spawn(prepare func(*exec.Cmd)) {
	if !t.srv.process {
		return
	}
	args, env := Command(&Options{Fault: holder, Delay: t.srv.opts.Delay})
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
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
