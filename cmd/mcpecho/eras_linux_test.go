package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
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
	if !apart(t) {
		return
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	wedged := &testserver.Options{Fault: "discover-wedges"}
	legacy := &testserver.Options{Fault: "discover-invalid-params"} // for which nothing waits
	modern := &testserver.Options{ProtocolVersions: []string{"2026-07-28"}}
	path := filepath.Join(cache, "mcpecho", "eras")
	for _, tt := range []struct {
		name   string
		server *testserver.Options
		args   []string
		sent   string
		kept   string
	}{
		{"without state", legacy, []string{"--no-state"}, "server/discover initialize", ""},
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
	if data, _ := os.ReadFile(path); r.status != failure.Unreachable || strings.Contains(string(data), "2026") {
		t.Errorf("%v, %s", r, data)
	}
}

// TestLegacyEraExpires: a legacy server is probed again after a day, unless the probe
// has wedged it and it is still the same.
func TestLegacyEraExpires(t *testing.T) {
	if !apart(t) {
		return
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	path := filepath.Join(cache, "mcpecho", "eras")
	age := regexp.MustCompile(`^(2025-11-25) [1-9]\d* `)
	for _, tt := range []struct {
		name, fault string
		before      func(line string) string // changes the file
		sent        string
	}{
		{"first", "discover-invalid-params", nil, "server/discover initialize"},
		{"soon", "discover-invalid-params", nil, "initialize"},
		{"after a day", "discover-invalid-params", func(line string) string {
			return age.ReplaceAllString(line, "$1 "+strconv.FormatInt(time.Now().Add(-25*time.Hour).Unix(), 10)+" ")
		}, "server/discover initialize"},
		{"without a time", "discover-invalid-params", func(line string) string {
			return "2025-11-25" + line[strings.LastIndex(line, ` "`):]
		}, "server/discover initialize"},
		{"wedged", "discover-wedges", nil, "server/discover initialize"},
		{"wedged again", "discover-wedges", func(line string) string {
			if !strings.HasPrefix(line, `2025-11-25 0 "stdmcp-echo" "1.0.0" `) {
				t.Errorf("the file is %q", line)
			}
			return line
		}, "initialize"},
		{"wedged before an update", "discover-wedges", func(line string) string { return strings.Replace(line, `"1.0.0"`, `"0.9"`, 1) }, "initialize"},
		{"after the update", "discover-wedges", nil, "server/discover initialize"},
	} {
		if tt.before != nil {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(tt.before(strings.TrimSpace(string(data)))+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if tt.name == "wedged" {
			_ = os.Remove(path)
		}
		if got := sentMethods(t, &testserver.Options{Fault: tt.fault}); got != tt.sent {
			data, _ := os.ReadFile(path)
			t.Errorf("%s: sent %q, want %q; the file is %q", tt.name, got, tt.sent, data)
		}
	}
}

func TestErasHoldNoSecrets(t *testing.T) {
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
}
