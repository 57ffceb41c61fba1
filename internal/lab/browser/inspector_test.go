package browser

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A workbench is a program with a page on which the author of a server tries it out.
type workbench struct {
	name  string
	args  []string
	ready string   // part of the line that has the URL
	steps []string // what is clicked before the tools are listed, as soon as it is there
	shown string   // whether they are
	files []string // what has to be on the disk
}

// TestBesideInspector prints the figures of mcpecho ui and of the Inspector as a table, from
// runs in turn, with the same Chromium and the same server. STDMCP_INSPECTOR names a folder
// with the Inspector's packages.
func TestBesideInspector(t *testing.T) {
	folder := os.Getenv("STDMCP_INSPECTOR")
	if folder == "" {
		t.Skip("scripts/bench inspector installs the Inspector")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	mcpecho, err := build()
	if err != nil {
		t.Fatal(err)
	}
	all := []workbench{
		{"mcpecho ui", []string{mcpecho, "ui", "--no-state", "--", mcpecho, "serve"}, "http://", nil, `document.querySelector('[data-item="tool ask_stateless"]')`, []string{mcpecho}},
		{"Inspector", []string{node, filepath.Join(folder, "@modelcontextprotocol/inspector/clients/launcher/build/index.js"), mcpecho, "serve"}, "?MCP_INSPECTOR_API_TOKEN=",
			[]string{`document.querySelector('[role=switch]')`, `[...document.querySelectorAll('button,label')].find((e) => e.textContent.startsWith('Tools'))`},
			`document.body.innerText.includes('ask_stateless')`, []string{node, folder}},
	}
	c := browserFor(t)
	const runs = 5
	best, memory := make([]time.Duration, len(all)), make([]int, len(all))
	for range runs {
		for i, b := range all {
			took, bytes := b.run(t, c)
			if best[i] == 0 || took < best[i] {
				best[i] = took
			}
			memory[i] = max(memory[i], bytes)
		}
	}
	fmt.Printf("| | from the command to the first list, best of %d | memory of all processes, with the server | on disk, with its runtime |\n|---|--:|--:|--:|\n", runs)
	for i, b := range all {
		size := 0
		for _, path := range b.files {
			size += onDisk(t, path)
		}
		fmt.Printf("| %s | %d ms | %d MB | %d MB |\n", b.name, best[i].Milliseconds(), memory[i]>>20, size/1e6)
	}
	if best[0] > best[1] || memory[0] > memory[1] {
		t.Error("the Inspector is better")
	}
}

// run measures one start in a new profile.
func (b *workbench) run(t *testing.T, c *Chromium) (took time.Duration, memory int) {
	t.Helper()
	cmd := exec.Command(b.args[0], b.args[1:]...)
	cmd.Env = append(os.Environ(), "MCP_AUTO_OPEN_ENABLED=false", "HOME="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), b.ready) {
	}
	url := strings.TrimSpace(lines.Text())
	if url == "" {
		t.Fatalf("%s printed no URL: %v", b.name, lines.Err())
	}
	p := newTester(t, c, true)
	p.must(p.Resize(1280, 800, 1))
	p.open(url)
	for _, step := range b.steps {
		p.await(step)
		p.run(step + `.click()`)
	}
	p.await(b.shown)
	took, memory = time.Since(began), family(t, cmd.Process.Pid)
	p.must(p.Close())
	return took, memory
}

// family returns the memory of a process and of those that it has started.
func family(t *testing.T, pid int) int {
	t.Helper()
	sum := resident(t, pid)
	children, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, path := range children {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		for _, word := range strings.Fields(string(data)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			sum += family(t, child)
		}
	}
	return sum
}

// onDisk returns the bytes of a file, or of all files in a folder.
func onDisk(t *testing.T, path string) (sum int) {
	t.Helper()
	err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += int(info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
