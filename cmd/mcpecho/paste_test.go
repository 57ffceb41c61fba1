package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runPasted runs a line in a real shell, in which mcpecho is this program.
func runPasted(t *testing.T, line string) (output string, status int) {
	t.Helper()
	bin := filepath.Join(os.Getenv("HOME"), "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(bin, "mcpecho")
	if _, err := os.Lstat(link); err != nil {
		if err := os.Symlink(mcpechoPath(t), link); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0", "API_TOKEN=hunter2hunter2")
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

// TestSuggestionsCanBePasted runs what mcpecho tells the user to type.
func TestSuggestionsCanBePasted(t *testing.T) {
	if !apart(t) {
		return
	}
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no /bin/sh here")
	}
	web := webServer(t, nil, nil)
	token := tokenServer(t, "hunter2hunter2")
	t.Setenv("API_TOKEN", "hunter2hunter2")
	inProject(t, map[string]string{"it's my.json": `{"mcpServers":{"a b$(touch owned)":SERVER,"web":{"url":"` + web.URL + `"}}}`})
	for _, test := range []struct {
		args   []string
		status int // of the suggestion
	}{
		{[]string{"tols", "mine"}, 0},
		{[]string{"call", "mine", "ehco", "message=it's \"$(touch owned)\" `touch owned`"}, 0},
		{[]string{"call", "a b$(touch owned)", "ehco", "message=hi", "-c", "it's my.json"}, 0},
		{[]string{"call", "echo", "mesage=a b", "-e", "A=b c", "--cwd", "/", "--", "mcpecho", "serve"}, 0},
		{[]string{"call", token + "/mcp", "ehco", "message=hi", "-H", "Authorization: Bearer hunter2hunter2"}, 0},
		{[]string{"tools", web.Base}, 0},
		{[]string{"read", "mine", "echo://tetx"}, 0},
		{[]string{"prompt", "mine", "review", "langage=go lang"}, 0},
		{[]string{"info", "mine", "\x1b[2Jecho"}, 0},
	} {
		o := runCommand(t, test.args...)
		_, line, ok := strings.Cut(o.stderr, "type: ")
		line, _, _ = strings.Cut(line, "\n")
		if !ok || o.status == 0 || strings.Contains(o.stderr, "hunter2") {
			t.Errorf("%q: %+v", test.args, o)
			continue
		}
		if output, status := runPasted(t, line); status != test.status {
			t.Errorf("%q suggests\n%s\nstatus %d: %s", test.args, line, status, output)
		}
		if _, err := os.Stat("owned"); err == nil {
			t.Fatalf("%s ran a command", line)
		}
	}
}

// TestTryItCanBePasted runs the example of every tool's description.
func TestTryItCanBePasted(t *testing.T) {
	if !apart(t) {
		return
	}
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no /bin/sh here")
	}
	inProject(t, nil)
	for name := range strings.Lines(runCommand(t, "tools", "mine").stdout) {
		name, _, _ = strings.Cut(name, "\t")
		for _, way := range [][]string{{"mine"}, {"-e", "X=a b", "--", "mcpecho", "serve"}} {
			args := append([]string{"info", way[0], name}, way[1:]...)
			if way[0] == "-e" {
				args = append([]string{"info", name}, way...)
			}
			_, line, ok := strings.Cut(runCommand(t, args...).stdout, "Try it\n  ")
			line, _, _ = strings.Cut(line, "\n")
			if !ok || strings.HasPrefix(name, "slow") {
				continue
			}
			if output, status := runPasted(t, strings.ReplaceAll(line, "…", "x")); status != 0 && !strings.HasPrefix(name, "fail") && !strings.HasPrefix(name, "ask") && !strings.HasPrefix(name, "image") {
				t.Errorf("%s\nstatus %d: %s", line, status, output)
			}
		}
	}
}
