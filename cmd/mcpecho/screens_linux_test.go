package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
)

var took = regexp.MustCompile(`[0-9.]+ ms`)

// TestScreens shows what terminals of several widths show, with and without color.
// "^[" stands for the escape character.
func TestScreens(t *testing.T) {
	t.Parallel()
	own := strings.NewReplacer("go run github.com/stdmcp/stdmcp/cmd/mcpecho@latest", "mcpecho", " --env GORACE=atexit_sleep_ms=0", "", mcpechoPath(t), "mcpecho")
	servers := filepath.Join(t.TempDir(), "servers.json")
	if err := os.WriteFile(servers, []byte(`{"mcpServers":{"echoes":`+entryJSON(t)+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, width := range []uint16{60, 80, 120} {
		for _, line := range []string{
			"tools", "resources", "templates", "prompts", "tools --wide", "info add", "info", "call add a=2 b=40 --json", "call ad a=2", "ping",
			"skills", "skills check", "search add numbers", "search add numbers --wide",
		} {
			if name, _, _ := strings.Cut(line, " "); width != 80 && !slices.Contains([]string{"tools", "resources", "info", "skills", "search"}, name) || width != 80 && line == "info add" {
				continue
			}
			args := strings.Fields(line)
			server := []string{"--", "mcpecho", "serve"}
			if args[0] == "search" {
				server = []string{"-c", servers}
			}
			for _, color := range []string{"", "--no-color"} {
				if color == "" && width != 80 {
					continue
				}
				if color != "" {
					args = append(args, color)
				}
				shown, _ := startInPty(t, width, append(args, server...)...).end()
				shown = own.Replace(shown)
				for row := range strings.Lines(shown) {
					if n := terminal.TextWidth(strings.TrimSuffix(withoutAll(row), "\n")); n > int(width) && !strings.Contains(line, "--wide") && !strings.Contains(row, "mcpecho ") {
						t.Errorf("%s: %d columns on a terminal of %d: %q", line, n, width, row)
					}
				}
				shown = took.ReplaceAllString(strings.ReplaceAll(shown, "\x1b", "^["), "N ms")
				text += "# " + strconv.Itoa(int(width)) + " columns: mcpecho " + strings.Join(args, " ") + "\n" + shown + "\n"
			}
		}
	}
	golden(t, "screens.txt", text)
}

// TestHelpFitsANarrowTerminal: only commands are wider than the terminal, so that
// they can be pasted.
func TestHelpFitsANarrowTerminal(t *testing.T) {
	t.Parallel()
	const width = 60
	for _, line := range []string{"help", "help call", "help serve", "help flags"} {
		shown, _ := startInPty(t, width, strings.Fields(line)...).end()
		for row := range strings.Lines(shown) {
			if n := terminal.TextWidth(strings.TrimSuffix(withoutAll(row), "\n")); n > width && !strings.Contains(row, "mcpecho") {
				t.Errorf("%s: %d columns: %q", line, n, row)
			}
		}
	}
}

// withoutAll removes all styles.
func withoutAll(s string) string {
	return regexp.MustCompile("\x1b\\[[0-9;]*[mK]").ReplaceAllString(s, "")
}
