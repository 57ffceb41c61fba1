package faulttest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// TestMonth: a host of five servers, over every transport, calls tools every few
// minutes for 30 days, while each server restarts every day and loses its
// sessions and subscriptions, and its tools change. Once a day each server returns a
// result that is too long, of which the host writes a file. At the end the host has
// as many goroutines and files and as much memory as after the second day. Time is
// virtual.
func TestMonth(t *testing.T) {
	days, every := 30, time.Hour
	if os.Getenv("STDMCP_LONG") != "" {
		every = 5 * time.Minute
	}
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		servers := []*env{
			{transport: 'S', version: modern}, {transport: 'S', version: legacy}, {transport: 'E', version: oldest},
			{transport: 'H', version: modern}, {transport: 'H', version: legacy},
		}
		var transports []mcp.Transport
		for _, s := range servers {
			transports = append(transports, s.start(t))
		}
		dial := func(_ context.Context, p *host.DialParams) (mcp.Transport, error) {
			i, err := strconv.Atoi(p.Name[1:])
			if err != nil {
				return nil, err
			}
			return transports[i], nil
		}
		h := host.New(&host.Options{
			KeepAlive: every / 2, Dialers: host.Dialers{config.Stdio: dial},
			Client:  &mcp.Options{Cache: mcp.CacheSize(1 << 20)},
			Catalog: host.OpenCatalog(filepath.Join(folder, "catalog")),
			Limits:  &host.ResultLimits{MaxResultText: 100, Folder: filepath.Join(folder, "results"), MaxFolder: 2_000},
		})
		events := h.Events(context.Background())
		go func() { // ends with the host
			for e := range events {
				if e.Kind == host.CatalogFailed {
					t.Error(e.Err)
				}
			}
		}()
		for i := range servers {
			testutil.Must(t, h.AddServer(t.Context(), &config.Server{Name: fmt.Sprint("s", i), Type: config.Stdio, Command: "s", Args: []string{strconv.Itoa(i)}}))
		}
		calls, failed := 0, 0
		long := strings.Repeat("long ", 50)
		day := func(n int) {
			for i := range servers {
				tool := h.Tool(fmt.Sprintf("mcp__s%d__echo", i))
				if res, err := tool.Call(t.Context(), map[string]any{"message": long}); err != nil || !strings.Contains(res.Text(), folder) {
					t.Errorf("day %d: %v, %v", n, res, err)
				}
			}
			for begin := time.Now(); time.Since(begin) < 24*time.Hour-time.Hour; time.Sleep(every) {
				for i := range servers {
					tool := h.Tool(fmt.Sprintf("mcp__s%d__echo", i))
					if calls++; tool == nil {
						failed++
					} else if _, err := tool.Call(t.Context(), map[string]any{"message": "hi"}); err != nil {
						failed++
					}
				}
			}
			for i, s := range servers {
				if tool := h.Tool(fmt.Sprintf("mcp__s%d__add_tool", i)); s.transport == 'S' && tool != nil {
					_, _ = tool.Call(t.Context(), nil) // the list changes
					synctest.Wait()                    // until the host has read it
				}
				s.restart(t)
			}
			time.Sleep(30 * time.Minute) // all are connected again
			synctest.Wait()
		}
		type use struct{ goroutines, heap, files, bytes int }
		measure := func() use {
			for i := range servers {
				if h.Tool(fmt.Sprintf("mcp__s%d__echo", i)) == nil {
					t.Errorf("server %d is not connected: %v", i, h.Status()[i].Err)
				}
			}
			for _, s := range servers {
				if s.running != nil {
					s.running.Forget()
				}
				for _, server := range s.servers {
					server.Forget()
				}
			}
			files, size := filesIn(t, folder)
			return use{testutil.BubbleGoroutines(), inUse(), files, size}
		}
		day(1)
		day(2)
		early := measure()
		for n := 3; n <= days; n++ {
			day(n)
		}
		late := measure()
		t.Logf("%d calls, %d failed; goroutines %d → %d, heap %.2f → %.2f MiB, files %d → %d of %d → %d bytes", calls, failed,
			early.goroutines, late.goroutines, float64(early.heap)/(1<<20), float64(late.heap)/(1<<20), early.files, late.files, early.bytes, late.bytes)
		figures.add("a month of virtual time, a host of five servers that restart every day", "no growth after the second day",
			"%d calls, %d failed; %d → %d goroutines; %s → %s; %d → %d files", calls, failed,
			early.goroutines, late.goroutines, mib(int64(early.heap)), mib(int64(late.heap)), early.files, late.files)
		if failed > 0 {
			t.Errorf("%d of %d calls failed", failed, calls)
		}
		if late.goroutines > early.goroutines {
			t.Errorf("%d goroutines, after the second day there were %d", late.goroutines, early.goroutines)
		}
		if grown := late.heap - early.heap; grown > 256<<10 {
			t.Errorf("the heap has grown by %d bytes", grown)
		}
		if late.files != early.files || late.bytes > early.bytes+100 { // numbers in the names and times grow
			t.Errorf("%d files of %d bytes, after the second day there were %d of %d bytes", late.files, late.bytes, early.files, early.bytes)
		}
		testutil.Check(t, h.Shutdown(t.Context()))
		if files, _ := filesIn(t, filepath.Join(folder, "results")); files > 0 {
			t.Errorf("Shutdown leaves %d files of results", files)
		}
	})
}

// filesIn returns the number of files below a folder and their size in bytes.
func filesIn(t *testing.T, folder string) (files, size int) {
	t.Helper()
	testutil.Check(t, filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			files, size = files+1, size+int(info.Size())
		}
		return err
	}))
	return files, size
}
