package httpx

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A roundTripper is a server in memory.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var someURL = &url.URL{Scheme: "http", Host: "example.com", Path: "/mcp"}

func TestHeaderTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}, nil)
		start := time.Now()
		_, err := c.Do(t.Context(), &Request{Method: "GET", URL: someURL, HeaderTimeout: 30 * time.Second})
		wantTimeout(t, err, "GET http://example.com/mcp: no response within 30s")
		if d := time.Since(start); d != 30*time.Second {
			t.Errorf("after %v", d)
		}
	})
}

// drip is a server whose response is what is written to the pipe it returns.
func drip(t *testing.T) (*Client, *io.PipeWriter) {
	pr, pw := io.Pipe()
	return newClient(t, &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		context.AfterFunc(r.Context(), func() { pr.CloseWithError(r.Context().Err()) })
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: pr}, nil
	})}, nil), pw
}

func TestIdleTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := drip(t)
		resp, err := c.Do(t.Context(), &Request{Method: "GET", URL: someURL, HeaderTimeout: time.Second, IdleTimeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		go func() { // ends after three writes
			for range 3 {
				time.Sleep(59 * time.Second)
				server.Write([]byte("x"))
			}
		}()
		buf := make([]byte, 10)
		for range 3 {
			if n, err := resp.Body.Read(buf); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			time.Sleep(time.Hour) // while no goroutine reads, no time passes
		}
		_, err = resp.Body.Read(buf)
		wantTimeout(t, err, "nothing received within 1m0s")
	})
}

func wantTimeout(t *testing.T, err error, text string) {
	t.Helper()
	var timeout *httperr.TimeoutError
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &timeout) || !timeout.Timeout() || err.Error() != text {
		t.Errorf("%v, want %s", err, text)
	}
}

func TestSlowUselessBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := drip(t)
		resp, err := c.Do(t.Context(), &Request{Method: "GET", URL: someURL})
		if err != nil {
			t.Fatal(err)
		}
		go server.Write([]byte("begin")) // ends when it is read
		if e := NewStatusError(resp, "JSON"); e.Body != "begin" {
			t.Errorf("%q", e.Body)
		}
	})
}

func TestLargeBody(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	z.Write(make([]byte, 10<<20))
	z.Close()
	u := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "short")
		case "/fits":
			io.WriteString(w, strings.Repeat("x", 1000))
		}
	})
	c := newClient(t, nil, nil)
	get := func(path string) ([]byte, error) {
		v := *u
		v.Path = path
		resp, err := c.Do(t.Context(), &Request{Method: "GET", URL: &v, MaxBody: 1000})
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return io.ReadAll(resp.Body)
	}
	if got, err := get("/bomb"); len(got) != 1000 || !errors.Is(err, jsonrpc.ErrTooLarge) {
		t.Error(len(got), err)
	}
	if got, err := get("/fits"); len(got) != 1000 || err != nil {
		t.Error(len(got), err)
	}
	if _, err := get("/cut"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

func TestDrainLetsTheConnectionBeUsedAgain(t *testing.T) {
	from := map[string]bool{}
	u := serve(t, func(w http.ResponseWriter, r *http.Request) {
		from[r.RemoteAddr] = true
		io.WriteString(w, "Accepted")
	})
	c := newClient(t, nil, nil)
	for range 10 {
		resp, err := c.Do(t.Context(), &Request{Method: "POST", URL: u, Body: []byte("{}"), IdleTimeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		Drain(resp)
	}
	if len(from) != 1 {
		t.Errorf("%d connections", len(from))
	}
}
