package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
)

// catalogPath returns the path of a catalog that does not exist yet.
func catalogPath(t testing.TB) string { return filepath.Join(t.TempDir(), "cache", "catalog") }

// withBrokenCatalog returns a host with the fakes and the catalog at path, and its
// events, which are few.
func (fs fakes) withBrokenCatalog(path string) (*host.Host, <-chan host.Event) {
	h := host.New(fs.with(host.Options{Catalog: host.OpenCatalog(path)}))
	return h, h.Events(context.Background())
}

// catalogReports returns what was wrong with the catalog of a host that is shut down.
func catalogReports(events <-chan host.Event) (reports []string) {
	for e := range events {
		if e.Kind == host.CatalogFailed {
			reports = append(reports, e.Err.Error())
		}
	}
	return reports
}

// fill runs a host with the fakes until the catalog at path contains them. It must
// be called in a synctest bubble.
func (fs fakes) fill(t testing.TB, path string) {
	t.Helper()
	h := host.New(fs.with(host.Options{Catalog: host.OpenCatalog(path)}))
	if d := h.SetServers(t.Context(), fs.servers()); len(d.Errors) > 0 {
		t.Fatal(d.Errors)
	}
	synctest.Wait() // until resources and prompts are listed
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// opened returns how many connections the fakes had.
func (fs fakes) opened() (n int) {
	for _, f := range fs {
		n += f.opened()
	}
	return n
}

func TestCatalogShowsToolsBeforeServersStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs, path := fakes{"a": newFake(nil), "b": newFake(nil), "lazy": newFake(nil), "must": newFake(nil)}, catalogPath(t)
		fs.fill(t, path)
		before := fs.opened()

		h := newHost(t, fs.with(host.Options{Catalog: host.OpenCatalog(path)}))
		events := h.Events(t.Context())
		servers := fs.servers()
		servers[2].Lazy = true
		if err := h.SetServers(t.Context(), servers).Err(); err != nil {
			t.Fatal(err)
		}
		if fs.opened() != before || len(h.Tools()) != 4*17 {
			t.Fatalf("%d connections, %d tools", fs.opened()-before, len(h.Tools()))
		}
		tool := h.Tool("mcp__a__echo")
		if tool.Connected() || tool.Description() != "[MCP:a] Returns the message it is given." {
			t.Errorf("%v, %q", tool.Connected(), tool.Description())
		}
		status, err := h.ServerStatus("a")
		if err != nil || status.State != host.Disconnected || status.Info.Name == "" || len(status.Tools) != 17 ||
			len(status.Resources) == 0 || len(status.Prompts) == 0 {
			t.Errorf("%+v, %v", status, err)
		}
		list, err := h.ResourceTools()[0].Execute(t.Context(), nil)
		if err != nil || strings.Count(list, `"server":"a"`) != len(status.Resources) || fs.opened() != before {
			t.Errorf("%s", list)
		}

		version := h.Snapshot().Version()
		for range 2 {
			if text, err := tool.Execute(t.Context(), raw(`{"message":"hi"}`)); text != "hi" || err != nil {
				t.Errorf("%q, %v", text, err)
			}
		}
		if fs.opened() != before+1 || fs["a"].opened() != 2 || h.Snapshot().Version() != version {
			t.Errorf("%d connections, version %d", fs.opened()-before, h.Snapshot().Version())
		}
		// A server that the program disconnects still shows its tools; one that
		// crashes does not.
		if err := h.Disconnect(t.Context(), "a"); err != nil || h.Tool("mcp__a__echo") == nil {
			t.Errorf("%v", err)
		}
		if _, err := tool.Execute(t.Context(), raw(`{"message":"hi"}`)); err != nil {
			t.Error(err)
		}
		fs["a"].crash()
		awaitState(t, events, "a", host.Reconnecting)
		if h.Snapshot().Tool("mcp__a__echo") != nil {
			t.Error("a crashed server shows tools")
		}
	})
}

func TestCatalogShowsToolsWhileAnotherServerHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs, path := fakes{"a": newFake(nil), "b": newFake(nil)}, catalogPath(t)
		fs.fill(t, path)
		fs["new"] = newFake(&testserver.Options{Fault: "mute"})
		h := newHost(t, fs.with(host.Options{Catalog: host.OpenCatalog(path)}))
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		diff := h.SetServers(ctx, fs.servers())
		if diff.Err() != nil || !slices.Equal(diff.Pending, []string{"new"}) || len(h.Tools()) != 2*17 || time.Since(began) != 200*time.Millisecond {
			t.Errorf("%v, pending %q, %d tools after %v", diff.Err(), diff.Pending, len(h.Tools()), time.Since(began))
		}
		if status, err := h.ServerStatus("new"); err != nil || status.State != host.Connecting {
			t.Errorf("%v, %v", status, err)
		}
	})
}

func TestCatalogConnectsToRequiredServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs, path := fakes{"a": newFake(nil), "b": newFake(nil)}, catalogPath(t)
		fs.fill(t, path)
		servers := fs.servers()
		servers[1].Required = true
		h := newHost(t, fs.with(host.Options{Catalog: host.OpenCatalog(path)}))
		if err := h.SetServers(t.Context(), servers).Err(); err != nil || fs["a"].opened() != 1 || fs["b"].opened() != 2 {
			t.Errorf("%v, %d and %d connections", err, fs["a"].opened(), fs["b"].opened())
		}
		if err := h.SetEnabled("a", false); err != nil || h.Tool("mcp__a__echo") != nil {
			t.Error("a disabled server shows tools")
		}
		if err := h.SetEnabled("a", true); err != nil || h.Tool("mcp__a__echo") == nil || fs["a"].opened() != 1 {
			t.Errorf("enabled again: %v, %d connections", err, fs["a"].opened())
		}
	})
}

// TestCatalogServerThatFailsHidesItsTools: what the catalog contains is an offer
// until the server is tried.
func TestCatalogServerThatFailsHidesItsTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs, path := fakes{"a": newFake(nil)}, catalogPath(t)
		fs.fill(t, path)
		fs["a"].failWith(errors.New("out of order"))
		h := newHost(t, fs.with(host.Options{Catalog: host.OpenCatalog(path), Retry: host.Retry{Max: -1}}))
		h.SetServers(t.Context(), fs.servers())
		if _, err := h.Execute(t.Context(), "mcp__a__echo", nil); err == nil || !strings.Contains(err.Error(), "out of order") {
			t.Error(err)
		}
		if len(h.Tools()) != 0 {
			t.Error("a failed server shows tools")
		}
	})
}

func TestRefreshReportsWhatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs, path := fakes{"a": newFake(nil), "b": newFake(nil)}, catalogPath(t)
		fs.fill(t, path)
		more := newFake(&testserver.Options{Tools: 1})
		h := newHost(t, fakes{"a": more, "b": fs["b"]}.with(host.Options{Catalog: host.OpenCatalog(path)}))
		h.SetServers(t.Context(), fs.servers())
		d := h.Refresh(t.Context())
		if !slices.Equal(d.Changed, []string{"a"}) || len(d.Errors) != 0 || d.Err() != nil || len(h.Tools()) != 2*17+1 {
			t.Errorf("%+v, %v", d, d.Err())
		}
		if d := h.Refresh(t.Context(), "b", "none", "b"); len(d.Changed) != 0 || !errors.Is(d.Errors["none"], host.ErrUnknownServer) || d.Err() != nil {
			t.Errorf("%+v", d)
		}
		if d := h.Refresh(t.Context(), "none"); d.Err() == nil {
			t.Error("no error though every server failed")
		}
	})
}

func TestCatalogThatCannotBeUsedIsReported(t *testing.T) {
	write := func(path, text string, mode os.FileMode) {
		if err := errors.Join(statefile.MakeDir(path), os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, path string)
		says    string
		rebuilt bool
	}{
		{"corrupt", func(t *testing.T, path string) { write(path, `{"version":1,"servers":[{`, 0o600) }, "the file is not a catalog", true},
		{"empty", func(t *testing.T, path string) { write(path, ``, 0o600) }, "the file is not a catalog", true},
		{"another kind of file", func(t *testing.T, path string) { write(path, `["tokens"]`, 0o600) }, "the file is not a catalog", true},
		{"from the future", func(t *testing.T, path string) { write(path, `{"version":2,"servers":{}}`, 0o600) }, "a later version", true},
		{"too large", func(t *testing.T, path string) { write(path, strings.Repeat(" ", 16<<20+1), 0o600) }, "larger than 16777216 bytes", true},
		{"writable by others", func(t *testing.T, path string) { write(path, `{"version":1,"servers":[]}`, 0o666) }, "not private", true},
		{"of another user", func(t *testing.T, path string) {
			write(path, `{"version":1,"servers":[]}`, 0o600)
			if err := os.Chown(path, os.Getuid()+1, -1); err != nil {
				t.Skip("did not run: only root can give a file away: ", err)
			}
		}, "not private", true},
		{"a directory", func(t *testing.T, path string) { write(path+"/x", "", 0o600) }, "", false},
		{"in no directory", func(t *testing.T, path string) { write(filepath.Dir(path), "", 0o600) }, "", false},
		{"locked", func(t *testing.T, path string) {
			if err := statefile.MakeDir(path); err != nil {
				t.Fatal(err)
			}
			unlock, err := statefile.Lock(t.Context(), path+".lock")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(unlock)
		}, "another process has locked it", false},
	} {
		if tt.name == "writable by others" && (runtime.GOOS == "windows" || runtime.GOOS == "wasip1") {
			continue // files have no mode
		}
		t.Run(tt.name, func(t *testing.T) {
			path := catalogPath(t)
			tt.prepare(t, path)
			synctest.Test(t, func(t *testing.T) {
				fs := fakes{"a": newFake(nil)}
				h, events := fs.withBrokenCatalog(path)
				if err := h.SetServers(t.Context(), fs.servers()).Err(); err != nil {
					t.Fatal(err)
				}
				if text, err := h.Execute(t.Context(), "mcp__a__echo", raw(`{"message":"hi"}`)); text != "hi" || err != nil {
					t.Errorf("%q, %v", text, err)
				}
				if err := h.Shutdown(t.Context()); err != nil {
					t.Fatal(err)
				}
				reports := catalogReports(events)
				if len(reports) == 0 || len(reports) > 3 || !strings.Contains(strings.Join(reports, "\n"), tt.says) || !strings.Contains(reports[0], strings.ReplaceAll(path, `\`, `\\`)) {
					t.Errorf("%q", reports)
				}
				t.Log(reports)
				again := newHost(t, fs.with(host.Options{Catalog: host.OpenCatalog(path)}))
				again.SetServers(t.Context(), fs.servers())
				if rebuilt := fs["a"].opened() == 1; rebuilt != tt.rebuilt {
					t.Errorf("rebuilt: %v", rebuilt)
				}
			})
		})
	}
}

func TestCatalogOfSeveralHostsKeepsAllEntries(t *testing.T) {
	synctest.Test(t, testSeveralHosts)
}

func testSeveralHosts(t *testing.T) {
	path := catalogPath(t)
	all := fakes{}
	done := make(chan struct{})
	for _, name := range []string{"a", "b", "c", "d"} {
		fs := fakes{name: newFake(nil)}
		all[name] = fs[name]
		go func() { // ends when its host has ended
			h := host.New(fs.with(host.Options{Catalog: host.OpenCatalog(path)}))
			if err := errors.Join(h.SetServers(t.Context(), fs.servers()).Err(), h.Shutdown(t.Context())); err != nil {
				t.Error(err)
			}
			done <- struct{}{}
		}()
	}
	for range all {
		<-done
	}
	h := newHost(t, all.with(host.Options{Catalog: host.OpenCatalog(path)}))
	h.SetServers(t.Context(), all.servers())
	if all.opened() != 4 || len(h.Tools()) != 4*17 {
		t.Errorf("%d connections, %d tools", all.opened(), len(h.Tools()))
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) > 2 { // the catalog and, except on systems without file locks, its lock
		t.Errorf("%v, %v", files, err)
	}
}

// Records of many servers are completed at once and written together; the race
// detector sees whether they share something.
func TestCatalogOfManyServersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs, path := fakes{}, catalogPath(t)
		for i := range 20 {
			fs["s"+strconv.Itoa(i)] = newFake(nil)
		}
		h := host.New(fs.with(host.Options{Catalog: host.OpenCatalog(path), Parallel: len(fs)}))
		if d := h.SetServers(t.Context(), fs.servers()); len(d.Errors) > 0 {
			t.Fatal(d.Errors)
		}
		want := len(h.Tools())
		if err := h.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		h = host.New(fs.with(host.Options{Catalog: host.OpenCatalog(path)}))
		h.SetServers(t.Context(), fs.servers())
		if got := len(h.Tools()); got != want || want < len(fs) {
			t.Errorf("%d tools, want %d", got, want)
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs, path := fakes{"a": newFake(nil), "b": newFake(nil)}, catalogPath(t)
		fs.fill(t, path)
		c := host.OpenCatalog(path)
		if err := errors.Join(c.Forget("a"), c.Forget("none"), (*host.Catalog)(nil).Forget("a"), new(host.Catalog).Forget("a")); err != nil {
			t.Fatal(err)
		}
		h := newHost(t, fs.with(host.Options{Catalog: c}))
		h.SetServers(t.Context(), fs.servers())
		if fs["a"].opened() != 2 || fs["b"].opened() != 1 {
			t.Errorf("%d and %d connections", fs["a"].opened(), fs["b"].opened())
		}
	})
}

// TestForgetWhileTheFileIsWritten: a host lists resources before it writes an entry.
func TestForgetWhileTheFileIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs, path := fakes{"a": newFake(nil)}, catalogPath(t)
		c := host.OpenCatalog(path)
		listing := false
		slow := func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			if call.Method == "resources/list" {
				listing = true
				time.Sleep(time.Second)
			}
			return call.Send(ctx)
		}
		h := newHost(t, fs.with(host.Options{Catalog: c, Client: &mcp.Options{Interceptors: []mcp.Interceptor{slow}}}))
		h.SetServers(t.Context(), fs.servers())
		synctest.Wait()
		if err := c.Forget("a"); err != nil || !listing {
			t.Fatal(err, listing)
		}
		time.Sleep(time.Minute)
		if data, err := os.ReadFile(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v, %s", err, data)
		}
	})
}

// TestCatalogContainsNoSecrets also tests what identifies an entry.
func TestCatalogContainsNoSecrets(t *testing.T) {
	path := catalogPath(t)
	settings := func(change func(*host.Server)) *host.Server {
		s := child("x", nil)
		s.Source, s.Env = "/home/me/.mcp.json", append(s.Env, "API_KEY=env-s3cret")
		s.Args = append(s.Args, "--token", "arg-s3cret", "https://me:url-s3cret@host/?key=query-s3cret")
		if change != nil {
			change(s)
		}
		return s
	}
	run := func(s *host.Server) (known bool) {
		h := host.New(&host.Options{Catalog: host.OpenCatalog(path)})
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := h.Shutdown(ctx); err != nil {
				t.Error(err)
			}
		}()
		s.Lazy = true
		h.SetServers(t.Context(), []*host.Server{s})
		if known = len(h.Tools()) > 0; !known {
			if err := h.Connect(t.Context(), s.Name); err != nil {
				t.Fatal(err)
			}
		}
		return known
	}
	if run(settings(nil)) || !run(settings(nil)) {
		t.Fatal("the server is not in the catalog after it was connected")
	}
	if !run(settings(func(s *host.Server) { s.Env[len(s.Env)-1] = "API_KEY=another-s3cret" })) {
		t.Error("a value takes part in what identifies an entry")
	}
	for name, change := range map[string]func(*host.Server){
		"source":    func(s *host.Server) { s.Source = "/other/.mcp.json" },
		"directory": func(s *host.Server) { s.Dir = t.TempDir() },
		"argument":  func(s *host.Server) { s.Args = append(s.Args, "more") },
		"variable":  func(s *host.Server) { s.Env = append(s.Env, "MORE=1") },
		"name":      func(s *host.Server) { s.Name = "y" },
	} {
		if run(settings(change)) {
			t.Errorf("another %s has the same entry", name)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), "s3cret") {
		t.Errorf("%v: the catalog contains a secret", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" { // where files have no mode
		t.Errorf("%v, %v", info, err)
	}
}

// TestCatalogRemembersEras: a legacy server is probed again after a day, unless the
// probe has broken it and it is still the same.
func TestCatalogRemembersEras(t *testing.T) {
	const day = 24 * time.Hour
	for _, tt := range []struct {
		name   string
		o      testserver.Options
		wait   time.Duration
		edit   [2]string // of the file
		probes []int     // until the end of each host
	}{
		{"soon", onlyVersion(mcp.ProtocolVersion20251125), time.Hour, [2]string{}, []int{1, 1, 1}},
		{"later", onlyVersion(mcp.ProtocolVersion20251125), day + time.Hour, [2]string{}, []int{1, 2, 3}},
		{"broken", testserver.Options{Fault: "starts-once", Delay: 2 * time.Second}, 100 * day, [2]string{}, []int{1, 1, 1}},
		{"updated", testserver.Options{Fault: "starts-once", Delay: 2 * time.Second}, time.Hour, [2]string{`"version":"1.0.0"`, `"version":"0.9"`}, []int{1, 1, 2}},
		{"an older file", onlyVersion(mcp.ProtocolVersion20251125), time.Hour, [2]string{`"probed":`, `"x":`}, []int{1, 2, 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fs, path := fakes{"x": newFake(&tt.o)}, catalogPath(t)
				for i, want := range tt.probes {
					h := host.New(fs.with(host.Options{Catalog: host.OpenCatalog(path)}))
					h.SetServers(t.Context(), fs.servers())
					if _, err := h.CallTool(t.Context(), "x", "image", nil); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					if err := h.Shutdown(t.Context()); err != nil {
						t.Fatal(err)
					}
					if got := requests(fs["x"].Server, "server/discover"); got != want {
						t.Errorf("host %d: %d probes, want %d", i, got, want)
					}
					if data, err := os.ReadFile(path); i == 0 && tt.edit[0] != "" {
						text := strings.Replace(string(data), tt.edit[0], tt.edit[1], 1)
						if err != nil || text == string(data) || os.WriteFile(path, []byte(text), 0o600) != nil {
							t.Errorf("%s, %v", data, err)
						}
					}
					time.Sleep(tt.wait)
				}
			})
		})
	}
}
