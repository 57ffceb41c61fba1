package host_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// Errors, statuses, events and lines of standard error contain no secrets.
func TestSecretsAreRemoved(t *testing.T) {
	t.Setenv("HOST_TEST_TOKEN", "s3cret-from-environment")
	args, env := childserver.Command(&testserver.Options{Fault: "exits-at-start"})
	servers := []*host.Server{
		{Name: "env", Type: config.Stdio, Command: args[0], Args: []string{"postgres://u:s3cret-arg@h/db", "${HOST_TEST_TOKEN}"}, Env: append(env, "KEY=s3cret-env")},
		{Name: "missing", Type: config.Stdio, Command: "no-such-${HOST_TEST_TOKEN}", Env: []string{"KEY=s3cret-env"}},
		{Name: "unset", Type: config.Stdio, Command: "run", Args: []string{"${NO_SUCH_VARIABLE}"}},
		{Name: "echoes", Type: config.Stdio, Command: "sh", Args: []string{"-c", `echo "key is $KEY and ${HOST_TEST_TOKEN}" >&2; exit 1`}, Env: []string{"KEY=s3cret-env"}},
		{Name: "url", Type: config.HTTP, URL: "https://u:s3cret-url@h.invalid/?key=s3cret-query", Headers: map[string]string{"Authorization": "Bearer s3cret-header"}},
	}
	h := newHost(t, &host.Options{Retry: host.Retry{Max: -1}})
	events := h.Events(t.Context())
	d := h.SetServers(t.Context(), servers)
	var texts []string
	for _, err := range d.Errors {
		texts = append(texts, err.Error())
	}
	texts = append(texts, fmt.Sprint(d.Err()), h.Overview())
	for _, s := range h.Status() {
		texts = append(texts, s.Stderr, s.Err.Error(), s.Metrics.LastError, fmt.Sprintf("%+v", *s.Config))
	}
	for len(events) > 0 {
		e := <-events
		texts = append(texts, e.Line, fmt.Sprint(e.Err))
	}
	for _, text := range texts {
		if strings.Contains(text, "s3cret") {
			t.Errorf("text with a secret: %s", text)
		}
	}
	if !slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "key is *** and ***") }) {
		t.Errorf("no line with removed secrets in %q", texts)
	}
}

// TestSecretsOfInheritedVariablesAreRemoved: those that a program gets with the whole
// environment, whose names are those of secrets.
func TestSecretsOfInheritedVariablesAreRemoved(t *testing.T) {
	t.Setenv("HOST_TEST_API_KEY", "s3cret-inherited")
	t.Setenv("HOST_TEST_WORD", "plain-inherited")
	for _, all := range []bool{true, false} { // for all servers of the host, or for this one
		h := newHost(t, &host.Options{InheritEnv: all, Retry: host.Retry{Max: -1}})
		events := h.Events(t.Context())
		s := &host.Server{Name: "x", Command: "sh", Args: []string{"-c", `echo "error: $HOST_TEST_API_KEY, $HOST_TEST_WORD" >&2; exit 1`}, InheritEnv: !all}
		err := h.AddServer(t.Context(), s)
		status, _ := h.ServerStatus("x")
		text := fmt.Sprint(err, status, status.Stderr, status.Metrics.LastError)
		for len(events) > 0 {
			e := <-events
			text += fmt.Sprint(e.Line, e.Err)
		}
		if strings.Contains(text, "s3cret") || !strings.Contains(status.Stderr, "***, plain-inherited") || err == nil || !strings.Contains(err.Error(), "***, plain-inherited") {
			t.Errorf("%v: %s", all, text)
		}
		if all == s.InheritEnv {
			t.Error("the settings of the program have changed")
		}
	}
}

// Errors about settings name the file and the field.
func TestErrorsOfSettingsNameTheFile(t *testing.T) {
	c := config.Parse([]byte(`{"mcpServers":{"unset":{"command":"run","args":["${HOST_TEST_UNSET}"]},"web":{"url":"https://h.invalid/"}}}`), "some.json", "")
	d := newHost(t, nil).SetServers(t.Context(), c.Servers)
	for name, want := range map[string]string{
		"unset": `[MCP:unset] failed to connect: some.json: "args" needs the variable "HOST_TEST_UNSET", which is not set`,
		"web":   `[MCP:web] failed to connect: some.json: no dialer for servers with a URL; see package dialers`,
	} {
		if err := d.Errors[name]; err == nil || err.Error() != want {
			t.Errorf("have %v, want %s", err, want)
		}
	}
}

// TestInheritedLocationsAreShown: paths and the words of a desktop's session in the
// error of a server that inherits the environment are not secrets.
func TestInheritedLocationsAreShown(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "agent.sock")
	testutil.Must(t, os.WriteFile(socket, nil, 0o600))
	for name, value := range map[string]string{"PWD": "/home/ada/project", "OLDPWD": "/home/ada/other", "DESKTOP_SESSION": "ubuntu-wayland",
		"XDG_SESSION_TYPE": "x11-or-tty", "SSH_AUTH_SOCK": socket, "HOST_TEST_SESSION": "s3cr3t-session"} {
		t.Setenv(name, value)
	}
	h := newHost(t, &host.Options{InheritEnv: true, Retry: host.Retry{Max: -1}})
	s := &host.Server{Name: "x", Command: "sh", Args: []string{"-c", `echo "no /home/ada/project/a.json, $OLDPWD, ubuntu-wayland, x11-or-tty, $SSH_AUTH_SOCK, $HOST_TEST_SESSION" >&2; exit 1`}}
	text := fmt.Sprint(h.AddServer(t.Context(), s))
	want := "no /home/ada/project/a.json, /home/ada/other, ubuntu-wayland, x11-or-tty, " + socket + ", ***"
	if !strings.Contains(text, want) {
		t.Errorf("%s, want %s", text, want)
	}
}
