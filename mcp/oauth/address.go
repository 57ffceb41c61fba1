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

// A zone is the network from which an address can be reached, from the widest
// to the narrowest.
type zone int

const (
	public zone = iota
	private
	loopback
	linkLocal
	unroutable // multicast, unspecified, reserved
)

func (z zone) String() string {
	return [...]string{"public", "private", "loopback", "link-local", "multicast or reserved"}[z]
}

var (
	// Special-purpose addresses that netip does not classify (RFC 6890).
	privatePrefixes    = prefixes("100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "fec0::/10", "64:ff9b:1::/48")
	unroutablePrefixes = prefixes("0.0.0.0/8", "240.0.0.0/4", "::/96", "100::/64", "2001::/32", "2001:db8::/32", "3fff::/20", "5f00::/16",
		"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")

	// Addresses that embed an IPv4 address.
	nat64, sixToFour = netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("2002::/16")
)

func prefixes(list ...string) (p []netip.Prefix) {
	for _, s := range list {
		p = append(p, netip.MustParsePrefix(s))
	}
	return p
}

// zoneOf returns the zone of an address, or of the IPv4 address that it embeds.
func zoneOf(a netip.Addr) zone {
	a = a.Unmap().WithZone("")
	switch b := a.As16(); {
	case nat64.Contains(a):
		return zoneOf(netip.AddrFrom4([4]byte(b[12:16])))
	case sixToFour.Contains(a):
		return zoneOf(netip.AddrFrom4([4]byte(b[2:6])))
	case a.IsLoopback():
		return loopback
	case !a.IsValid(), a.IsUnspecified(), a.IsMulticast(), containsAddr(a, unroutablePrefixes):
		return unroutable
	case a.IsLinkLocalUnicast():
		return linkLocal
	case a.IsPrivate(), containsAddr(a, privatePrefixes):
		return private
	}
	return public
}

func containsAddr(a netip.Addr, list []netip.Prefix) bool {
	for _, p := range list {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// mayLeadTo reports whether a server in zone z may refer the client to an
// address in another zone: a public address or one in z, and for a server on this
// machine also one in a private network.
func (z zone) mayLeadTo(to zone) bool {
	return to == public || to == z && to != unroutable || z == loopback && to == private
}

// check returns an error if a server in zone z may not refer the client to a.
func (z zone) check(a netip.Addr) error {
	if to := zoneOf(a); !z.mayLeadTo(to) {
		return ruleError("", "a server at a "+z.String()+" address must not refer to a "+to.String()+
			" address (security best practices, server-side request forgery)", nil)
	}
	return nil
}

// isLoopback reports whether the host of u is a loopback address or a localhost
// name, without asking a resolver.
func isLoopback(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if a, err := netip.ParseAddr(host); err == nil {
		return zoneOf(a) == loopback
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// zoneOfHost returns the widest zone of the host's addresses, so that a name
// gains no access to a network by resolving to an address in it. An unresolvable
// name is public, and known is false.
func zoneOfHost(ctx context.Context, r *net.Resolver, u *url.URL) (z zone, known bool) {
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return zoneOf(a), true
	}
	if isLoopback(u) {
		return loopback, true
	}
	addrs, err := r.LookupIPAddr(ctx, u.Hostname())
	if err != nil || len(addrs) == 0 {
		return public, false
	}
	z = unroutable
	for _, addr := range addrs {
		a, _ := netip.AddrFromSlice(addr.IP)
		z = min(z, zoneOf(a))
	}
	return z, true
}

// addressIn returns the address in addr, which is followed by a port.
func addressIn(addr string) (netip.Addr, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return netip.Addr{}, err
	}
	return netip.ParseAddr(host)
}

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
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(hostPort string) { u.asked.Store(&hostPort) },
		GotConn: func(info httptrace.GotConnInfo) {
			if a, err := addressIn(info.Conn.RemoteAddr().String()); err == nil {
				u.addr.Store(&a)
			}
		},
	})
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
