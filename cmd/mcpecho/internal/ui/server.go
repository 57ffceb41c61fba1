package ui

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"io"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/webserver"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// packed are the files in the folder page, each compressed. TestPageIsPacked writes them.
//
//go:embed packed
var packed embed.FS

// tokenHeader carries the token. As it is not a header that a form can send, a browser asks
// the server first whether another page may send it, and receives no permission.
const tokenHeader = "Mcpecho-Token"

const (
	bodyTime = time.Minute // for the body of a request, and for each write
	maxBody  = 16 << 20    // bytes
)

// A Server serves the page and its requests on a port of this machine.
type Server struct {
	// URL is the address of the page. Its fragment holds the token.
	URL string

	bench *Bench
	host  string // HOST:PORT, the only accepted Host
	token string
	web   *webserver.Server
}

// Listen starts a server for a bench at a loopback address, a port of 127.0.0.1, or, if
// address is empty, a random port of it. The caller must call Close.
func Listen(b *Bench, address string) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = "", cmp.Or(address, "0")
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	l, err := webserver.Listen(net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	s := newServer(b, l.Addr().String())
	s.web = webserver.Serve(l, s)
	return s, nil
}

func newServer(b *Bench, host string) *Server {
	s := &Server{bench: b, host: host, token: rand.Text(), web: new(webserver.Server)}
	s.URL = "http://" + host + "/#" + s.token
	return s
}

// Close ends all requests.
func (s *Server) Close() { s.web.Close() }

// policy permits the page's own scripts and styles, and images and sounds as data that
// a script of the page has put there. No text can become HTML or a script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; media-src data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// ServeHTTP checks each request before anything else happens.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{
		"Cache-Control":                "no-store",
		"Content-Security-Policy":      policy,
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
	} {
		h.Set(name, value)
	}
	if status, reason := s.refuse(r); status != 0 {
		h.Set("Connection", "close") // the body is not read
		http.Error(w, reason, status)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		s.api(w, r)
		return
	}
	s.file(w, r)
}

// refuse returns the status and the reason to refuse a request, or 0.
func (s *Server) refuse(r *http.Request) (status int, reason string) {
	origin, hasOrigin := r.Header["Origin"]
	site, navigation := r.Header.Get("Sec-Fetch-Site"), r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Dest") == "document"
	isAPI := strings.HasPrefix(r.URL.Path, "/api/")
	token, hasToken := r.Header[tokenHeader]
	switch {
	case r.Host != s.host: // a page whose name was bound to this address, or 0.0.0.0
		return http.StatusForbidden, "mcpecho: the Host of the request must be " + s.host
	case hasOrigin && (len(origin) != 1 || origin[0] != "http://"+s.host):
		return http.StatusForbidden, "mcpecho: a page of another origin sent the request"
	case site != "" && site != "same-origin" && site != "none" && !navigation:
		return http.StatusForbidden, "mcpecho: a page of another site sent the request"
	case r.Header.Get("Upgrade") != "":
		return http.StatusForbidden, "mcpecho: the connection cannot be upgraded"
	case r.Method != http.MethodGet && (r.Method != http.MethodPost || !isAPI):
		return http.StatusMethodNotAllowed, "mcpecho: the method " + wire.Quote(r.Method) + " is not allowed"
	case !isAPI:
		return 0, ""
	case !hasToken || len(token) != 1 || subtle.ConstantTimeCompare([]byte(token[0]), []byte(s.token)) != 1:
		return http.StatusUnauthorized, "mcpecho: open the URL that mcpecho printed"
	case r.Method == http.MethodGet:
		return 0, ""
	case !hasOrigin:
		return http.StatusForbidden, "mcpecho: a POST must have an Origin"
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return http.StatusUnsupportedMediaType, "mcpecho: a POST must be application/json"
	}
	return 0, ""
}

// mediaTypes are those of the page's files.
var mediaTypes = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

// file serves a file of the page. It decompresses the file for every client, as
// compression saves nothing on a connection within this machine.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	f, err := packed.Open("packed/" + name + ".gz")
	media := mediaTypes[path.Ext(name)]
	if err != nil || media == "" {
		http.Error(w, "mcpecho: there is no "+wire.Quote(name), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", media)
	// A program without the token may read nothing.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(bodyTime))
	if z, err := gzip.NewReader(f); err == nil { // a test reads each of them
		_, _ = io.Copy(w, z)
	}
}

// Wait returns when ctx ends, or a minute after the last page was closed, once one was
// open. The error is that of ctx or of the listener.
func (s *Server) Wait(ctx context.Context) error { return s.wait(ctx, time.Minute) }

func (s *Server) wait(ctx context.Context, rest time.Duration) error {
	timer := time.NewTimer(rest)
	timer.Stop()
	defer timer.Stop()
	for seen := false; ; {
		s.bench.mu.Lock()
		pages, changed := s.bench.pages, s.bench.pagesChanged
		s.bench.mu.Unlock()
		if seen = seen || pages > 0; pages > 0 {
			timer.Stop()
		} else if seen {
			timer.Reset(rest)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-s.web.Failed:
			return err
		case <-timer.C:
			return nil
		case <-changed:
		}
	}
}
