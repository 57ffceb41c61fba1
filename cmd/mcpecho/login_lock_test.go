package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

// TestTwoLogins: the second login says that it waits for the first one, and can be
// interrupted.
func TestTwoLogins(t *testing.T) {
	if !apart(t) {
		return
	}
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	url := authServer(t, nil) + "/mcp"
	login := func(ctx context.Context) (stderr *transcript, status chan int) {
		stderr, status = newTranscript(), make(chan int, 1)
		w := &environment{stdin: strings.NewReader(""), stdout: newTranscript(), stderr: stderr, self: mcpechoPath(t), name: "mcpecho",
			getenv: func(key string) string { return map[string]string{"BROWSER": filepath.Join(home, "none")}[key] }}
		go func() { status <- run(ctx, []string{"login", url}, w) }() // ends with ctx
		return stderr, status
	}
	first, endFirst := context.WithCancel(t.Context())
	stderr, ended := login(first)
	stderr.until(t, "To log in, open this page: ")
	second, endSecond := context.WithCancel(t.Context())
	waiting, interrupted := login(second)
	waiting.until(t, "Waiting for another mcpecho that is logging in to "+url+". Ctrl-C ends this.\n")
	endSecond()
	if status := <-interrupted; status != failure.Interrupted {
		t.Errorf("status %d, %s", status, waiting)
	}
	endFirst()
	<-ended
	if text := stderr.String(); strings.Contains(text, "Waiting") {
		t.Error(text)
	}
}

// The second login does not wait forever.
func TestLoginWaitsAWhile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tokens.json")
	unlock, err := oauth.NewFile(path).Lock(t.Context(), oauth.StoreKey{Resource: "r"})
	if err != nil {
		t.Fatal(err)
	}
	stderr := newTranscript()
	e := &environment{stderr: stderr}
	e.console()
	store := &patientStore{File: oauth.NewFile(path), c: &invocation{environment: e, target: "https://example.com/mcp"}, delay: time.Nanosecond, most: 100 * time.Millisecond}
	_, err = store.Lock(t.Context(), oauth.StoreKey{Resource: "r"})
	if f := (*failure.Error)(nil); !errors.As(err, &f) || f.Status != failure.Unreachable || !strings.Contains(f.Message, "has not ended its login to https://example.com/mcp within 100ms") {
		t.Errorf("%v", err)
	}
	unlock()
	if unlock, err = store.Lock(t.Context(), oauth.StoreKey{Resource: "r"}); err != nil {
		t.Fatal(err)
	}
	unlock()
}
