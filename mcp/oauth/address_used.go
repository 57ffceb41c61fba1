package oauth

import (
	"context"
	"net"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
)

// A usedAddress is the address to which a request was sent. Only the server that
// really answered can vouch for the URLs in its answer: by the time that they are
// fetched its name may resolve to an address inside the user's network.
type usedAddress struct {
	addr  atomic.Pointer[netip.Addr]
	asked atomic.Pointer[string] // the host and port of the connection: the resource's, or a proxy's
}

// traced returns a context for a request to the resource that records the
// address.
func (u *usedAddress) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GetConn: func(hostPort string) { u.asked.Store(&hostPort) }, GotConn: func(info httptrace.GotConnInfo) {
		if a, err := addressIn(info.Conn.RemoteAddr().String()); err == nil {
			u.addr.Store(&a)
		}
	}})
}

// zoneKey is the context key of the zone of the resource.
type zoneKey struct{}

// withZone returns a context for requests that follow from an answer of the
// resource.
func (d demand) withZone(ctx context.Context) context.Context {
	if !d.zoneKnown {
		return ctx
	}
	return context.WithValue(ctx, zoneKey{}, d.zone)
}

// knownZone returns the zone of the resource when it issued the current token.
func (t *Transport) knownZone() (z zone, known bool) {
	name := t.currentBinding().zone
	for z := public; z < unroutable; z++ {
		if z.String() == name {
			return z, true
		}
	}
	return public, false
}

// from records where the answer with the demand came from. A proxy is not the
// resource, whose address it alone knows, so a name is public behind one.
func (t *Transport) from(d *demand, u *usedAddress) {
	a := u.addr.Load()
	if a == nil {
		return // not a connection of net/http
	}
	d.zone, d.zoneKnown = zoneOf(*a), true
	if literal, err := netip.ParseAddr(t.url.Hostname()); err == nil {
		d.zone = zoneOf(literal)
	} else if isLoopback(t.url) {
		d.zone = loopback
	} else if u.proxied(t.url) {
		d.zone = public
	}
}

// proxied reports whether the connection was not to the host of a URL. Only the
// connection tells: a RoundTripper of the program may have a proxy of its own.
func (u *usedAddress) proxied(to *url.URL) bool {
	asked := u.asked.Load()
	if asked == nil {
		return false
	}
	host, _, err := net.SplitHostPort(*asked)
	return err != nil || !strings.EqualFold(host, to.Hostname())
}
