package dialers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
)

// serveAt is the environment variable that makes this program an HTTP server.
const serveAt = "STDMCP_SERVE_AT"

// serve is such a server, which starts slowly and ends with standard input.
func serve(address string) {
	if address == "never" {
		fmt.Fprintln(os.Stderr, "error: no license")
		os.Exit(3)
	}
	fmt.Println("starting") // web servers print to standard output
	time.Sleep(100 * time.Millisecond)
	l, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() { // ends with the process
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	mux := http.NewServeMux()
	mux.Handle("/crash", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { os.Exit(4) }))
	mux.Handle("/", testserver.NewHandler(testserver.New(nil), nil))
	_ = http.Serve(l, mux)
}

func webProgram(t *testing.T, address string) *host.Server {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &host.Server{Name: "web", Command: self, Env: []string{serveAt + "=" + address}, URL: "http://" + address + "/mcp"}
}

// TestProgramWithURL: an entry with a command and a URL starts the program, waits
// for it, and speaks HTTP to it.
func TestProgramWithURL(t *testing.T) {
	for _, kind := range []string{"", config.HTTP} {
		var started atomic.Int32
		h := host.New(&host.Options{Dialers: dialers.All(nil), Retry: host.Retry{Initial: time.Millisecond},
			Start: func(server string, cmd *exec.Cmd) error {
				if server != "web" || cmd.Path == "" {
					t.Errorf("%s, %s", server, cmd.Path)
				}
				started.Add(1)
				return cmd.Start()
			}})
		s := webProgram(t, testutil.FreeAddress(t))
		s.Type = kind
		if err := h.SetServers(t.Context(), []*host.Server{s}).Err(); err != nil {
			t.Fatal(err)
		}
		call := func() error {
			_, err := h.Execute(t.Context(), "mcp__web__echo", []byte(`{"message":"hi"}`))
			return err
		}
		if err := call(); err != nil || started.Load() != 1 {
			t.Errorf("%v, %d programs", err, started.Load())
		}
		// A program that ends is started again.
		if res, err := http.Get(strings.TrimSuffix(s.URL, "/mcp") + "/crash"); err == nil {
			res.Body.Close()
		}
		for deadline := time.Now().Add(time.Minute); started.Load() < 2 && time.Now().Before(deadline); {
			_ = call()
		}
		if err := call(); err != nil || started.Load() != 2 {
			t.Errorf("%v, %d programs", err, started.Load())
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := h.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	}
}

func TestProgramWithURLThatEndsIsTheReason(t *testing.T) {
	h := newHost(t, nil)
	s := webProgram(t, "never")
	s.URL = "http://" + testutil.FreeAddress(t) + "/mcp"
	d := h.SetServers(t.Context(), []*host.Server{s})
	if err := d.Errors["web"]; err == nil || !strings.Contains(err.Error(), "no license") {
		t.Error(err)
	}
	s = webProgram(t, testutil.FreeAddress(t))
	s.Command, s.URL = "/no/such/program", strings.Replace(s.URL, "http", "https", 1)
	var e *host.Error
	if err := h.SetServers(t.Context(), []*host.Server{s}).Errors["web"]; !errors.As(err, &e) || e.Code != "PROGRAM_NOT_FOUND" {
		t.Error(err)
	}
}
