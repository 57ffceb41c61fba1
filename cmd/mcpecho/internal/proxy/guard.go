package proxy

import (
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Guard lets only those requests to a front over HTTP through that come from a
// client of the user: every account of this machine, and every page in a browser,
// can connect to a loopback address.
type Guard struct {
	Path    string   // the path of the endpoint, of which a part is secret
	Origins []string // of web pages that may use it
	Next    http.Handler
	Note    func(line string) // is called with why a request was refused; may be nil
}

// refuse refuses a request of another program, or one whose URL is wrong.
func (g *Guard) refuse(w http.ResponseWriter, status int, reason string) {
	if g.Note != nil {
		g.Note("a request was refused with the status " + strconv.Itoa(status) + ": " + reason)
	}
	http.Error(w, reason, status)
}

func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	page := slices.Contains(g.Origins, origin)
	site := r.Header.Get("Sec-Fetch-Site")
	h := w.Header() // no response is a page, whatever the server has sent
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	switch {
	case !page && (site == "cross-site" || site == "same-site"): // another port of this machine is the same site
		g.refuse(w, http.StatusForbidden, "it comes from a page of another site; --allow-origin allows one")
		return
	case !ownHost(r) || origin != "" && !page && !sameHost(origin, r.Host):
		g.refuse(w, http.StatusForbidden, "it comes from a page of another origin; --allow-origin allows one")
		return
	case subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte(g.Path)) == 0:
		g.refuse(w, http.StatusNotFound, "the path is not the one that the proxy has printed")
		return
	}
	if page {
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
	media := httpx.MediaType(r.Header)
	if media != typeJSON {
		refuse(w, http.StatusUnsupportedMediaType, jsonrpc.ID{}, codeProxy, "the Content-Type is "+wire.Quote(media)+", not application/json")
		return nil, false
	}
	body, err := readAll(w, r)
	switch {
	case err == nil:
		return body, true
	case errors.As(err, new(*http.MaxBytesError)):
		refuse(w, http.StatusRequestEntityTooLarge, jsonrpc.ID{}, codeProxy, "the message is longer than 64 MiB")
	default:
		refuse(w, http.StatusBadRequest, jsonrpc.ID{}, codeProxy, "the body of the request did not arrive")
	}
	return nil, false
}
