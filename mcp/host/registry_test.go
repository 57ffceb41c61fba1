package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp/host"
)

func TestUpdatesAreWithoutGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"x": newFake(nil), "y": newFake(nil)}
		h := newHost(t, fs.with(host.Options{}))
		var mu sync.Mutex
		registry := map[string]*host.Tool{}
		var updates, first int
		ended := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { // ends with ctx
			defer close(ended)
			for u := range h.Updates(ctx) {
				mu.Lock()
				if updates++; updates == 1 {
					first = len(u.Tools)
				}
				for _, tool := range u.Removed {
					delete(registry, tool.Name())
				}
				for _, tool := range append(u.Added, u.Changed...) {
					registry[tool.Name()] = tool
				}
				mu.Unlock()
				time.Sleep(time.Second) // changes go on in the meantime
			}
		}()
		synctest.Wait()
		equal := func() {
			t.Helper()
			time.Sleep(3 * time.Second)
			tools := h.Tools()
			mu.Lock()
			defer mu.Unlock()
			for _, tool := range tools {
				if registry[tool.Name()] != tool {
					t.Errorf("%s: the registry has another tool", tool.Name())
				}
			}
			if len(registry) != len(tools) {
				t.Errorf("the registry has %d of %d tools", len(registry), len(tools))
			}
		}
		if err := h.SetServers(t.Context(), fs.servers()).Err(); err != nil {
			t.Fatal(err)
		}
		equal()
		for range 50 {
			if _, err := h.CallTool(t.Context(), "x", "add_tool", nil); err != nil {
				t.Fatal(err)
			}
		}
		equal()
		fs["y"].crash()
		time.Sleep(100 * time.Millisecond)
		equal()
		if err := h.RemoveServer(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		equal()
		cancel()
		<-ended
		if first != 0 || updates < 4 || updates > 10 {
			t.Errorf("%d tools at first, %d updates", first, updates)
		}
	})
}

func TestUpdatesOfAView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"x": newFake(nil), "y": newFake(nil)}
		h := fs.start(t, host.Options{})
		var seen []string
		ended := make(chan struct{})
		go func() { // ends with the host
			defer close(ended)
			for u := range h.View("x").Can(host.Capabilities{"mcp_x_echo"}).Updates(context.Background()) {
				seen = append(seen, fmt.Sprint(len(u.Tools), len(u.Added), len(u.Removed), len(u.Changed)))
			}
		}()
		synctest.Wait()
		for _, name := range []string{"y", "x"} {
			if err := h.SetEnabled(name, false); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-ended
		if !slices.Equal(seen, []string{"1 1 0 0", "0 0 1 0"}) {
			t.Errorf("%q", seen)
		}
	})
}

func TestUpdatesReportChangedDefinitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tooled{harmless}
		h := s.start(t, host.Options{})
		defer h.Shutdown(t.Context())
		n := 0
		for u := range h.Updates(t.Context()) {
			if n++; n == 2 {
				if len(u.Changed) != 1 || u.Changed[0].Definition().Description == "Reads a file." || len(u.Added)+len(u.Removed) != 0 {
					t.Errorf("%+v", u)
				}
				break
			}
			s.tools = reworded // within the body: the next update has it
			if err := h.Refresh(t.Context(), "x").Errors["x"]; err != nil {
				t.Fatal(err)
			}
		}
	})
}

func ExampleHost_Updates() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	for u := range h.Updates(ctx) { // in a goroutine of the program
		fmt.Println(len(u.Added), "added,", len(u.Removed), "removed")
		if len(u.Tools) == 0 {
			break
		}
		if err := h.SetEnabled("echo", false); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 17 added, 0 removed
	// 0 added, 17 removed
}

func TestFollowerHasAllToolsAfterSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"x": newFake(nil), "y": newFake(nil), "z": newFake(nil)}
		h := newHost(t, fs.with(host.Options{}))
		var mu sync.Mutex
		registry := map[string]*host.Tool{}
		running := 0
		f := h.Follow(t.Context(), func(u *host.ToolsUpdate) {
			if running++; running != 1 {
				t.Error("two calls at the same time")
			}
			time.Sleep(time.Second)
			h.Status() // no lock is held
			mu.Lock()
			for _, tool := range u.Removed {
				delete(registry, tool.Name())
			}
			for _, tool := range append(u.Added, u.Changed...) {
				registry[tool.Name()] = tool
			}
			mu.Unlock()
			running--
		})
		h.SetServers(t.Context(), fs.servers())
		for range 3 {
			if err := f.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			if len(registry) != len(h.Tools()) {
				t.Errorf("%d of %d tools", len(registry), len(h.Tools()))
			}
			mu.Unlock()
			fewer := fs.servers()[:1]
			h.SetServers(t.Context(), fewer)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		h.SetServers(t.Context(), fs.servers())
		synctest.Wait() // the follower's goroutine is in the function
		if err := f.Sync(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// A program keeps a registry of its own, which has all tools when its start returns.
func ExampleHost_Follow() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	registry := map[string]*host.Tool{}
	tools := h.Follow(ctx, func(u *host.ToolsUpdate) { // one call at a time
		for _, t := range u.Removed {
			delete(registry, t.Name())
		}
		for _, t := range append(u.Added, u.Changed...) {
			registry[t.Name()] = t
		}
	})
	if err := h.SetEnabled("echo", true); err != nil { // or SetServers
		fmt.Println(err)
	}
	if err := tools.Sync(ctx); err != nil {
		fmt.Println(err)
	}
	text, err := registry["mcp__echo__add"].CallText(ctx, map[string]any{"a": 2, "b": 40})
	fmt.Println(len(registry), text, err)
	// Output: 17 42 <nil>
}
