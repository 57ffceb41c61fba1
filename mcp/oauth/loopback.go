package oauth

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Loopback is an Authorizer that opens a browser and receives the
// authorization response on this machine (RFC 8252, section 7.3).
type Loopback struct {
	// Open shows the user the page at url. Nil means OpenBrowser.
	Open func(ctx context.Context, url string) error

	// RedirectURI is the redirect URI of the registered client: an http URL with
	// the host 127.0.0.1, [::1] or localhost. Empty means a free port of
	// 127.0.0.1.
	RedirectURI string

	// Page returns the HTML of the page that the browser shows when the
	// authorization server has responded. refused is the error in the response, such
	// as the code "access_denied", or nil. Its texts are the server's: escape them.
	// Nil means a short page.
	Page func(refused *ServerError) string

	// Timeout limits how long the user may take. The default is 5 minutes; negative
	// means no limit.
	Timeout time.Duration

	// Paste, if not nil, also accepts a pasted response, for users of a remote
	// shell whose browser cannot reach this machine. Its RedirectURI is ignored.
	// With Paste, a browser that cannot be opened is not an error.
	Paste *Paste

	// Device, if not nil, is a *Device for when the browser cannot be opened, if
	// device authorization is possible. It takes precedence over Paste.
	Device Authorizer // not *Device, which only programs that use it link
}

// WithRedirectURI returns a copy of l with another RedirectURI. Package dialers calls it
// for a server whose settings have one, if its Authorizer has this method.
func (l *Loopback) WithRedirectURI(uri string) Authorizer {
	own := *l
	own.RedirectURI = uri
	return &own
}

func (l *Loopback) device() deviceFlow {
	d, _ := l.Device.(deviceFlow)
	return d
}

const (
	defaultRedirect = "http://127.0.0.1/callback"
	localRedirect   = "http://localhost/callback"
	userTimeout     = 5 * time.Minute
)

// Listen implements [Authorizer].
func (l *Loopback) Listen(ctx context.Context, last string) (Receiver, error) {
	if p := l.Paste; p != nil && (p.In == nil || p.Out == nil) {
		return nil, errPaste
	}
	fixed := l.RedirectURI
	if fixed == "" {
		fixed = defaultRedirect
	}
	u, err := url.Parse(fixed)
	if err != nil || u.Scheme != "http" || !isLoopback(u) || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, ruleError(clean(fixed), "Loopback.RedirectURI must be an http URL on this machine without a query", nil)
	}
	port := u.Port()
	if v, err := url.Parse(last); err == nil && l.RedirectURI == "" && v.Path == u.Path && (v.Hostname() == u.Hostname() || v.Hostname() == "localhost") {
		u.Host, port = v.Hostname(), v.Port()
	}
	ln, err := listenTCP(u.Hostname(), port)
	if err != nil && u.Port() == "" {
		ln, err = listenTCP(u.Hostname(), "")
	}
	if err != nil {
		return nil, ruleError(clean(fixed), "cannot listen for the authorization response", err)
	}
	_, port, err = net.SplitHostPort(ln.Addr().String())
	if err != nil {
		_ = ln.Close()
		return nil, err
	}
	u.Host = net.JoinHostPort(u.Hostname(), port)
	r := &receiver{l: l, ln: []net.Listener{ln}, uri: u}
	if _, err := netip.ParseAddr(u.Hostname()); err != nil {
		// Browsers may try either address of localhost. Another program at the second
		// one would receive the response.
		second, err := listenTCP("::1", port)
		if err != nil {
			if other, e := listenTCP("::1", ""); e == nil { // this machine has IPv6
				_ = other.Close()
				_ = r.Close()
				return nil, ruleError(clean(fixed), "another program listens for the authorization response, at [::1]", err)
			}
		}
		if err == nil {
			r.ln = append(r.ln, second)
		}
	}
	return r, nil
}

// listenTCP listens at a port of this machine, a free one if it is "". host is an
// address, or a name that isLoopback accepts: whatever it resolves to, only programs
// on this machine reach 127.0.0.1.
func listenTCP(host, port string) (*net.TCPListener, error) {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		addr = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	n, err := strconv.ParseUint(cmp.Or(port, "0"), 10, 16)
	if err != nil {
		return nil, errors.New("invalid port " + port)
	}
	return net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(addr, uint16(n))))
}

// A receiver listens for one authorization response.
type receiver struct {
	l     *Loopback
	ln    []net.Listener // at both addresses of localhost, or at one address
	uri   *url.URL
	stray atomic.Bool // a redirect came without the state of the request
}

func (r *receiver) RedirectURI() string { return r.uri.String() }

func (r *receiver) Close() (err error) {
	for _, ln := range r.ln {
		if e := ln.Close(); e != nil {
			err = e
		}
	}
	return err
}

// Authorize implements [Receiver].
func (r *receiver) Authorize(ctx context.Context, page string) (string, error) {
	wait := r.l.Timeout
	if wait == 0 {
		wait = userTimeout
	}
	u, err := url.Parse(page)
	if err != nil {
		return "", err
	}
	caller, began := ctx, time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if wait > 0 {
		ctx, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	response := make(chan string, 2) // one from the browser, one pasted
	want := expectation{state: u.Query().Get("state")}
	want.full, _ = ctx.Value(callbackKey{}).(*expectedCallback)
	var once sync.Once
	take := func(a string) { once.Do(func() { response <- a }) }
	var served sync.WaitGroup
	for _, ln := range r.ln {
		served.Go(func() { r.serve(ctx, ln, want, take) }) // ends when the listener and ctx do
	}
	defer func() {
		_ = r.Close()
		cancel()
		served.Wait()
	}()
	open := r.l.Open
	if open == nil {
		open = OpenBrowser
	}
	switch err := open(ctx, page); {
	case err == nil:
	case r.l.Device != nil && DeviceOffered(ctx) && caller.Err() == nil:
		return "", ErrNoBrowser
	case r.l.Paste == nil:
		return "", err
	}
	if r.l.Paste != nil {
		if err := r.l.Paste.show(page, "If the browser ends at a page that it cannot load, paste the address of that page here:"); err != nil {
			return "", err
		}
		go r.takePaste(ctx, response) // ends with ctx
	}
	select {
	case a := <-response:
		return a, nil
	case <-ctx.Done():
		why := context.Cause(caller)
		if caller.Err() == nil {
			began, why = time.Now().Add(-wait), nil
		}
		return "", r.unanswered(page, time.Since(began), why)
	}
}

// takePaste sends the pasted response, if there is one.
func (r *receiver) takePaste(ctx context.Context, response chan<- string) {
	for {
		a, err := r.l.Paste.line(ctx)
		if err != nil {
			return // the browser may still respond
		}
		if strings.HasPrefix(a, r.RedirectURI()+"?") {
			response <- a
			return
		}
		_, _ = io.WriteString(r.l.Paste.Out, "This is another address. Paste the one that begins with "+r.RedirectURI()+"?\n")
	}
}

func httpURL(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

// unanswered returns the error of a login at page, with what the user may have seen there.
func (r *receiver) unanswered(page string, waited time.Duration, cause error) error {
	e := unanswered(page, waited, cause)
	if r.stray.Load() {
		e.Rule += "; a redirect without the state of the request came, which must be ignored: is it from another login, or does the authorization server omit state?"
	}
	other := "localhost"
	if r.uri.Hostname() == other {
		other = "127.0.0.1"
	}
	e.Rule += "; if the page refuses the redirect URI " + r.uri.String() + ", set the registered one, which may have the host " + other
	return e
}

// unanswered returns the error of a login at page that the user has not completed.
// cause is why the caller gave up, or nil.
func unanswered(page string, waited time.Duration, cause error) *Error {
	if u, err := url.Parse(page); err == nil {
		page = httpURL(u)
	}
	return &Error{unanswered: true, URL: page, Rule: "the user did not log in at this page within " + waited.Round(time.Millisecond).String(), Err: cause}
}
