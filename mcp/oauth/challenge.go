package oauth

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

// A challenge is one of the challenges of a WWW-Authenticate field (RFC 9110,
// section 11.6.1).
type challenge struct {
	scheme string            // in lower case
	params map[string]string // by name in lower case; the first of a name counts
}

// parseChallenges returns the challenges in the WWW-Authenticate fields, and reports
// whether a field was malformed. The parser skips a malformed parameter up to the next
// comma: the server chose the whole field, so no spelling of it can send a token elsewhere.
func parseChallenges(fields []string) (list []challenge, malformed bool) {
	for _, field := range fields {
		p := challengeParser{s: field}
		for p.skip(separators); p.s != ""; p.skip(separators) {
			before := p.s
			c := challenge{strings.ToLower(p.token()), map[string]string{}}
			if strings.HasPrefix(p.s, "=") { // a parameter without a scheme
				p.s, p.bad, c.scheme = before, true, ""
			}
			p.params(&c)
			if c.scheme != "" || len(c.params) > 0 {
				list = append(list, c)
			}
		}
		malformed = malformed || p.bad
	}
	return list, malformed
}

// A challengeParser holds the unread rest of a field.
type challengeParser struct {
	s   string
	bad bool // something was malformed
}

const separators = " \t,;"

// end reports whether a parameter or scheme ends here. If not, it skips up to one of the
// bytes in until.
func (p *challengeParser) end(until string) bool {
	if p.s == "" || strings.IndexByte(separators, p.s[0]) >= 0 {
		return true
	}
	p.bad = true
	if n := strings.IndexAny(p.s, until); n >= 0 {
		p.s = p.s[n:]
	} else {
		p.s = ""
	}
	return false
}

func (p *challengeParser) skip(chars string) { p.s = strings.TrimLeft(p.s, chars) }

func (p *challengeParser) token() string {
	n := 0
	for n < len(p.s) && httpx.IsTokenByte(p.s[n]) {
		n++
	}
	t := p.s[:n]
	p.s = p.s[n:]
	return t
}

// params reads the parameters of c. A token without "=" is the next scheme. Some servers
// omit the commas.
func (p *challengeParser) params(c *challenge) {
	if c.scheme != "" && p.end(separators) {
		p.skip(" \t")
		if rest, ok := cutToken68(p.s); ok {
			p.s = rest
			return
		}
	}
	for p.skip(separators); p.s != ""; p.skip(separators) {
		before := p.s
		name := strings.ToLower(p.token())
		p.skip(" \t")
		if !strings.HasPrefix(p.s, "=") {
			if name != "" { // the next scheme
				p.s = before
				return
			}
			p.end(separators)
			continue
		}
		p.s = p.s[1:]
		p.skip(" \t")
		value, ok := p.value()
		p.bad = p.bad || !ok || name == ""
		if _, known := c.params[name]; p.end(",;") && ok && name != "" && !known {
			c.params[name] = value
		}
	}
}

// value reads a token or a quoted string. Some servers omit the quotes of a URL, or use
// single ones. The value is no more trusted than a quoted one.
func (p *challengeParser) value() (string, bool) {
	if rest, ok := strings.CutPrefix(p.s, "'"); ok {
		v, after, found := strings.Cut(rest, "'")
		if found && !strings.Contains(v, `"`) {
			p.s = after
			return v, true
		}
	}
	if !strings.HasPrefix(p.s, `"`) {
		n := 0
		for n < len(p.s) && ' ' < p.s[n] && p.s[n] <= '~' && strings.IndexByte(`,;"`, p.s[n]) < 0 {
			n++
		}
		v := p.s[:n]
		p.s = p.s[n:]
		return v, v != ""
	}
	var b strings.Builder
	for i := 1; i < len(p.s); i++ {
		switch ch := p.s[i]; {
		case ch == '"':
			p.s = p.s[i+1:]
			return b.String(), true
		case ch == '\\' && i+1 < len(p.s):
			i++
			b.WriteByte(p.s[i])
		default:
			b.WriteByte(ch)
		}
	}
	p.s = ""
	return "", false
}

// cutToken68 cuts a token68, such as that of a Basic or Negotiate challenge,
// off the start of s.
func cutToken68(s string) (rest string, ok bool) {
	n := 0
	for n < len(s) && (isAlnum(s[n]) || strings.IndexByte("-._~+/", s[n]) >= 0) {
		n++
	}
	if n == 0 {
		return s, false
	}
	for n < len(s) && s[n] == '=' {
		n++
	}
	rest = strings.TrimLeft(s[n:], " \t")
	if rest != "" && rest[0] != ',' {
		return s, false
	}
	return rest, true
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// A demand describes the authorization that a server demands for a request.
type demand struct {
	metadata string // URL of the protected resource metadata; may be empty
	scope    string // scopes that the operation needs; may be empty
	dpop     bool   // the server accepts DPoP tokens
	bearer   bool   // the server accepts bearer tokens
	nonce    bool   // the proof must have the server's nonce
	stepUp   bool   // the token is valid, but lacks scopes for this operation
	silent   bool   // set by the client: do not involve the user
	odd      bool   // the challenge is malformed

	zone      zone // of the address that made the demand
	zoneKnown bool
}

// satisfiedBy reports whether k may satisfy the demand, provided that the server
// has not refused it.
func (d demand) satisfiedBy(k *token) bool {
	return !d.stepUp || containsAll(strings.Fields(d.scope), k.granted)
}

// demandOf returns the demand in resp, and reports whether a token could
// satisfy it.
func demandOf(resp *http.Response) (d demand, ok bool) {
	fields := resp.Header.Values("WWW-Authenticate")
	if resp.StatusCode != http.StatusUnauthorized && (resp.StatusCode != http.StatusForbidden || len(fields) == 0) {
		return d, false
	}
	insufficient, others := false, false
	list, malformed := parseChallenges(fields)
	d.odd = malformed
	for _, c := range list {
		switch {
		case c.scheme == "bearer":
			d.bearer = true
		case c.scheme == "dpop":
			d.dpop = true
		case c.params["resource_metadata"] == "":
			others = others || c.scheme != ""
			continue
		}
		if d.metadata == "" {
			d.metadata = strings.TrimSpace(c.params["resource_metadata"])
		}
		if d.scope == "" {
			d.scope = c.params["scope"]
		}
		d.nonce = d.nonce || c.params["error"] == "use_dpop_nonce"
		insufficient = insufficient || c.params["error"] == "insufficient_scope"
	}
	if resp.StatusCode == http.StatusForbidden {
		d.stepUp = true
		return d, insufficient && d.scope != ""
	}
	return d, d.bearer || d.dpop || d.metadata != "" || !others
}

const (
	// maxStepUps limits how often one operation requests more scopes. The
	// authorization before that counts.
	maxStepUps = 3

	// maxOperations limits the number of operations in Transport.stepUps.
	maxOperations = 1000
)

// An operation identifies what a request does, by its URL and headers.
type operation struct {
	t      *Transport
	req    *http.Request
	rounds int // authorizations for this request
	stepUp bool
}

// name returns a key for the operation. From 2026-07-28 on, headers carry the
// MCP method and the name of the tool.
func (o *operation) name() string {
	h := o.req.Header
	return strings.Join([]string{o.req.Method, o.req.URL.Path, h.Get("Mcp-Method"), h.Get("Mcp-Name")}, "\n")
}

// satisfyDemand returns a token that may satisfy the demand, which k did not.
func (o *operation) satisfyDemand(ctx context.Context, k *token, d demand) (*token, error) {
	if o.rounds++; o.rounds > maxStepUps {
		return nil, o.t.tooManyRounds()
	}
	if d.stepUp && k != nil && d.satisfiedBy(k) {
		return nil, ruleError(httpx.Clean(o.t.url), "the server demands scopes that the token already has: "+printable(d.scope), nil)
	}
	o.stepUp = o.stepUp || d.stepUp
	return o.t.renew(ctx, k, d, o.name())
}

// A stepUp is the task of getting more scopes for an operation.
type stepUp struct {
	demand    demand
	operation string
}

// countStepUp counts the task if it is a stepUp, and returns an error after the
// last permitted one.
func (t *Transport) countStepUp(task any) error {
	s, ok := task.(stepUp)
	if !ok {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stepUps == nil || len(t.stepUps) >= maxOperations {
		t.stepUps = map[string]int{}
	}
	if t.stepUps[s.operation] >= maxStepUps {
		return t.tooManyRounds()
	}
	t.stepUps[s.operation]++
	return nil
}

// succeeded resets the count of the operation if the server no longer refuses it
// for lack of scopes.
func (o *operation) succeeded(resp *http.Response) {
	if !o.stepUp || resp.StatusCode == http.StatusForbidden {
		return
	}
	o.t.mu.Lock()
	delete(o.t.stepUps, o.name())
	o.t.mu.Unlock()
}

func (t *Transport) tooManyRounds() error {
	return ruleError(httpx.Clean(t.url), "the server still demands authorization after "+strconv.Itoa(maxStepUps)+" attempts (Step-Up Authorization Flow)", nil)
}
