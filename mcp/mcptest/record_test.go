package mcptest_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// useServer is what a test does, and what it sees.
func useServer(t *testing.T, tr mcp.Transport, password string) (seen []string) {
	t.Helper()
	ctx := t.Context()
	client, err := mcp.Connect(ctx, tr, &mcp.Options{Handlers: handlers()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	tools, err := client.ListTools(ctx)
	if err != nil {
		t.Fatal(err)
	}
	seen = append(seen, tools[0].Name)
	for _, name := range []string{"interview", "interview", "login"} {
		res, err := client.Do(ctx, &mcp.ToolCall{Name: name, Arguments: map[string]any{"user": "ada", "password": password},
			Progress: func(p mcp.Progress) { seen = append(seen, p.Message) }})
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, res.Text())
	}
	return seen
}

// TestReplayIsAsRecorded in each era, without the secrets.
func TestReplayIsAsRecorded(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
		t.Run(version, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new", "session.mcp")
			var want []string
			t.Run("record", func(t *testing.T) {
				s := mcptest.New(t)
				s.ProtocolVersions = []string{version}
				everything(s)
				n := 0
				s.Tool("login", nil, func(*mcptest.Call) (any, error) {
					n++
					return fmt.Sprint("Welcome ", n), nil
				})
				want = useServer(t, mcptest.Record(t, path, s), "hunter2hunter2")
			})
			text, err := os.ReadFile(path)
			if err != nil || bytes.Contains(text, []byte("hunter2")) || !bytes.Contains(text, []byte(`"password":"***"`)) {
				t.Errorf("%v: recorded:\n%s", err, text)
			}
			if got := useServer(t, mcptest.Replay(t, path, nil), "hunter2hunter2"); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("replayed %q, want %q", got, want)
			}
		})
	}
}

// TestTimedReplay takes as long as the recorded server.
func TestTimedReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.mcp")
	for _, replay := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var tr mcp.Transport
			if replay {
				tr = mcptest.Replay(t, path, &mcptest.ReplayOptions{Timed: true})
			} else {
				s := mcptest.New(t)
				greeter(s)
				s.Inject("greet", mcptest.Delay(3*time.Second))
				tr = mcptest.Record(t, path, s)
			}
			client, err := mcp.Connect(t.Context(), tr, nil)
			if err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			if _, err := client.CallTool(t.Context(), "greet", nil); err != nil {
				t.Error(err)
			}
			if took := time.Since(begun); took != 3*time.Second {
				t.Errorf("replay %t: took %v", replay, took)
			}
			client.Close()
		})
	}
}

// TestBadRecordings fail the test with the line, but for those whose end is missing.
func TestBadRecordings(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "session.mcp")
	t.Run("record", func(t *testing.T) {
		s := mcptest.New(t)
		greeter(s)
		client, err := mcp.Connect(t.Context(), mcptest.Record(t, path, s), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.CallTool(t.Context(), "greet", map[string]any{"name": "Ada"}); err != nil {
			t.Fatal(err)
		}
		client.Close()
	})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	good := string(text)
	lines := strings.SplitAfter(good, "\n")
	for name, test := range map[string]struct{ text, want string }{
		"empty":  {"", "line 1: the recording is truncated"},
		"other":  {"#!/bin/sh\n", "line 1: this is not a recording"},
		"later":  {strings.Replace(good, "recording 2\n", "recording 3\n", 1), `line 1: the format has version "3"`},
		"edited": {strings.Replace(good, "Ada", "Eve", 1), "line 4: the recording was edited"},
		"cut":    {strings.Join(append(append([]string{}, lines[:2]...), lines[3:]...), ""), "line 3: the recording was edited"},
		"longer": {good + "more\n", "text after its end"},
	} {
		other := filepath.Join(dir, name)
		if err := os.WriteFile(other, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		fake := &fakeTest{}
		mcptest.Replay(fake, other, nil)
		if failures := fake.end(); len(failures) != 1 || !strings.Contains(failures[0], test.want) {
			t.Errorf("%s: %q, want %q", name, failures, test.want)
		}
	}
	killed := filepath.Join(dir, "killed")
	if err := os.WriteFile(killed, []byte(good[:len(good)-3]), 0o600); err != nil {
		t.Fatal(err)
	}
	fake := &fakeTest{}
	client, err := mcp.Connect(t.Context(), mcptest.Replay(fake, killed, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := client.CallTool(t.Context(), "greet", map[string]any{"name": "Ada"}); err != nil || res.Text() != "Hello, Ada!" {
		t.Error("the replay of a recording without its end:", err)
	}
	client.Close()
	if failures := fake.end(); len(failures) != 0 {
		t.Errorf("failures: %q", failures)
	}
	fake = &fakeTest{}
	client, err = mcp.Connect(t.Context(), mcptest.Replay(fake, path, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CallTool(t.Context(), "greet", map[string]any{"name": "Adam"}); err == nil {
		t.Error("no error")
	}
	client.Close()
	if failures := fake.end(); len(failures) != 1 || !strings.Contains(failures[0], `the nearest is line 4: tools/call {"arguments":{"name":"Ada"}`) {
		t.Errorf("failures: %q", failures)
	}
}

func ExampleRecord() {
	t := &fakeTest{} // in a test: t *testing.T
	defer t.end()
	path := filepath.Join(t.TempDir(), "greeter.mcp")
	real := mcptest.Command(t, "greeter").Transport()
	recording := &fakeTest{}
	for _, tr := range []mcp.Transport{mcptest.Record(recording, path, real), nil} {
		if tr == nil {
			recording.end()
			tr = mcptest.Replay(t, path, nil) // without the program
		}
		client, err := mcp.Connect(context.Background(), tr, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		res, err := client.CallTool(context.Background(), "greet", map[string]any{"name": "Ada"})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(res.Text())
		client.Close()
	}
	// Output:
	// Hello, Ada!
	// Hello, Ada!
}
