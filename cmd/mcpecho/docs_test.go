package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/serve"
)

// documentedCommands returns what README, the documents and the help texts show
// of this program, without its name.
func documentedCommands(t *testing.T) (lines []string) {
	t.Helper()
	paths := []string{"../../README.md"}
	err := filepath.WalkDir("../../docs", func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^(?:    |\t)mcpecho(?: (.*))?$`).FindAllStringSubmatch(string(text), -1) {
			lines = append(lines, m[1])
		}
		// Within a sentence, a command alone is just its name.
		for _, m := range regexp.MustCompile("`mcpecho ([^`]* [^`]*)`").FindAllStringSubmatch(string(text), -1) {
			lines = append(lines, m[1])
		}
	}
	for _, c := range commands() {
		lines = append(lines, c.example...)
	}
	return lines
}

// TestDocumentedCommandsWork runs each of them; a server that is not here is
// replaced by the echo server.
func TestDocumentedCommandsWork(t *testing.T) {
	lines := documentedCommands(t) // reads files, of which go test knows only here
	if !apart(t) {
		return
	}
	web, err := serve.Start("127.0.0.1:0", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	t.Chdir(t.TempDir())
	config := `{"mcpServers": {"weather": {"command": "` + filepath.ToSlash(mcpechoPath(t)) + `", "args": ["serve"], "env": {"GORACE": "atexit_sleep_ms=0"}}}}`
	home := filepath.Join(os.Getenv("HOME"), ".mcp.json")
	if err := os.Mkdir(".cursor", 0o700); err != nil {
		t.Fatal(err)
	}
	places := map[string]string{home: config, "other.json": config, ".mcp.json": "{}", filepath.Join(".cursor", "mcp.json"): strings.Replace(config, "weather", "files", 1)}
	defer os.Remove(home)
	restore := func() { // what the last command may have changed
		for name, text := range places {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	here := strings.NewReplacer(
		"npx -y @modelcontextprotocol/server-everything stdio", "mcpecho serve", "npx -y @playwright/mcp", "mcpecho serve",
		"https://example.com/mcp", web.URL, "http://127.0.0.1:3001/mcp", web.URL, "http://127.0.0.1:3001/sse", web.SSE,
		"forecast city=Rome", "echo message=Rome", // the only tool of that server
	)
	seen, held := make(map[string]bool), make(map[string]*heldServer)
	for _, line := range lines {
		line, _, _ = strings.Cut(line, " > ")
		if seen[line] {
			continue
		}
		seen[line] = true
		restore()
		switch {
		case strings.HasPrefix(line, "add weather"):
			line = strings.Replace(line, "weather", "forecasts", 1)
		case line == "remove weather":
			line += " --user"
		case line == "trust --revoke weather":
			line = "trust weather" // there is none to revoke
		}
		if strings.HasPrefix(line, "diff pinned.rec") { // which the line before it made
			o := runCommandWithInput(t, "tools\nprompts\nresources\ntemplates\n", "shell", "--record", "pinned.rec", "--", "mcpecho", "serve")
			o.want(t, 0, o.stdout, "")
		}
		if m := regexp.MustCompile(`(?:@|release )(browser|counter)\b`).FindStringSubmatch(line); m != nil {
			if held[m[1]] == nil {
				held[m[1]] = holdServer(t, m[1], "--", "mcpecho", "serve").begun(t)
			}
			if strings.HasPrefix(line, "release") {
				delete(held, m[1])
			}
		}
		args := words(t, here.Replace(line))
		name, _ := cutName(args)
		switch c := findCommand(name); {
		case strings.Contains(line, "URL"), strings.Contains(line, "NAME"), strings.Contains(line, "OLD"):
			continue // stands for any
		case c != nil && (c.endless || c.web || slices.Contains(args, "--watch")):
			w := &environment{getenv: os.Getenv, name: "mcpecho"}
			if _, err := parse(w, args); err != nil {
				t.Errorf("mcpecho %s: %v", line, err)
			}
		default:
			if o := runCommandWithInput(t, "tools\n", args...); o.status != 0 || o.stdout == "" && !strings.Contains(line, " -o ") && name != "release" {
				t.Errorf("mcpecho %s: %+v", line, o)
			}
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d commands were found", len(seen))
	}
}

// words splits a line as a shell does.
func words(t *testing.T, line string) (all []string) {
	t.Helper()
	word, quote, started := "", rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, started = r, true
		case quote == 0 && r == ' ':
			if started {
				all = append(all, word)
			}
			word, started = "", false
		default:
			word, started = word+string(r), true
		}
	}
	if quote != 0 {
		t.Errorf("a quote is left open: %s", line)
	}
	if started {
		all = append(all, word)
	}
	return all
}
