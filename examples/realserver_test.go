package examples

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// agents are the programs that TestAgentsWithRealServer runs.
var agents = []string{"subagents", "ask-permission"}

// TestAgentsWithRealServer runs the agents with a server by other authors in
// place of mcpecho. Of the programs and their output, only the command of the
// server, the names of its tools and their arguments and texts differ.
func TestAgentsWithRealServer(t *testing.T) {
	modules := os.Getenv("STDMCP_INTEROP")
	if modules == "" {
		t.Skip("did not run: STDMCP_INTEROP does not name the folder with the servers; see scripts/interop")
	}
	server := strconv.Quote(filepath.Join(modules, "@modelcontextprotocol/server-everything/dist/index.js"))
	const sum = "The sum of 2 and 40 is 42."
	other := strings.NewReplacer(
		`"command": "mcpecho", "args": ["serve"]`, `"command": "node", "args": [`+server+`, "stdio"]`,
		"calculator__add", "calculator__get-sum",
		"{add,echo}", "{get-sum,echo}",
		"= 42\n", "= "+sum+"\n",
		" false 42\n", " false "+sum+"\n",
		"calculator__fail", "calculator__get-env",
		`tool "fail"`, `tool "get-env"`,
	)
	root := t.TempDir()
	var mains []string
	for _, name := range agents {
		mains = append(mains, filepath.Join(name, "main.go"))
		dir := filepath.Join(root, name)
		if err := os.CopyFS(dir, os.DirFS(name)); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, []byte(other.Replace(string(text))), 0o600)
		})
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "main.go")); err != nil || !strings.Contains(string(text), server) {
			t.Errorf("%s does not start the server: %v", name, err)
		}
	}
	build(t, root, mains)
	for _, name := range agents {
		t.Run(name, func(t *testing.T) { session(t, filepath.Join(root, name, "main.go")) })
	}
}
