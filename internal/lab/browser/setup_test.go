package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// built is the folder of the program under test.
var built string

func TestMain(m *testing.M) {
	mcptest.Main(programs)
	os.Exit(inFolder(m))
}

func inFolder(m *testing.M) int {
	folder, err := os.MkdirTemp("", "browser")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	built = folder
	return m.Run()
}

var build = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built, "mcpecho")
	cmd := exec.Command("go", "build", "-o", path, "./cmd/mcpecho")
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &exec.ExitError{Stderr: out}
	}
	return path, nil
})

// An app is a "mcpecho ui" that runs.
type app struct {
	url     string // with the token
	address string // HOST:PORT
	cmd     *exec.Cmd
	took    time.Duration // until the URL was printed
}

// startUI starts mcpecho ui for a server of programs. Further environment variables are
// for the server, and paths are watched.
func startUI(t *testing.T, server string, env []string, paths ...string) *app {
	t.Helper()
	mcpecho, err := build()
	if err != nil {
		t.Fatalf("cannot build mcpecho: %v", err)
	}
	p := mcptest.Command(t, server)
	args := append([]string{"ui", "--no-state"}, paths...)
	for _, e := range append(p.Env, env...) {
		args = append(args, "-e", e)
	}
	return startProgram(t, exec.Command(mcpecho, append(append(args, "--", p.Path), p.Args...)...))
}

func startProgram(t *testing.T, cmd *exec.Cmd) *app {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	a := &app{url: strings.TrimSpace(line), cmd: cmd, took: time.Since(began)}
	a.address, _, _ = strings.Cut(strings.TrimPrefix(a.url, "http://"), "/")
	return a
}

// browserFor starts a Chromium for a test, or skips the test without one.
func browserFor(t *testing.T, flags ...string) *Chromium {
	t.Helper()
	path := Find()
	if path == "" {
		t.Skip("there is no Chromium; scripts/test tools chromium installs it")
	}
	c, err := Start(path, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// A tester drives a page, and ends the test at the first error.
type tester struct {
	*Page
	t *testing.T
}

func newTester(t *testing.T, c *Chromium, separate bool) *tester {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
	t.Cleanup(cancel)
	p, err := c.Open(ctx, separate)
	if err != nil {
		t.Fatal(err)
	}
	return &tester{p, t}
}

func (p *tester) must(err error) {
	if err != nil {
		p.t.Helper()
		p.t.Fatal(err)
	}
}

func (p *tester) open(url string)         { p.t.Helper(); p.must(p.Go(url)) }
func (p *tester) await(expression string) { p.t.Helper(); p.must(p.Await(expression)) }
func (p *tester) click(selector string)   { p.t.Helper(); p.must(p.Click(selector)) }
func (p *tester) press(key string, m int) { p.t.Helper(); p.must(p.Press(key, m)) }
func (p *tester) run(expression string)   { p.t.Helper(); p.must(p.Eval(expression, nil)) }
func (p *tester) typeIn(text string)      { p.t.Helper(); p.must(p.Type(text)) }

// shows waits until an element contains a text.
func (p *tester) shows(selector, text string) {
	p.t.Helper()
	a, _ := json.Marshal(selector)
	b, _ := json.Marshal(text)
	p.await(`[...document.querySelectorAll(` + string(a) + `)].some((e) => e.textContent.includes(` + string(b) + `) || e.value?.includes?.(` + string(b) + `))`)
}

// choose opens an item of the list.
func (p *tester) choose(kind, name string) {
	p.t.Helper()
	p.click(item(kind, name))
	quoted, _ := json.Marshal(kind + " " + name)
	p.await(`document.querySelector('#item').dataset.open === ` + string(quoted))
}

// item returns the selector of an item of the list.
func item(kind, name string) string {
	return `[data-item="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(kind+" "+name) + `"]`
}

// clean fails the test for errors of the page, and scripts of a server.
func (p *tester) clean() {
	p.t.Helper()
	for _, problem := range p.Problems() {
		if strings.Contains(problem, "status of 422") {
			continue // a mistake that the page shows
		}
		p.t.Errorf("the page reports %s", problem)
	}
	for _, dialog := range p.Dialogs() {
		p.t.Errorf("the page ran a script: %s", dialog)
	}
}
