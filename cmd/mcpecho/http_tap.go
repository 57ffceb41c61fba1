package main

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A tap is a RoundTripper that reports the requests of a command, those of a login included,
// and their responses. Its functions are called by several goroutines.
type tap struct {
	http.RoundTripper
	exchanges *atomic.Int64
	report    func(h *recording.HTTP, took time.Duration)
	login     bool // whether the requests are those of a login
}

// Observe returns a tap for another RoundTripper. It is that of httpx.Observer.
func (t *tap) Observe(rt http.RoundTripper) http.RoundTripper {
	return &tap{rt, t.exchanges, t.report, true}
}

func (t *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	h := recording.HTTP{Exchange: int(t.exchanges.Add(1)), Method: r.Method, Headers: r.Header, URL: httpx.Clean(r.URL), Further: true, Login: t.login}
	t.report(&h, 0)
	began := time.Now()
	resp, err := t.RoundTripper.RoundTrip(r)
	if err == nil {
		h.Status, h.Headers, h.URL = resp.StatusCode, resp.Header, ""
		t.report(&h, time.Since(began))
	}
	return resp, err
}

// observed returns a tap if the user wants to see the requests of a command, which rt sends,
// or else a new transport. Otherwise it returns nil.
func (c *invocation) observed(rt http.RoundTripper) http.RoundTripper {
	var reports []func(*recording.HTTP, time.Duration)
	if c.flags.Verbose {
		console, hide := c.console(), c.secrets().Hider()
		reports = append(reports, func(h *recording.HTTP, took time.Duration) { console.Line(hide(httpLine(h, took))) })
	}
	if r := c.recorder; r != nil && r.w != nil {
		reports = append(reports, func(h *recording.HTTP, _ time.Duration) { r.w.HTTP(0, h) })
	}
	if c.onHTTP != nil {
		reports = append(reports, c.onHTTP)
	}
	if reports == nil {
		return nil
	}
	if rt == nil {
		rt = httpx.NewTransport()
	}
	return &tap{rt, new(atomic.Int64), func(h *recording.HTTP, took time.Duration) {
		for _, report := range reports {
			report(h, took)
		}
	}, false}
}

// httpLine describes an HTTP request or response in a line.
func httpLine(h *recording.HTTP, took time.Duration) string {
	line := "http " + strconv.Itoa(h.Exchange) + ": " + h.Method + " " + h.URL
	if h.Status > 0 {
		line = "http " + strconv.Itoa(h.Exchange) + ": " + strconv.Itoa(h.Status) + " " + http.StatusText(h.Status) + " after " + milliseconds(took)
	}
	headers := h.Masked()
	for _, name := range wire.SortedKeys(headers) {
		line += "; " + name + ": " + headers[name]
	}
	return line
}

// milliseconds returns a duration for people.
func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64) + " ms"
}
