package host_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/internal/notes"
)

func TestToolsOfTheProgram(t *testing.T) {
	h := newHost(t, nil)
	tool := h.NewTool(&mcp.Tool{Name: "fail"}, func(context.Context, mcp.RawMessage) (string, error) { return "", errors.New("no luck") })
	if text, err := tool.Execute(t.Context(), nil); text != "" || err == nil || err.Error() != "[MCP] fail failed: no luck" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := h.NewTool(nil, nil).Execute(t.Context(), nil); !errors.Is(err, host.ErrUnknownTool) {
		t.Error(err)
	}
}

func TestNotesAreKeptInTheCatalog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs, path := fakes{"a": newFake(nil)}, catalogPath(t)
		h := fs.start(t, host.Options{Catalog: host.OpenCatalog(path)})
		if !notes.Put(h, "a", "echo", "text \x00\n") || notes.Put(h, "none", "x", "y") || notes.Put(h, "a", "big", strings.Repeat("x", 5<<20)) {
			t.Error("stored")
		}
		synctest.Wait()
		if err := h.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		h = newHost(t, fs.with(host.Options{Catalog: host.OpenCatalog(path)}))
		h.SetServers(t.Context(), fs.servers())
		if notes.Get(h, "a", "echo") != "text \x00\n" || notes.Get(h, "a", "big")+notes.Get(h, "none", "x") != "" || len(h.Tools()) != 17 {
			t.Errorf("%q", notes.Get(h, "a", "echo"))
		}
		if !notes.Put(h, "a", "echo", "") || notes.Get(h, "a", "echo") != "" {
			t.Error("not removed")
		}
	})
}

// TestNamesOfNotesCount: the names of notes, which may be URIs of a server, count toward
// the limit of its notes.
func TestNamesOfNotesCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"a": newFake(nil)}
		h := fs.start(t, host.Options{})
		name := func(i int) string { return strings.Repeat("n", 1<<20) + strconv.Itoa(i) }
		for round := range 2 {
			stored := 0
			for i := range 10 {
				if notes.Put(h, "a", name(i), "x") {
					stored++
				}
			}
			if stored != 3 {
				t.Errorf("round %d: %d notes with names of 1 MiB are stored, want 3 within 4 MiB", round, stored)
			}
			for i := range 10 {
				notes.Put(h, "a", name(i), "") // also those that were not stored
			}
		}
		long := strings.Repeat("x", 3<<20)
		if !notes.Put(h, "a", "pin", "1") || !notes.Put(h, "a", "long", long) || notes.Put(h, "a", "pin", long) || notes.Get(h, "a", "pin") != "1" {
			t.Error("a note is lost that a longer one cannot replace")
		}
		if !notes.Put(h, "a", "pin", "2") || notes.Get(h, "a", "pin") != "2" {
			t.Error("a note is not replaced")
		}
	})
}

func ExampleHost_NewTool() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	clock := h.NewTool(&mcp.Tool{Name: "time", Description: "Returns the time."},
		func(context.Context, mcp.RawMessage) (string, error) { return "12:00", nil })
	fmt.Println(clock.Execute(ctx, nil))
	// Output: 12:00 <nil>
}
