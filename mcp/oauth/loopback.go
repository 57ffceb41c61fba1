package oauth

import (
	"context"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A Loopback is an Authorizer that opens a browser and receives the answer on
// this machine (RFC 8252, section 7.3).
type Loopback struct {
	// Open shows a page to the person. Nil means OpenBrowser.
	Open func(ctx context.Context, url string) error

	// RedirectURI is where to listen: a URL of http at 127.0.0.1, [::1] or
	// localhost, for a client that is registered with it. Empty means some
	// free port of 127.0.0.1.
	RedirectURI string

	// Timeout is how long a person may take. Zero means five minutes.
	Timeout time.Duration
}

const (
	defaultRedirect = "http://127.0.0.1/callback"
	personTime      = 5 * time.Minute
)

// Listen implements [Authorizer].
func (l *Loopback) Listen(ctx context.Context, last string) (Receiver, error) {
	fixed := l.RedirectURI
	if fixed == "" {
		fixed = defaultRedirect
	}
	u, err := url.Parse(fixed)
	if err != nil || u.Scheme != "http" || !isLoopback(u) || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, &Error{URL: clean(fixed), Rule: "a redirect URI that is received here must be of http on this machine, without a query"}
	}
	var config net.ListenConfig
	port := u.Port()
	if v, err := url.Parse(last); err == nil && l.RedirectURI == "" && v.Hostname() == u.Hostname() {
		port = v.Port()
	}
	host := u.Hostname()
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ln, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, orZero(port)))
	if err != nil && u.Port() == "" {
		ln, err = config.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, &Error{URL: clean(fixed), Rule: "the answer cannot be received there", Err: err}
	}
	_, port, err = net.SplitHostPort(ln.Addr().String())
	if err != nil {
		_ = ln.Close()
		return nil, err
	}
	u.Host = net.JoinHostPort(u.Hostname(), port)
	return &receiver{l: l, ln: ln, uri: u}, nil
}

func orZero(port string) string {
	if port == "" {
		return "0"
	}
	return port
}

// A receiver listens for one answer.
type receiver struct {
	l   *Loopback
	ln  net.Listener
	uri *url.URL
}

func (r *receiver) RedirectURI() string { return r.uri.String() }
func (r *receiver) Close() error        { return r.ln.Close() }

// Authorize implements [Receiver].
func (r *receiver) Authorize(ctx context.Context, page string) (string, error) {
	wait := r.l.Timeout
	if wait == 0 {
		wait = personTime
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	u, err := url.Parse(page)
	if err != nil {
		return "", err
	}
	answer := make(chan string, 1)
	s := &http.Server{
		Handler:           r.handler(u.Query().Get("state"), answer),
		ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
	}
	s.SetKeepAlivesEnabled(false)
	served := make(chan struct{})
	go func() { // ends when s is closed
		_ = s.Serve(r.ln)
		close(served)
	}()
	defer func() {
		_ = s.Close()
		<-served
	}()
	open := r.l.Open
	if open == nil {
		open = OpenBrowser
	}
	if err := open(ctx, page); err != nil {
		return "", err
	}
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return "", &Error{URL: httpURL(u), Rule: "nobody authorized the program in time", Err: context.Cause(ctx)}
	}
}

func httpURL(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

const (
	pageHead  = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Authorization</title><p>`
	pageDone  = pageHead + `The answer has arrived. You can close this page and go back to the program.`
	pageWrong = pageHead + `This is not an answer that anybody waits for.`
)

// handler hands the first answer with the state to the channel, after the
// person has seen that it came. Other pages that the browser has open can guess
// the port, so nothing else ends the wait.
func (r *receiver) handler(state string, answer chan<- string) http.Handler {
	var used atomic.Bool
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		q := req.URL.Query()
		ok := req.Method == http.MethodGet && strings.EqualFold(req.Host, r.uri.Host) &&
			req.URL.EscapedPath() == r.uri.EscapedPath() && len(q["state"]) == 1 &&
			state != "" && subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(state)) == 1 &&
			used.CompareAndSwap(false, true)
		status, page := http.StatusBadRequest, pageWrong
		if ok {
			status, page = http.StatusOK, pageDone
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Length", strconv.Itoa(len(page)))
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, page)
		if ok {
			_ = http.NewResponseController(w).Flush()
			answer <- r.uri.String() + "?" + req.URL.RawQuery
		}
	})
}
