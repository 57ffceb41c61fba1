package ui

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// versions starts a bench whose target offers something else in an older version.
func versions(t *testing.T, older func(*Setup) error) *Bench {
	t.Helper()
	b, s := connect(t, calculator(t))
	old := calculator(t)
	old.Instructions = "Count slowly."
	old.RemoveTool("fails")
	old.Tool("add", sumSchema, nil).Description = "Adds, and no more"
	first := &target{server: old}
	b.config.Connect = func(ctx context.Context, setup *Setup) (*mcp.Client, func(), error) {
		if setup.Version != mcp.ProtocolVersion20250618 {
			return s.connect(ctx, setup)
		}
		if err := older(setup); err != nil {
			return nil, nil, err
		}
		return first.connect(ctx, setup)
	}
	return b
}

// TestVersionsAreCompared: by the rules of package compat, with texts, and the connection
// of the page stays.
func TestVersionsAreCompared(t *testing.T) {
	b := versions(t, func(*Setup) error { return nil })
	s := newServer(b, host)
	w := answered(s, request(s, "POST", "/api/compare", `{"old":"2025-06-18","new":"2026-07-28"}`))
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	for _, want := range []string{
		`{"item":"server","kind":"unknown","new":"\"2026-07-28\"","old":"\"2025-06-18\"","path":"protocol version"`,
		`"old":"\"Count slowly.\"","path":"instructions"`, `"old":"\"Adds, and no more\"","path":"description"`,
		`{"item":"tool \"fails\"","kind":"ok","text":"was added"}`, `"path":"output"`,
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the comparison lacks %s:\n%s", want, w.Body)
		}
	}
	w = answered(s, request(s, "POST", "/api/compare", `{"old":"2026-07-28","new":"2025-06-18"}`))
	if !strings.Contains(w.Body.String(), `{"item":"tool \"fails\"","kind":"breaking","text":"is gone"}`) {
		t.Errorf("the other way: %s", w.Body)
	}
	if b.connection.Opened != 1 || !connected(b) || len(b.asks) != 0 {
		t.Errorf("the connection of the page: %+v", b.connection)
	}
}

func TestComparisonThatFails(t *testing.T) {
	b := versions(t, func(*Setup) error { return errDown })
	s := newServer(b, host)
	for body, want := range map[string]string{
		`{"old":"2025-06-18","new":"2026-07-28"}`: "2025-06-18: " + errDown.Error(),
		`{"old":"2026-07-28","new":"2020-01-01"}`: `unknown protocol version \"2020-01-01\"; use one of 2026-07-28`,
		`{}`: `unknown protocol version \"\"`,
	} {
		w := answered(s, request(s, "POST", "/api/compare", body))
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: status %d, %s", body, w.Code, w.Body)
		}
	}
}

// TestComparisonIsReplaced: at most one comparison starts the target.
func TestComparisonIsReplaced(t *testing.T) {
	waits := make(chan struct{}, 1)
	waits <- struct{}{}
	began := make(chan struct{})
	b := versions(t, func(*Setup) error {
		select {
		case <-waits: // the first one
			close(began)
			return errDown
		default:
			return nil
		}
	})
	connect := b.config.Connect
	b.config.Connect = func(ctx context.Context, setup *Setup) (*mcp.Client, func(), error) {
		client, end, err := connect(ctx, setup)
		if err == errDown {
			<-ctx.Done() // a server that hangs
		}
		return client, end, err
	}
	first := make(chan error)
	go func() { // ends with the second comparison
		_, err := b.compare(t.Context(), mcp.ProtocolVersion20250618, mcp.ProtocolVersion20260728)
		first <- err
	}()
	<-began
	if _, err := b.compare(t.Context(), mcp.ProtocolVersion20250618, mcp.ProtocolVersion20260728); err != nil {
		t.Error(err)
	}
	if err := <-first; err != errReplaced {
		t.Errorf("the first comparison: %v", err)
	}
}

// TestResourceIsFollowed in both eras, and after the server was replaced.
func TestResourceIsFollowed(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
		server := calculator(t)
		server.ProtocolVersions = []string{version}
		b, target := connect(t, server)
		s := newServer(b, host)
		if w := answered(s, request(s, "POST", "/api/follow", `{"uri":"notes://today"}`)); w.Code != 200 {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		state := func() followed {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.followed
		}
		updated := func(server *mcptest.Server, opened, n int) {
			t.Helper()
			await(t, b, "the subscription", func() bool { return b.followed.Active && b.connection.Opened == opened })
			server.Updated("notes://today")
			await(t, b, "the update", func() bool { return b.followed.Updates >= n })
		}
		updated(server, 1, 1)
		if f := state(); f.URI != "notes://today" || f.At == 0 || f.Problem != "" {
			t.Errorf("%s: %+v", version, f)
		}
		next := calculator(t)
		next.ProtocolVersions = server.ProtocolVersions
		target.replace(next, nil)
		updated(next, 2, 2)
		if err := b.chooseFollowed("notes://" + strings.Repeat("x", maxURI)); err == nil {
			t.Error("a URI of more than 8 KiB was accepted")
		}
		for _, uri := range []string{"notes://unknown", ""} {
			if err := b.chooseFollowed(uri); err != nil {
				t.Error(err)
			}
		}
		if f := state(); f != (followed{}) {
			t.Errorf("%s: after the end: %+v", version, f)
		}
	}
}

// TestUpdatesOfEachReadEnd: a server that reports an update whenever the page reads the
// resource does not keep both busy.
func TestUpdatesOfEachReadEnd(t *testing.T) {
	server := calculator(t)
	b, _ := connect(t, server)
	if err := b.chooseFollowed("notes://today"); err != nil {
		t.Fatal(err)
	}
	await(t, b, "the subscription", func() bool { return b.followed.Active })
	began := time.Now()
	for range 1000 {
		server.Updated("notes://today")
	}
	await(t, b, "two updates", func() bool { return b.followed.Updates >= 2 })
	b.mu.Lock()
	n := b.followed.Updates
	b.mu.Unlock()
	if most := 2 + int(time.Since(began)/updateWait); n > most {
		t.Errorf("%d updates in %v, want at most %d", n, time.Since(began), most)
	}
}
