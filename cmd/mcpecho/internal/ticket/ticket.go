// Package ticket shows a browser a page whose URL is a secret. Every account of a machine
// can read the arguments of the command that opens a browser, so they have a URL of this
// program that leads to the page once.
package ticket

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// ErrTwice means that a second program has asked for the page. One of the two is not the
// user's browser, and may know the URL of the page.
var ErrTwice = errors.New("two programs have asked for the page that was opened in the browser, and one of them may belong to another account of this machine")

// A Ticket is the URL for the arguments of a browser.
type Ticket struct {
	URL  string
	Used chan struct{} // closed when the browser has received the URL of the page

	Close func() error // ends it before the context does

	page    string
	path    string
	host    string
	used    atomic.Bool
	refused atomic.Bool
	warn    func(error)
	owner   func(r *http.Request) error // why the program that sends a request is not the user's, or nil
}

// New returns a ticket for a page, which is served until ctx ends. warn is called with
// ErrTwice, and with an error for the first request of another account that was refused.
func New(ctx context.Context, page string, warn func(error)) (*Ticket, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &Ticket{Used: make(chan struct{}), page: page, path: "/" + rand.Text(), host: l.Addr().String(), warn: warn, owner: checkOwner}
	t.URL = "http://" + t.host + t.path
	s := &http.Server{Handler: t, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10, ErrorLog: log.New(io.Discard, "", 0)}
	s.SetKeepAlivesEnabled(false)
	t.Close = s.Close
	context.AfterFunc(ctx, func() { // the browser may be reading
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if s.Shutdown(ctx) != nil {
			_ = s.Close()
		}
	})
	go func() { _ = s.Serve(l) }() // ends with ctx
	return t, nil
}

func (t *Ticket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet || r.Host != t.host || subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte(t.path)) != 1 {
		http.Error(w, "mcpecho: there is no such page", http.StatusNotFound)
		return
	}
	if err := t.owner(r); err != nil {
		if t.refused.CompareAndSwap(false, true) { // once, of any number
			t.warn(err)
		}
		http.Error(w, "mcpecho: "+err.Error(), http.StatusForbidden)
		return
	}
	if !t.used.CompareAndSwap(false, true) {
		t.warn(ErrTwice)
		http.Error(w, "mcpecho: "+ErrTwice.Error(), http.StatusGone)
		return
	}
	h.Set("Location", t.page)
	w.WriteHeader(http.StatusFound)
	close(t.Used)
}

// checkOwner returns an error if a process of another account has sent the request. Root
// can read everything anyway, and passes connections of the user's browser on in some
// virtual machines.
func checkOwner(r *http.Request) error {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	uid, known := peerUID(r.RemoteAddr, at.String())
	switch {
	case !known || uid == os.Getuid() || uid == 0:
		return nil
	case uid < 0:
		return errors.New("a program outside of this machine, or of this container, has asked for the page that was opened in the browser; it was refused")
	}
	return errors.New("the account with the uid " + strconv.Itoa(uid) + " of this machine has asked for the page that was opened in the browser; it was refused")
}
