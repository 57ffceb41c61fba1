package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/lab/tasks/gosdk"
	"github.com/stdmcp/stdmcp/internal/lab/tasks/mcpgo"
	"github.com/stdmcp/stdmcp/internal/lab/tasks/model"
	"github.com/stdmcp/stdmcp/internal/lab/tasks/stdmcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func TestMain(m *testing.M) {
	mcptest.Main(map[string]func(*mcptest.Server){"tasks": prepare})
	os.Exit(m.Run())
}

// prepare adds what the tasks use.
func prepare(s *mcptest.Server) {
	s.Lenient = true // the other libraries violate the specification here and there
	s.Tool("echo", nil, func(c *mcptest.Call) (any, error) { return c.Text("message"), nil }).Description = "Repeats a message."
	s.Tool("weather", nil, func(c *mcptest.Call) (any, error) {
		if c.Text("name") != "Oslo" {
			return nil, errors.New("unknown city " + c.Text("name"))
		}
		return model.Weather{Celsius: -3}, nil
	})
	s.Tool("build", nil, func(c *mcptest.Call) (any, error) {
		c.Progress(1, 2, "compile")
		c.Progress(2, 2, "link")
		return "built", nil
	})
	s.Tool("order", nil, func(c *mcptest.Call) (any, error) {
		res, err := c.Elicit("Which size?", `{"type":"object","properties":{"size":{"type":"string"}}}`)
		if err != nil {
			return nil, err
		}
		return fmt.Sprint(res.Action, " ", res.Content["size"]), nil
	})
	s.Resource("test://bytes", "application/octet-stream", []byte{0, 1, 255})
	s.Resource("test://text", "text/plain", "text")
}

// library is how a library does the tasks.
type library struct {
	connect     func(ctx context.Context, command string, args ...string) (string, error)
	header      func(ctx context.Context, url, name, value string) (string, error)
	tools       func(ctx context.Context, url string, ask model.Ask) error
	typed       func(ctx context.Context, url string, in model.City) (model.Weather, error)
	progress    func(ctx context.Context, url string, timeout time.Duration, show func(done float64, message string)) (string, error)
	elicitation func(ctx context.Context, url string, ask func(message string) map[string]any) (string, error)
	changed     func(ctx context.Context, url string, show func(tools int)) error
	bytes       func(ctx context.Context, url, uri string) ([]byte, error)
	oauth       func(ctx context.Context, url string, browse func(ctx context.Context, page string) error) (string, error)
}

// TestTasks runs the tasks of all libraries with the same server. That of the test of
// an agent is a test in their folders.
func TestTasks(t *testing.T) {
	for name, l := range map[string]library{
		"stdmcp": {stdmcp.Connect, stdmcp.Header, stdmcp.Tools, stdmcp.Typed, stdmcp.Progress, stdmcp.Elicitation, stdmcp.Changed, stdmcp.Bytes, stdmcp.OAuth},
		"gosdk":  {gosdk.Connect, gosdk.Header, gosdk.Tools, gosdk.Typed, gosdk.Progress, gosdk.Elicitation, gosdk.Changed, gosdk.Bytes, gosdk.OAuth},
		"mcpgo":  {mcpgo.Connect, mcpgo.Header, mcpgo.Tools, mcpgo.Typed, mcpgo.Progress, mcpgo.Elicitation, mcpgo.Changed, mcpgo.Bytes, mcpgo.OAuth},
	} {
		t.Run(name, func(t *testing.T) {
			t.Run("connect", l.testConnect)
			t.Run("header", l.testHeader)
			t.Run("tools", l.testTools)
			t.Run("typed", l.testTyped)
			t.Run("progress", l.testProgress)
			t.Run("elicitation", l.testElicitation)
			t.Run("changed", l.testChanged)
			t.Run("bytes", l.testBytes)
			t.Run("oauth", l.testOAuth)
		})
	}
}

// start starts a server at a URL.
func start(t *testing.T) (*mcptest.Server, string) {
	s := mcptest.New(t)
	prepare(s)
	return s, s.StartHTTP(nil).URL
}

func want(t *testing.T, got any, err error, want any) {
	t.Helper()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func (l library) testConnect(t *testing.T) {
	program := mcptest.Command(t, "tasks")
	text, err := l.connect(t.Context(), "env", append(program.Env, program.Path)...)
	want(t, text, err, "hello")
}

func (l library) testHeader(t *testing.T) {
	server, _ := start(t)
	mux := http.NewServeMux()
	handler := server.Handler(nil)
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("X-Team") != "blue" {
			http.Error(w, "no team", http.StatusForbidden)
			return
		}
		handler.ServeHTTP(w, req)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	text, err := l.header(t.Context(), site.URL+"/mcp", "X-Team", "blue")
	want(t, text, err, "hello")
	if text, err := l.header(t.Context(), site.URL+"/mcp", "X-Team", "red"); err == nil {
		t.Errorf("the header did not matter: %q", text)
	}
}

func (l library) testTools(t *testing.T) {
	_, url := start(t)
	called := false
	err := l.tools(t.Context(), url, func(tools []model.Tool, call func(string, json.RawMessage) (string, error)) error {
		called = true
		if len(tools) != 4 || !json.Valid(tools[0].Parameters) {
			t.Errorf("%+v", tools)
		}
		text, err := call("echo", json.RawMessage(`{"message":"hi"}`))
		want(t, text, err, "hi")
		text, err = call("weather", json.RawMessage(`{"name":"Rome"}`))
		want(t, text, err, "unknown city Rome")
		return nil
	})
	want(t, called, err, true)
}

func (l library) testTyped(t *testing.T) {
	_, url := start(t)
	weather, err := l.typed(t.Context(), url, model.City{Name: "Oslo"})
	want(t, weather, err, model.Weather{Celsius: -3})
	if weather, err := l.typed(t.Context(), url, model.City{Name: "Rome"}); err == nil {
		t.Errorf("the failure of the tool is %v and no error", weather)
	}
}

func (l library) testProgress(t *testing.T) {
	server, url := start(t)
	seen := make(chan string, 10)
	text, err := l.progress(t.Context(), url, time.Minute, func(done float64, message string) { seen <- fmt.Sprint(done, " ", message) })
	want(t, text, err, "built")
	want(t, []string{<-seen, <-seen}, nil, []string{"1 compile", "2 link"})
	server.SetTool(server.Tool("build", nil, nil), func(c *mcptest.Call) (any, error) {
		<-c.Context().Done()
		return nil, nil
	})
	if text, err := l.progress(t.Context(), url, 100*time.Millisecond, func(float64, string) {}); err == nil {
		t.Errorf("%q in spite of the timeout", text)
	}
}

func (l library) testElicitation(t *testing.T) {
	_, url := start(t)
	text, err := l.elicitation(t.Context(), url, func(message string) map[string]any {
		want(t, message, nil, "Which size?")
		return map[string]any{"size": "large"}
	})
	want(t, text, err, "accept large")
}

func (l library) testChanged(t *testing.T) {
	server, url := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	shown := make(chan int, 1000)
	go func() { done <- l.changed(ctx, url, func(tools int) { shown <- tools }) }()
	// The list changes again and again, as mcp-go does not wait until the server has
	// acknowledged the subscription.
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for n := <-shown; n < 5; {
		select {
		case n = <-shown:
		case <-again.C:
			server.Tool("more", nil, func(*mcptest.Call) (any, error) { return nil, nil })
		case err := <-done:
			t.Fatal(err)
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the task ended with %v", err)
	}
}

func (l library) testBytes(t *testing.T) {
	_, url := start(t)
	bytes, err := l.bytes(t.Context(), url, "test://bytes")
	want(t, bytes, err, []byte{0, 1, 255})
	bytes, err = l.bytes(t.Context(), url, "test://text")
	want(t, bytes, err, []byte("text"))
}

func (l library) testOAuth(t *testing.T) {
	server, _ := start(t)
	auth := mcptest.NewAuthServer(t, "")
	site := httptest.NewServer(auth.Protect(server.Handler(nil)))
	t.Cleanup(site.Close)
	text, err := l.oauth(t.Context(), site.URL+"/mcp", auth.Browser)
	want(t, text, err, "hello")
	want(t, auth.Requests("authorize"), nil, 1)
}

// TestFewer requires that each task takes fewer lines and fewer concepts with stdmcp
// than with each other library, and no more than before.
func TestFewer(t *testing.T) {
	table, err := measure(".")
	if err != nil {
		t.Fatal(err)
	}
	for i, task := range tasks {
		own := table[i][0]
		if own.lines > task.lines || len(own.concepts) > task.concepts {
			t.Errorf("%s: %d lines and %d concepts, more than %d and %d", task.title, own.lines, len(own.concepts), task.lines, task.concepts)
		}
		for j, other := range table[i][1:] {
			if own.lines >= other.lines || len(own.concepts) >= len(other.concepts) {
				t.Errorf("%s: %d lines and %d concepts; %s has %d and %d", task.title, own.lines, len(own.concepts),
					libraries[j+1], other.lines, len(other.concepts))
			}
		}
	}
	if t.Failed() {
		t.Log("\n" + format(table))
	}
}
