package state

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

func TestErasAreBounded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("did not run: the test sets the folder of caches of Linux")
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
	if lines := readEras(); len(lines) != maxEras || knownEra(`"new"`) == "" || knownEra(`"0"`) != "" {
		t.Errorf("%d lines", len(lines))
	}
	long := strconv.Quote(strings.Repeat("x", maxErasSize)) // the arguments of a command
	rememberEra(long, "2026-07-28")
	if knownEra(`"new"`) == "" || knownEra(long) != "" {
		t.Error("a long key has displaced the others")
	}
	for i := range maxEras / 2 {
		rememberEra(strconv.Quote(strconv.Itoa(i)+strings.Repeat("x", maxKey-20)), "2026-07-28")
	}
	if last := strconv.Quote(strconv.Itoa(maxEras/2-1) + strings.Repeat("x", maxKey-20)); knownEra(last) == "" || len(readEras()) < 2 {
		t.Errorf("long keys have displaced the last one: %d lines", len(readEras()))
	}
	if s := parseEra(formatEra(&mcp.ServerInfo{ProtocolVersion: "2025-11-25", Implementation: mcp.Implementation{Name: strings.Repeat("x", 300_000)}})); s == nil || s.Name != "" {
		t.Errorf("%+v", s)
	}
}

// TestEraIsReadBack: what formatEra writes comes back, and no other line does.
func TestEraIsReadBack(t *testing.T) {
	for _, want := range []mcp.ServerInfo{
		{ProtocolVersion: "2026-07-28"},
		{ProtocolVersion: "2025-11-25"},
		{ProtocolVersion: "2025-11-25", StreamLate: time.Unix(1_700_000_001, 0)},
		{ProtocolVersion: "2025-06-18", Probed: time.Unix(1_700_000_000, 0), Implementation: mcp.Implementation{Name: "two \"words\"\n", Version: "ü 1.0"}},
	} {
		line := formatEra(&want)
		if s := parseEra(line); s == nil || s.Name != want.Name || s.Version != want.Version || s.ProtocolVersion != want.ProtocolVersion || !s.Probed.Equal(want.Probed) || !s.StreamLate.Equal(want.StreamLate) {
			t.Errorf("%s: got %+v", line, s)
		}
	}
	for _, line := range []string{
		"", "2020-01-01", "2025-11-25", "2025-11-25 0", `2025-11-25 0 "a"`, `2025-11-25 x "a" "b"`, `2025-11-25 0 a "b"`, `2025-11-25 0 "a" b`, `2025-11-25 0 "a" "b`,
	} {
		if s := parseEra(line); s != nil {
			t.Errorf("%s: got %+v", line, s)
		}
	}
}

// TestModernEraOfURL: a line that mcpecho did not write does not stand for the response of a
// server at a URL.
func TestModernEraOfURL(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("did not run: the test sets the folder of caches of Linux")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const key = `"https://h/mcp"`
	rememberEra(key, "2026-07-28")
	e, known := FindEra(key, true)
	if known != nil {
		t.Errorf("%+v", known)
	}
	if _, known = FindEra(key, false); known == nil || !known.Modern() {
		t.Errorf("of a program: %+v", known)
	}
	if e.Remember(&mcp.ServerInfo{ProtocolVersion: "2026-07-28"}); knownEra(key) != "" {
		t.Error("the line stays")
	}
}
