package oauth

import (
	"bufio"
	"context"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	pageHead   = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Authorization</title><p>`
	pageDone   = pageHead + `You can close this page and return to the program.`
	pageFailed = pageHead + `The program was not authorized. You can close this page and return to it.`
	pageWrong  = pageHead + `This page does not belong to a pending authorization.`

	requestTime = 10 * time.Second
	maxRequest  = 64 << 10
	maxVisitors = 32 // concurrent connections
)

// serve answers one request on each connection until the listener is closed and
// ctx is done. An http.Server would add 0.5 MB to a program.
func (r *receiver) serve(ctx context.Context, state string, response chan<- string) {
	var visitors sync.WaitGroup
	defer visitors.Wait()
	seats := make(chan struct{}, maxVisitors)
	var once sync.Once
	for {
		c, err := r.ln.Accept()
		if err != nil {
			return
		}
		select {
		case seats <- struct{}{}:
		default:
			_ = c.Close()
			continue
		}
		visitors.Go(func() { // ends within requestTime, or with ctx
			defer func() { <-seats }()
			defer c.Close()
			stop := context.AfterFunc(ctx, func() { _ = c.Close() })
			defer stop()
			_ = c.SetDeadline(time.Now().Add(requestTime))
			r.serveOne(c, state, func(a string) { once.Do(func() { response <- a }) })
		})
	}
}

// serveOne answers one request, and calls take if it is the authorization
// response with this state. Other pages in the browser can guess the port, so it
// ignores every other request.
func (r *receiver) serveOne(c net.Conn, state string, take func(string)) {
	req, err := http.ReadRequest(bufio.NewReader(io.LimitReader(c, maxRequest)))
	if err != nil {
		return
	}
	q := req.URL.Query()
	ok := req.Method == http.MethodGet && strings.EqualFold(req.Host, r.uri.Host) &&
		req.URL.EscapedPath() == r.uri.EscapedPath() && len(q["state"]) == 1 &&
		state != "" && subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(state)) == 1
	status, page, policy := "400 Bad Request", pageWrong, noResources
	if ok {
		status = "200 OK"
		page, policy = r.l.page(q)
	}
	_, _ = io.WriteString(c, "HTTP/1.1 "+status+"\r\n"+
		"Content-Type: text/html; charset=utf-8\r\n"+
		"Content-Length: "+strconv.Itoa(len(page))+"\r\n"+
		"Content-Security-Policy: "+policy+"frame-ancestors 'none'\r\n"+
		"Referrer-Policy: no-referrer\r\n"+
		"Cache-Control: no-store\r\n"+
		"Connection: close\r\n\r\n"+page)
	if ok {
		take(r.uri.String() + "?" + req.URL.RawQuery)
	}
}

// noResources is the policy for pages of this package.
const noResources = "default-src 'none'; "

// page returns the page for an authorization response, and the part of its policy
// that limits what it loads.
func (l *Loopback) page(response url.Values) (page, policy string) {
	page, policy = pageDone, noResources
	var refused *ServerError
	if code := response.Get("error"); code != "" {
		refused = &ServerError{Code: printable(code), Description: printable(response.Get("error_description"))}
		page = pageFailed
	}
	if l.Page != nil {
		defer func() { _ = recover() }() // then it is a page of this package
		return l.Page(refused), ""
	}
	return page, policy
}
