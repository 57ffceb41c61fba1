package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// A uiRun is a run of "mcpecho ui".
type uiRun struct {
	url    *url.URL
	status chan int
	cancel context.CancelFunc
	took   time.Duration // until the URL was printed
}

func startUI(t *testing.T, args ...string) *uiRun {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	r := &uiRun{status: make(chan int, 1), cancel: cancel}
	began := time.Now()
	go func() { // ends with ctx
		defer in.Close()
		r.status <- run(ctx, serverArgs(t, args), &environment{stdin: strings.NewReader(""), stdout: in, stderr: io.Discard, getenv: func(string) string { return "" }, self: mcpechoPath(t), name: "mcpecho"})
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	r.took = time.Since(began)
	if r.url, err = url.Parse(strings.TrimSpace(line)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		out.Close()
	})
	return r
}

// events reads the event stream until a line contains text.
func (r *uiRun) events(t *testing.T, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testutil.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", "http://"+r.url.Host+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Mcpecho-Token", r.url.Fragment)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.Contains(lines.Text(), text) {
			return
		}
	}
	t.Fatalf("no event with %s: %v", text, lines.Err())
}

func TestUIServesItsPageUntilItIsInterrupted(t *testing.T) {
	t.Parallel()
	r := startUI(t, "ui", "--no-state", "--", "mcpecho", "serve")
	if r.url.Hostname() != "127.0.0.1" || len(r.url.Fragment) < 26 {
		t.Errorf("the URL is %s", r.url)
	}
	r.events(t, `"name":"echo"`)
	r.cancel()
	if status := <-r.status; status != failure.Interrupted {
		t.Errorf("after an interrupt the status is %d", status)
	}
	if res, err := http.Get("http://" + r.url.Host + "/"); err == nil {
		res.Body.Close()
		t.Error("the page is still served")
	}
}

// TestUIStartsTheServerAgain when a file changes that its command names.
func TestUIStartsTheServerAgain(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	path := filepath.Join(t.TempDir(), "server.sh")
	if err := os.WriteFile(path, []byte("echo 'no KEY' >&2; exit 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := startUI(t, "ui", "--no-state", "--", "sh", path)
	r.events(t, `no KEY`)
	if err := os.WriteFile(path, []byte("exec '"+mcpechoPath(t)+"' serve\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.events(t, `"name":"echo"`)
	r.cancel()
	<-r.status
}

// TestUINamesTheLogin that the server demands.
func TestUINamesTheLogin(t *testing.T) {
	t.Parallel()
	url := tokenServer(t, "hunter2hunter2")
	r := startUI(t, "ui", "--no-state", url+"/mcp")
	r.events(t, "or type: mcpecho login "+url+"/mcp")
	r.cancel()
	<-r.status
}

func TestUIRefusesPathsThatDoNotExist(t *testing.T) {
	t.Parallel()
	o := runCommand(t, "ui", "nowhere", "--", "mcpecho", "serve")
	if o.status != failure.Usage || !strings.Contains(o.stderr, "nowhere") {
		t.Errorf("%+v", o)
	}
}

// TestUIAtAFixedPort of this machine.
func TestUIAtAFixedPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	testutil.Must(t, err)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if o := runCommand(t, "ui", "--no-state", "--http", port, "--", "mcpecho", "serve"); o.status != failure.Usage || !strings.Contains(o.stderr, "use another port") {
		t.Errorf("%+v", o)
	}
	testutil.Must(t, l.Close())
	r := startUI(t, "ui", "--no-state", "--http", "localhost:"+port, "--", "mcpecho", "serve")
	if r.url.Host != "127.0.0.1:"+port {
		t.Errorf("the URL is %s", r.url)
	}
	r.cancel()
	<-r.status
	for _, address := range []string{"0.0.0.0:" + port, ":" + port, "192.0.2.1:" + port} {
		if o := runCommand(t, "ui", "--no-state", "--http", address, "--", "mcpecho", "serve"); o.status != failure.Usage || !strings.Contains(o.stderr, "only this machine") {
			t.Errorf("%s: %+v", address, o)
		}
	}
}
