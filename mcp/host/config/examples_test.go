package config

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

var update = flag.Bool("update", false, "write what the files of programs mean")

// homes are where programs keep the files whose names have a meaning.
var homes = map[string]string{
	"claude-code.json": ".claude.json", "cursor.json": ".cursor/mcp.json", "vscode.json": ".vscode/mcp.json", "zed.json": ".config/zed/settings.json",
	"gemini.json": ".gemini/settings.json", "codex.toml": ".codex/config.toml", "nanobot.json": ".nanobot/config.json",
	"picoclaw.json": ".picoclaw/config.json", "cline.json": ".cline/mcp.json", "roo.json": ".roo/mcp.json", "copilot.json": ".copilot/mcp-config.json", "amazonq.json": ".aws/amazonq/mcp.json",
}

// TestFilesOfPrograms: an example of the file of each program, as its documentation describes it,
// means what that program would start and send.
func TestFilesOfPrograms(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("did not run: the wanted text has paths of Unix")
	}
	files, err := filepath.Glob("testdata/programs/*.*")
	testutil.Must(t, err)
	vars := &Vars{Home: "/home/u", Input: func(_ context.Context, id string) (string, error) { return "<" + id + ">", nil },
		Lookup: func(name string) (string, bool) { return "t0ken", name == "TOKEN" || name == "HOME" }}
	read := 0
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasSuffix(name, ".want") {
			continue
		}
		read++
		text, err := os.ReadFile(file)
		testutil.Must(t, err)
		path := homes[name]
		if path == "" {
			path = name
		}
		c := Parse(text, "/home/u/project/"+path, "local")
		var b strings.Builder
		for _, s := range c.Servers {
			e, err := s.Expand(t.Context(), vars)
			if err != nil {
				t.Errorf("%s: %s: %v", name, s.Name, err)
				continue
			}
			entry, err := e.RevealJSON()
			testutil.Must(t, err)
			b.WriteString(s.Name + " " + string(entry) + "\n")
		}
		for _, p := range c.Problems {
			b.WriteString(strings.TrimPrefix(p.Error(), "/home/u/project/") + "\n")
		}
		want := strings.TrimSuffix(file, filepath.Ext(file)) + ".want"
		if *update {
			testutil.Must(t, os.WriteFile(want, []byte(b.String()), 0o600))
		}
		if have, _ := os.ReadFile(want); string(have) != b.String() {
			t.Errorf("%s means\n%s\nwant\n%s", name, b.String(), have)
		}
	}
	if read != 20 {
		t.Errorf("%d programs", read)
	}
}
