package config

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLargeFiles: files of up to 4 MiB, with as many entries, variables, arguments or
// lines as that permits, take a moment. Where the time grew with the square of the
// length, they took hours.
func TestLargeFiles(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	repeat := func(text string) string { return strings.Repeat(text, size/len(text)) }
	number := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	program := func(member string) string { return `{"mcpServers":{"a":{"command":"x",` + member + `}}}` }
	for name, text := range map[string]string{
		"references":     program(`"cwd":"` + repeat("${") + `"`),
		"masked":         program(`"env":{"TOKEN":"` + repeat("${") + `"}`),
		"variables":      program(`"cwd":"` + number("${V%d:-}") + `"`),
		"arguments":      program(`"args":[` + number(`"%d",`) + `]`),
		"secret values":  program(`"env":{` + number(`"K%d":"value-%[1]d",`) + `}`),
		"secret queries": `{"mcpServers":{"a":{"url":"https://example.com/?` + number("a=%d&") + `"}}}`,
		"wrong entries":  `{"mcpServers":{` + number("\n\"%d\":{},") + `}}`,
		"wrong members":  program(number("\n\"%d\":1,")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			use(Parse([]byte(text), "a.json", "project"))
		})
	}
	for name, text := range map[string]string{
		"tables":  number("[mcp_servers.s%d]\ncommand='x'\n"),
		"keys":    "[mcp_servers.a]\n" + number("k%d=1\n"),
		"wrong":   number("[mcp_servers.s%d]\n"),
		"ignored": number("[t%d]\n"),
	} {
		t.Run("TOML "+name, func(t *testing.T) {
			t.Parallel()
			use(ParseTOML([]byte(text), "a.toml", "project"))
		})
	}
	t.Run("merged", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "a.json")
		if err := os.WriteFile(file, []byte(`{"mcpServers":{`+number(`"%d":{},`)+`}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		use(Load(t.TempDir(), file, file))
	})
}

// use calls what programs call with a configuration.
func use(c *Config) {
	for i, s := range c.All() {
		if i == 1000 {
			break // one more takes as long as these
		}
		if expanded, err := s.Expand(context.Background(), nil); err == nil {
			_ = expanded.String()
		}
		_ = s.String()
		_ = s.Identity()
		s.Effects()
	}
}
