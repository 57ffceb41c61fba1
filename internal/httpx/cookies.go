package httpx

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// The limits of the cookies of a connection.
const (
	maxCookies     = 50
	maxCookieBytes = 16 << 10
)

// OwnCookies is the Jar of an http.Client of this module. Each connection that uses the
// http.Client then keeps the cookies of its server in memory and sends them back, so that
// a load balancer finds the process that has the session. Outside of this package, the
// jar is always empty.
var OwnCookies http.CookieJar = (*cookies)(nil)

// cookies are those of one origin, the oldest first, as net/http/cookiejar has them
// (RFC 6265). That costs 57 KB. Domain is not kept, as no other host gets the cookies.
type cookies struct {
	mu   lock.Mutex
	list []*http.Cookie // Expires is zero or in the future
}

// Cookies implements http.CookieJar.
func (c *cookies) Cookies(u *url.URL) (sent []*http.Cookie) {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.list {
		rest, below := strings.CutPrefix(cmp.Or(u.Path, "/"), k.Path)
		if below && (rest == "" || rest[0] == '/' || strings.HasSuffix(k.Path, "/")) && (!k.Secure || u.Scheme == "https") && !isOver(k) {
			sent = append(sent, k)
		}
	}
	return sent
}

// SetCookies implements http.CookieJar.
func (c *cookies) SetCookies(u *url.URL, list []*http.Cookie) {
	if c == nil || len(list) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range list {
		if domain := strings.TrimPrefix(k.Domain, "."); domain != "" && !strings.HasSuffix("."+strings.ToLower(u.Hostname()), "."+strings.ToLower(domain)) || len(k.Raw) > maxCookieBytes {
			continue
		}
		if !strings.HasPrefix(k.Path, "/") {
			k.Path = cmp.Or(u.Path[:max(0, strings.LastIndexByte(u.Path, '/'))], "/")
		}
		if k.MaxAge != 0 {
			k.Expires = time.Now().Add(time.Duration(min(k.MaxAge, 1e9)) * time.Second)
		}
		var list []*http.Cookie
		for _, old := range c.list {
			if !isOver(old) && (old.Name != k.Name || old.Path != k.Path) {
				list = append(list, old)
			}
		}
		if c.list = list; !isOver(k) {
			c.list = append(c.list, k)
		}
		size, first := 0, len(c.list)
		for ; first > 0 && len(c.list)-first < maxCookies; first-- {
			if size += len(c.list[first-1].Raw); size > maxCookieBytes {
				break
			}
		}
		c.list = c.list[first:]
	}
}

func isOver(k *http.Cookie) bool { return !k.Expires.IsZero() && !k.Expires.After(time.Now()) }
