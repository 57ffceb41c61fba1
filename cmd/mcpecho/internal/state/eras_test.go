package state

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
)

func TestErasAreBounded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folder of caches is elsewhere")
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	path := filepath.Join(cache, "mcpecho", "eras")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for i := range 2 * maxEras {
		lines = append(lines, "2025-11-25 "+strconv.Quote(strconv.Itoa(i)))
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	rememberEra(`"new"`, "2026-07-28")
	if lines := readEras(); len(lines) != maxEras || cachedServer(`"new"`) == nil || cachedServer(`"0"`) != nil {
		t.Errorf("%d lines", len(lines))
	}
	if s := parseEra(formatEra(&mcp.ServerInfo{ProtocolVersion: "2025-11-25", Implementation: mcp.Implementation{Name: strings.Repeat("x", 300_000)}})); s == nil || s.Name != "" {
		t.Errorf("%+v", s)
	}
}
