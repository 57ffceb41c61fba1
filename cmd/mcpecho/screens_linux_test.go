package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var took = regexp.MustCompile(`[0-9.]+ ms`)

// TestScreens shows what terminals of several widths show, with and without color.
// "^[" stands for the escape character.
func TestScreens(t *testing.T) {
	own := strings.NewReplacer("go run github.com/stdmcp/stdmcp/cmd/mcpecho@latest", "mcpecho", " --env GORACE=atexit_sleep_ms=0", "", mcpechoPath(t), "mcpecho")
	text := ""
	for _, width := range []uint16{60, 80, 120} {
		for _, line := range []string{
			"tools", "resources", "templates", "prompts", "tools --wide", "info add", "info", "call add a=2 b=40 --json", "call ad a=2", "ping",
		} {
			if width != 80 && !strings.HasPrefix(line, "tools") && line != "resources" && line != "info" {
				continue
			}
			args := strings.Fields(line)
			for _, color := range []string{"", "--no-color"} {
				if color == "" && width != 80 {
					continue
				}
				if color != "" {
					args = append(args, color)
				}
				shown, _ := startInPty(t, width, append(args, "--", "mcpecho", "serve")...).end()
				shown = own.Replace(shown)
				for row := range strings.Lines(shown) {
					if n := textWidth(strings.TrimSuffix(withoutAll(row), "\n")); n > int(width) && !strings.Contains(line, "--wide") && !strings.Contains(row, "mcpecho ") {
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

// withoutAll removes all styles.
func withoutAll(s string) string {
	return regexp.MustCompile("\x1b\\[[0-9;]*[mK]").ReplaceAllString(s, "")
}
