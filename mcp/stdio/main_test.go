package stdio

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// The servers of these tests are the test binary itself, which does what this
// variable names instead of running tests.
const childVar = "STDIO_TEST_CHILD"

var children = map[string]func(args []string){
	"echo":     func([]string) { answerLines(os.Stdin, os.Stdout) },
	"exit":     exitChild,
	"last":     lastWordsChild,
	"deaf":     func([]string) { fmt.Println("{}"); forever() },
	"stubborn": stubbornChild,
	"launcher": launcherChild,
	"stderr":   stderrChild,
	"write":    func(args []string) { io.WriteString(os.Stdout, args[0]) },
	"endless":  func([]string) { endless(os.Stdout) },
	"mute":     func([]string) { os.Stdout.Close(); fmt.Fprintln(os.Stderr, "hush"); io.Copy(io.Discard, os.Stdin) },
	"env":      envChild,
	"client":   clientChild,
}

func TestMain(m *testing.M) {
	testutil.LimitDepth()
	childserver.Main() // the server of an example
	if mode := os.Getenv(childVar); mode != "" {
		children[mode](os.Args[1:])
		os.Exit(0)
	}
	testutil.Main(m)
}

// child returns a Transport for one of children.
func child(mode string, args ...string) *Transport {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0] // a system without programs refuses to start it
	}
	t := Command(exe, args...)
	// With the race detector a program takes a second to exit, unless told so.
	t.Env = []string{childVar + "=" + mode, "GORACE=atexit_sleep_ms=0"}
	return t
}

// answerLines answers each request with its params.
func answerLines(r io.Reader, w io.Writer) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, buffers.MaxMessage)
	for s.Scan() {
		if m, err := jsonrpc.Parse(s.Bytes()); err == nil && m.IsRequest() {
			if m.Params == nil {
				m.Params = []byte("null")
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, m.Params)
		}
	}
}

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

// exitChild writes its second argument to stderr and exits with the first.
func exitChild(args []string) {
	fmt.Fprintln(os.Stderr, args[1])
	status, _ := strconv.Atoi(args[0])
	os.Exit(status)
}

// lastWords is the number of messages that lastWordsChild writes before it
// exits. A pipe must have room for them: 4 KiB on Windows, 64 KiB elsewhere.
var lastWords = 600

func init() {
	if runtime.GOOS == "windows" {
		lastWords = 30
	}
}

// lastWordsChild writes as much as a pipe holds and exits at once.
func lastWordsChild([]string) {
	bufio.NewReader(os.Stdin).ReadString('\n')
	os.Stdout.WriteString(strings.Repeat(`{"n":"`+strings.Repeat("x", 90)+"\"}\n", lastWords))
	os.Exit(7)
}

// stubbornChild does nothing that it is asked to.
func stubbornChild([]string) {
	signal.Ignore(syscall.SIGTERM)
	fmt.Printf("{\"pid\":%d}\n", os.Getpid())
	forever()
}

// launcherChild starts another child, says so, and exits at the end of stdin.
// With "gone" it exits at once. With "escape" the other one leaves the group.
func launcherChild(args []string) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"=stubborn")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if len(args) > 1 && args[1] == "escape" {
		escape(cmd)
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if args[0] == "stay" {
		io.Copy(io.Discard, os.Stdin)
	} else {
		bufio.NewReader(os.Stdin).ReadString('\n')
	}
	os.Exit(3)
}

// stderrChild writes so many lines of 64 bytes to stderr, then answers.
func stderrChild(args []string) {
	n, _ := strconv.Atoi(args[0])
	w := bufio.NewWriterSize(os.Stderr, 64<<10)
	for i := range n {
		fmt.Fprintf(w, "%063d\n", i)
	}
	w.Flush()
	answerLines(os.Stdin, os.Stdout)
}

func endless(w io.Writer) {
	b := []byte("{" + strings.Repeat(" ", 1<<20))
	for {
		if _, err := w.Write(b); err != nil {
			os.Exit(0)
		}
		b[0] = ' '
	}
}

func envChild([]string) {
	for _, v := range os.Environ() {
		fmt.Printf("{%q}\n", v)
	}
	dir, _ := os.Getwd()
	fmt.Printf("{%q}\n", "cwd "+dir)
}

// clientChild is a client of this package: it starts a stubborn server, passes
// on the pid that the server prints, and is killed.
func clientChild([]string) {
	p, err := child("stubborn").start(context.Background(), jsonrpc.Handler{})
	if err != nil {
		panic(err)
	}
	msg, _ := p.Read()
	fmt.Printf("%s\n", msg)
	forever()
}
