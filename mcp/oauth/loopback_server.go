package oauth

import (
	"bufio"
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
)

const (
	pageHead   = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Authorization</title><p>`
	pageDone   = pageHead + `You can close this page and return to the program.`
	pageFailed = pageHead + `The program was not authorized. You can close this page and return to it.`
	pageWrong  = pageHead + `This page does not belong to a pending authorization.`
	pageStray  = pageWrong + ` It does not have the state of one, so the program ignores it. Log in at the page that the program opened.`

	requestTime = 10 * time.Second
	acceptPause = 10 * time.Millisecond // after a failure to accept a connection
	maxRequest  = 64 << 10
	maxVisitors = 128 // concurrent connections
)

// An expectation is what the authorization response must have. full is nil if the
// Receiver is not called by a Transport.
type expectation struct {
	state string
	full  *expectedCallback
}

// serve answers one request on each connection of ln until that is closed and ctx is
// done. An http.Server would add 0.5 MB to a program.
func (r *receiver) serve(ctx context.Context, ln net.Listener, want expectation, take func(response string)) {
	var visitors sync.WaitGroup
	defer visitors.Wait()
	seats := make(chan struct{}, maxVisitors)
	var silent silent
	for {
		c, err := ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // no file descriptor is left, for example
			silent.closeOldest()
			select {
			case <-ctx.Done():
				return
			case <-time.After(acceptPause):
			}
			continue
		}
		if len(seats) == maxVisitors && !silent.closeOldest() {
			_ = c.Close()
			continue
		}
		seats <- struct{}{} // at once, or when the closed connection has ended
		silent.add(c)
		visitors.Go(func() { // ends within requestTime, or with ctx
			defer func() { <-seats }()
			defer c.Close()
			stop := context.AfterFunc(ctx, func() { _ = c.Close() })
			defer stop()
			_ = c.SetDeadline(time.Now().Add(requestTime))
			r.serveOne(c, want, func() { silent.remove(c) }, take)
		})
	}
}

// silent holds the connections that have not sent a complete request. Programs on this
// machine and pages in the browser can open connections at will; the oldest one gives way
// to a new one, which may be that of the authorization response.
type silent struct {
	mu    sync.Mutex
	conns []net.Conn // the oldest first
}

func (s *silent) add(c net.Conn) {
	s.mu.Lock()
	s.conns = append(s.conns, c)
	s.mu.Unlock()
}

func (s *silent) remove(c net.Conn) {
	s.mu.Lock()
	s.conns = slices.DeleteFunc(s.conns, func(other net.Conn) bool { return other == c })
	s.mu.Unlock()
}

// closeOldest reports whether there was a connection to close.
func (s *silent) closeOldest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) == 0 {
		return false
	}
	_ = s.conns[0].Close()
	s.conns = slices.Delete(s.conns, 0, 1)
	return true
}

// serveOne answers one request. It calls read when the request is complete, or never
// will be, and take if it is the authorization response with the state of the request.
// Other pages in the browser can guess the port, so it ignores every other request. The
// state alone shows whose the response is: no other party knows it. So servers that change
// the host or the path of the redirect, or send it as a form, are understood.
func (r *receiver) serveOne(c net.Conn, want expectation, read func(), take func(string)) {
	req, err := http.ReadRequest(bufio.NewReader(io.LimitReader(c, maxRequest)))
	if err != nil {
		read()
		return
	}
	sent := req.URL.RawQuery
	if req.Method == http.MethodPost && strings.HasPrefix(req.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		body, _ := io.ReadAll(io.LimitReader(req.Body, maxRequest))
		sent = string(body)
	}
	read()
	q, _ := url.ParseQuery(sent)
	here := isLoopback(&url.URL{Host: req.Host}) && (req.Method == http.MethodGet || req.Method == http.MethodPost)
	ok := here && want.state != "" && subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(want.state)) == 1
	response := r.uri.String() + "?" + sent
	status, page, policy := "400 Bad Request", pageWrong, noResources
	switch {
	case ok:
		status = "200 OK"
		page, policy = r.l.page(want.refusal(q, response))
	case here && (q.Has("code") || q.Has("error") || req.URL.Path == r.uri.Path):
		if want.full != nil && !r.stray.Swap(true) {
			want.full.stray()
		}
		page = pageStray
	}
	_, _ = io.WriteString(c, "HTTP/1.1 "+status+"\r\n"+
		"Content-Type: text/html; charset=utf-8\r\n"+
		"Content-Length: "+strconv.Itoa(len(page))+"\r\n"+
		"Content-Security-Policy: "+policy+"frame-ancestors 'none'\r\n"+
		"Referrer-Policy: no-referrer\r\n"+
		"Cache-Control: no-store\r\n"+
		"Connection: close\r\n\r\n"+page)
	if ok {
		take(response)
	}
}

// noResources is the policy for pages of this package.
const noResources = "default-src 'none'; "

// refusal returns the refusal in a response with the right state, or nil. From a response
// that fails a check, such as that of its sender, it returns no text.
func (w *expectation) refusal(q url.Values, response string) *ServerError {
	if w.full != nil {
		_, err := parseCallback(response, *w.full)
		if refused, ok := diag.Find[*ServerError](err); ok || err == nil {
			return refused
		}
		return &ServerError{URL: clean(w.full.issuer), Code: "invalid_response", Description: "the response is not that of the authorization server"}
	}
	if code := q.Get("error"); code != "" {
		return &ServerError{Code: printable(code), Description: printable(q.Get("error_description"))}
	}
	return nil
}

// page returns the page for an authorization response, and the part of its policy
// that limits what it loads. refused is nil after a success.
func (l *Loopback) page(refused *ServerError) (page, policy string) {
	page, policy = pageDone, noResources
	if refused != nil {
		page = pageFailed
	}
	if l.Page != nil {
		defer func() { _ = recover() }() // then it is a page of this package
		return l.Page(refused), ""
	}
	return page, policy
}
