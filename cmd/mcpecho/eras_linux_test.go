package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// sentMethods runs tools with a server and returns the methods that it sent.
func sentMethods(t *testing.T, o *testserver.Options, args ...string) string {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	if r := runWithFault(t, o, append([]string{"tools", "-q", "--trace", trace}, args...)...); r.status != 0 {
		t.Fatal(r)
	}
	data, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	var sent []string
	for _, method := range []string{"server/discover", "initialize"} {
		if strings.Contains(string(data), `"method":"`+method+`"`) {
			sent = append(sent, method)
		}
	}
	return strings.Join(sent, " ")
}

// TestEraIsRemembered: a server that server/discover wedges is probed once, and
// the entry is replaced when it is wrong.
func TestEraIsRemembered(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	wedged := &testserver.Options{Fault: "discover-wedges"}
	modern := &testserver.Options{ProtocolVersions: []string{"2026-07-28"}}
	path := filepath.Join(cache, "mcpecho", "eras")
	for _, tt := range []struct {
		name   string
		server *testserver.Options
		args   []string
		sent   string
		kept   string
	}{
		{"without state", wedged, []string{"--no-state"}, "server/discover initialize", ""},
		{"first", wedged, nil, "server/discover initialize", "2025-11-25"},
		{"again", wedged, nil, "initialize", "2025-11-25"},
		{"without state again", wedged, []string{"--no-state"}, "server/discover initialize", "2025-11-25"},
		{"a modern server", modern, nil, "server/discover initialize", "2026-07-28"},
		{"the modern server again", modern, nil, "server/discover", "2026-07-28"},
	} {
		if got := sentMethods(t, tt.server, tt.args...); got != tt.sent {
			t.Errorf("%s: sent %q, want %q", tt.name, got, tt.sent)
		}
		data, _ := os.ReadFile(path)
		if version, _, _ := strings.Cut(string(data), " "); version != tt.kept || strings.Count(string(data), "\n") > 1 {
			t.Errorf("%s: the file is %q", tt.name, data)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	// A server that is gone is forgotten.
	r := runWithFault(t, &testserver.Options{Fault: "exits-at-start"}, "tools")
	if data, _ := os.ReadFile(path); r.status != statusUnreachable || strings.Contains(string(data), "2026") {
		t.Errorf("%v, %s", r, data)
	}
}

func TestErasHoldNoSecretsAndAreBounded(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	web := webServer(t, &testserver.Options{ProtocolVersions: []string{"2025-11-25"}}, nil)
	url := strings.Replace(web.URL, "://", "://me:passw0rd@", 1) + "?key=qu3ry"
	runCommand(t, "ping", "-q", "-H", "Authorization: Bearer t0ken", url)
	runCommand(t, "ping", "-q", "--", mcpechoPath(t), "serve", "--protocol", "2025-11-25", "--api-key", "s3cret", "pg://me:passw0rd@host/db")
	path := filepath.Join(cache, "mcpecho", "eras")
	data, _ := os.ReadFile(path)
	for _, secret := range []string{"passw0rd", "qu3ry", "t0ken", "s3cret"} {
		if strings.Contains(string(data), secret) {
			t.Errorf("%s is in %s", secret, data)
		}
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
}
