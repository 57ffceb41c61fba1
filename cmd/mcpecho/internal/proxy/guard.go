package proxy

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A Guard lets only those requests to a front over HTTP through that come from a
// client of the user: every account of this machine, and every page in a browser,
// can connect to a loopback address.
type Guard struct {
	Path    string   // the path of the endpoint, of which a part is secret
	Origins []string // of web pages that may use it
	Next    http.Handler
}

func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	page := slices.Contains(g.Origins, origin)
	switch {
	case !ownHost(r) || origin != "" && !page && !sameHost(origin, r.Host):
		http.Error(w, "the request comes from a page of another origin; --allow-origin allows one", http.StatusForbidden)
		return
	case subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte(g.Path)) == 0:
		http.Error(w, "the path is not the one that the proxy has printed", http.StatusNotFound)
		return
	}
	if page {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id")
		h.Set("Vary", "Origin")
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
			h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	g.Next.ServeHTTP(w, r)
}

// ownHost reports whether the Host of a request to a loopback address names one. A
// page of another site can give its own name to a loopback address.
func ownHost(r *http.Request) bool {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	host := (&url.URL{Host: r.Host}).Hostname()
	ip := net.ParseIP(host)
	return at == nil || !at.IP.IsLoopback() || strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func sameHost(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host == host
}

// readBody returns the body of a request of a client, or responds with an error.
func readBody(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(media), typeJSON) {
		http.Error(w, "the Content-Type is not application/json", http.StatusUnsupportedMediaType)
		return nil, false
	}
	body, err := readAll(w, r)
	switch {
	case err == nil:
		return body, true
	case isTooLarge(err):
		http.Error(w, "the message is longer than 64 MiB", http.StatusRequestEntityTooLarge)
	default:
		http.Error(w, "the body of the request did not arrive", http.StatusBadRequest)
	}
	return nil, false
}
