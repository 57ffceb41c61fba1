package sse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// get starts a server that answers GET with what respond writes, and echoes
// the path of a POST in the answer that it writes to the stream.
func get(t *testing.T, respond func(w http.ResponseWriter, r *http.Request)) string {
	s := httptest.NewServer(http.HandlerFunc(respond))
	t.Cleanup(s.Close)
	return s.URL
}

func TestEndpoints(t *testing.T) {
	for _, v := range []struct{ stream, announced, override, want, err string }{
		{"/sse", "/messages?id=1", "", "/messages?id=1", ""},
		{"/proxy/sse", "messages?id=1", "", "/proxy/messages?id=1", ""},
		{"/proxy/sse?a=b", "?id=1", "", "/proxy/sse?id=1", ""},
		{"/sse", "SELF/m?id=1#f", "", "/m?id=1", ""},
		{"/sse", " /m ", "", "/m", ""},
		{"/moved/sse", "messages", "", "/to/messages", ""},
		{"/proxy/sse", "/messages?id=1", "/proxy/messages", "/proxy/messages?id=1", ""},
		{"/proxy/sse", "/messages?id=1#f", "messages", "/proxy/messages?id=1", ""},
		{"/sse", "/messages?id=1", "/m?id=2", "/m?id=2", ""},
		{"/sse", "http://example.com/m?id=1", "/m", "/m?id=1", ""},
		{"/sse", "/messages", "http://example.com/m", "", "Options.Endpoint"},
		{"/sse", "http://example.com/m?topsecret", "", "", "another origin, http://example.com/m?..., "},
		{"/sse", "//example.com/m", "", "", "another origin"},
		{"/sse", "https" + "SELF/m", "", "", "another origin"},
		{"/sse", "javascript:alert(1)", "", "", "another origin"},
		{"/sse", "http://[topsecret", "", "", "invalid URL"},
	} {
		t.Run(v.announced, func(t *testing.T) {
			paths := make(chan string, 1)
			url := get(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == "POST":
					paths <- r.URL.String()
				case strings.HasPrefix(r.URL.Path, "/moved/"):
					http.Redirect(w, r, "/to/sse", http.StatusTemporaryRedirect)
				default:
					w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
					announced := strings.ReplaceAll(v.announced, "SELF", "http://"+r.Host)
					announced = strings.Replace(announced, "httpshttp:", "https:", 1)
					fmt.Fprintf(w, ": hi\n\nevent: endpoint\ndata: %s\n\nevent: endpoint\ndata: /other\n\n", announced)
					w.(http.Flusher).Flush()
					<-r.Context().Done()
				}
			})
			conn, err := New(url+v.stream, &Options{Endpoint: v.override}).Open(within(t, callTimeout), jsonrpc.Handler{})
			if v.err != "" {
				if err == nil || !strings.Contains(err.Error(), v.err) || strings.Contains(err.Error(), "topsecret") {
					t.Errorf("error is %v", err)
				}
				var origin *OriginError
				if got := errors.As(err, &origin); got != (v.err != "invalid URL") {
					t.Errorf("an OriginError: %v", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if err := conn.Notify(t.Context(), &jsonrpc.Request{Method: "n"}); err != nil {
				t.Fatal(err)
			}
			if got := <-paths; got != v.want {
				t.Errorf("posted to %s, want %s", got, v.want)
			}
		})
	}
}

func TestNotATransportOfThisKind(t *testing.T) {
	for _, v := range []struct {
		status int
		typ    string
		body   string
	}{
		{200, "text/html", "<html>"},
		{200, "application/json", `{"jsonrpc":"2.0"}`},
		{200, "text/x-bogus", "data: x"},
		{200, "x bogus", "data: x"},
		{200, "text/event-stream-2", "data: x"},
		{204, "", ""},
		{400, "application/json", `{"error":"no"}`},
		{401, "", ""},
		{403, "", ""},
		{404, "text/plain", "404 page not found"},
		{405, "", ""},
		{429, "", ""},
		{500, "", ""},
		{503, "text/html", "<html>"},
	} {
		url := get(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", v.typ)
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="x"`)
			w.Header().Set("Retry-After", "9")
			w.WriteHeader(v.status)
			io.WriteString(w, v.body)
		})
		_, err := New(url+"/mcp?key=topsecret", nil).Open(within(t, callTimeout), jsonrpc.Handler{})
		var status *StatusError
		if !errors.As(err, &status) {
			t.Errorf("%d: %v", v.status, err)
			continue
		}
		if status.Status != v.status || status.RetryAfter != 9*time.Second || len(status.WWWAuthenticate) != 1 || status.Body != v.body {
			t.Errorf("%d: %+v", v.status, status)
		}
		if !strings.HasPrefix(err.Error(), "GET "+url+"/mcp?...: ") || strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	}
}

// TestMediaTypeOfTheStream: its parameters mean nothing; it is always UTF-8.
func TestMediaTypeOfTheStream(t *testing.T) {
	for _, typ := range []string{
		"text/event-stream", "text/event-stream;", "text/event-stream;charset=windows-1252", "Text/Event-Stream ; charset=utf-8",
	} {
		url := get(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", typ)
			io.WriteString(w, "event: endpoint\ndata: /messages…\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})
		c, err := New(url, nil).Open(within(t, callTimeout), jsonrpc.Handler{})
		if err != nil {
			t.Errorf("%s: %v", typ, err)
			continue
		}
		if got := c.(*conn).endpoint.Path; got != "/messages…" {
			t.Errorf("%s: endpoint %s", typ, got)
		}
		c.Close()
	}
}

func TestCompressedStreamIsRefused(t *testing.T) {
	url := get(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Accept-Encoding"); got != "identity" {
			t.Errorf("Accept-Encoding: %s", got)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", "gzip")
	})
	var status *StatusError
	if _, err := New(url, nil).Open(t.Context(), jsonrpc.Handler{}); !errors.As(err, &status) {
		t.Error(err)
	}
}

func TestNoEndpoint(t *testing.T) {
	stream := func(text string, hang bool) string {
		return get(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, text)
			w.(http.Flusher).Flush()
			if hang {
				<-r.Context().Done()
			}
		})
	}
	for _, text := range []string{"", "data: {}\n\n", "event: endpoint\ndata: /cut", ":\n\n"} {
		var dropped drops
		_, err := New(stream(text, false), nil).Open(t.Context(), dropped.handler())
		if !errors.Is(err, errNoEndpoint) {
			t.Errorf("%q: %v", text, err)
		}
		if got := dropped.all(); (len(got) == 1) != strings.HasPrefix(text, "data") {
			t.Errorf("%q: dropped %v", text, got)
		}
		// On a busy machine, the header itself may be late.
		for timeout := 50 * time.Millisecond; ; timeout *= 4 {
			_, err = New(stream(text, true), &Options{HeaderTimeout: timeout}).Open(t.Context(), jsonrpc.Handler{})
			if errors.Is(err, context.DeadlineExceeded) && strings.Contains(err.Error(), "no endpoint event within "+timeout.String()) {
				break
			}
			if timeout > callTimeout {
				t.Fatalf("%q: %v", text, err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err = New(stream(text, true), &Options{HeaderTimeout: -1}).Open(ctx, jsonrpc.Handler{})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := New(stream("event: endpoint\ndata: "+strings.Repeat("x", 1000), true), &Options{MaxMessage: 100}).Open(t.Context(), jsonrpc.Handler{}); !errors.Is(err, jsonrpc.ErrTooLarge) {
		t.Error(err)
	}
}

func TestCannotBeOpened(t *testing.T) {
	private := newTLS(t, nil, func(*httptest.Server) {})
	evil := get(t, func(http.ResponseWriter, *http.Request) { t.Error("credentials went to another origin") })
	away := get(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, evil+"/sse?topsecret", http.StatusTemporaryRedirect)
	})
	loop := get(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/sse", http.StatusPermanentRedirect)
	})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, v := range []struct {
		url  string
		opts *Options
		ctx  context.Context
		want string
	}{
		{"http://" + testutil.FreeAddress(t), nil, t.Context(), "onnection refused"},
		{private.URL, &Options{Client: &http.Client{Transport: &http.Transport{TLSHandshakeTimeout: testutil.Timeout}}}, t.Context(), "certificate"},
		{away, nil, t.Context(), "another origin"},
		{loop, nil, t.Context(), "too many redirects"},
		{away, nil, over, "context canceled"},
		{"ftp://x", nil, t.Context(), "invalid URL"},
		{"http://u:topsecret@x:y", nil, t.Context(), "invalid URL"},
		{away, &Options{Header: http.Header{"X": {"topsecret\n"}}}, t.Context(), `header "X"`},
	} {
		tr := New(v.url, v.opts)
		_, err := tr.Open(v.ctx, jsonrpc.Handler{})
		if err == nil || !strings.Contains(err.Error(), v.want) || strings.Contains(err.Error()+tr.String(), "topsecret") {
			t.Errorf("%s: %v", v.url, err)
		}
	}
	if got := New("https://u:topsecret@example.com/sse?key=topsecret", nil).String(); got != "https://example.com/sse?..." {
		t.Error(got)
	}
}

func TestOptionsAreCopied(t *testing.T) {
	s := serve(t, func(s *stream) { s.answer(1); s.wait() })
	opts := Options{Header: http.Header{"Authorization": {"Bearer a"}}, Client: &http.Client{Timeout: time.Nanosecond}} // every request would exceed it
	tr := New(s.URL+"/sse", &opts)
	opts.Header.Set("Authorization", "Bearer b")
	conn, err := tr.Open(t.Context(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	call(t, conn, "{}")
	if got := (<-s.headers).Get("Authorization"); got != "Bearer a" {
		t.Error(got)
	}
	if opts.HeaderTimeout != 0 || opts.Client.Transport != nil {
		t.Error("the options were changed")
	}
}

func TestContextOfOpenEndsWithOpen(t *testing.T) {
	s := serve(t, func(s *stream) { s.answer(1); s.wait() })
	ctx, cancel := context.WithCancel(t.Context())
	conn, err := New(s.URL+"/sse", nil).Open(ctx, jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	cancel()
	call(t, conn, "{}")
}

func TestTransportDescribesItself(t *testing.T) {
	tr := New("https://user:secret@example.com/sse?key=secret", nil)
	if tr.URL != "https://user:secret@example.com/sse?key=secret" {
		t.Error(tr.URL)
	}
	if f := tr.Features(); f.Kind != "HTTP+SSE" || f.Name != tr.String() || f.Name != "https://example.com/sse?..." {
		t.Errorf("%+v", f)
	}
}
