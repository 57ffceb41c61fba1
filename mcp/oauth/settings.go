package oauth

import (
	"net/url"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// A Trace observes a Transport. Its functions may be nil, are called by several
// goroutines, and must return soon. name is Options.Name, or the server's URL without
// its query. No argument has a secret.
type Trace struct {
	// LoggedIn reports that the user logged in, or that the Grant got a token.
	LoggedIn func(name string)

	// TokenLoaded reports that the Transport uses a token that it did not get
	// itself: another process, another Transport or an earlier run stored it.
	TokenLoaded func(name string)

	// Odd reports an answer that breaks a rule, and that the Transport accepts
	// because it can harm no one.
	Odd func(name string, what *Error)
}

func (t *Transport) name() string {
	if t.opts.Name != "" {
		return t.opts.Name
	}
	return t.String()
}

func (t *Transport) loggedIn() {
	if tr := t.opts.Trace; tr != nil && tr.LoggedIn != nil {
		tr.LoggedIn(t.name())
	}
}

func (t *Transport) tokenLoaded() {
	if tr := t.opts.Trace; tr != nil && tr.TokenLoaded != nil {
		tr.TokenLoaded(t.name())
	}
}

// odd reports an accepted oddity of the server at url.
func (t *Transport) odd(url, what string) {
	if tr := t.opts.Trace; tr != nil && tr.Odd != nil {
		tr.Odd(t.name(), ruleError(url, what, nil))
	}
}

// reserved are the parameters that Options.Parameters cannot have: those of the
// protocol and of client authentication, which have options of their own, and those
// that put the request, or the way of its response, under the control of another
// party.
const reserved = " response_type response_mode request request_uri registration client_id client_secret client_assertion client_assertion_type" +
	" redirect_uri state code code_challenge code_challenge_method code_verifier dpop_jkt grant_type scope resource" +
	" refresh_token device_code assertion username password subject_token subject_token_type actor_token actor_token_type" +
	" requested_token_type token token_type_hint access_token id_token iss error "

// check returns an error if the options contradict each other.
func (o *Options) check() error {
	for name := range o.Parameters {
		if name == "" || strings.ContainsAny(name, " \t\r\n") || strings.Contains(reserved, " "+strings.ToLower(name)+" ") {
			return ruleError("", "Options.Parameters must not have "+printable(name)+", which is a parameter of the protocol", nil)
		}
	}
	for _, s := range [...]struct {
		name string
		set  bool
	}{
		{"IssuerInMetadata", o.IssuerInMetadata != ""}, {"RequestResource", o.RequestResource != ""}, {"AssumePKCE", o.AssumePKCE},
		{"AuthorizationURL", o.AuthorizationURL != ""}, {"TokenURL", o.TokenURL != ""},
	} {
		// Without a fixed issuer, the MCP server would choose who profits.
		if s.set && o.Issuer == "" {
			return ruleError("", "Options."+s.name+" needs Options.Issuer", nil)
		}
	}
	if o.AuthorizationURL != "" && o.TokenURL == "" {
		return ruleError("", "Options.AuthorizationURL needs Options.TokenURL", nil)
	}
	if u, err := url.Parse(o.RequestResource); o.RequestResource != "" && o.RequestResource != NoResource && (err != nil || u.Scheme == "" || u.Fragment != "") {
		return ruleError("", "Options.RequestResource must be "+NoResource+" or an absolute URI without a fragment (RFC 8707, section 2)", nil)
	}
	return nil
}

// complete adds the parameters that all requests to s have to those of a request.
func (t *Transport) complete(form url.Values, s *server) {
	if s.sent != "" {
		form.Set("resource", s.sent)
	}
	for name, value := range t.opts.Parameters {
		form.Set(name, value) // none is reserved
	}
}

// form returns the parameters of a request to s: names, each with its value, and those that
// all requests have.
func (t *Transport) form(s *server, pairs ...string) url.Values {
	form := url.Values{}
	setAll(form, pairs...)
	t.complete(form, s)
	return form
}

func setAll(form url.Values, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
}

// tenant stands for the name of a tenant in Options.IssuerInMetadata.
const tenant = "{tenantid}"

// matchesIssuer reports whether an iss is the issuer in metadata, in which a tenant
// stands for one segment of a path. The template is a setting of the program for the
// one authorization server that it contacts, so a response of a tenant of it comes
// from the same party.
func matchesIssuer(stated, iss string) bool {
	before, after, ok := strings.Cut(stated, tenant)
	if !ok || iss == stated {
		return iss == stated
	}
	id, prefix := strings.CutPrefix(iss, before)
	id, suffix := strings.CutSuffix(id, after)
	return prefix && suffix && id != "" && !strings.ContainsAny(id, "/?#%\\")
}

// sameIssuer reports whether two issuers are equal, but for one slash at the end. Both
// have their metadata at the same URLs (RFC 8414, section 3.1), so both are one party.
func sameIssuer(a, b string) bool {
	return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/")
}

// explain names the option that changes the request, if the server refused a parameter of
// it that an option changes.
func (t *Transport) explain(s *server, err error) error {
	e, ok := diag.Find[*ServerError](err)
	if !ok {
		return err
	}
	has := func(words ...string) bool { return mentions(e, words...) }
	then := ""
	switch {
	case has("redirect_uri", "redirect uri", "aadsts50011"):
		then = "register the redirect URI of the program there, or set the RedirectURI of the Authorizer to the registered one; the host localhost is not 127.0.0.1"
	case has("aadsts9010010", "aadsts901002") || has("resource", "invalid_target") && s.sent != "" && !has("audience"):
		then = "if the server refuses the parameter resource, set Options.Issuer to " + clean(s.issuer) +
			", and Options.RequestResource to the value that it wants, or to NoResource"
	case has("audience", "invalid_target", "tenant"):
		then = "if the server wants another parameter, such as audience, set it in Options.Parameters"
	default:
		return err
	}
	return ruleError(clean(s.issuer), then, err)
}

// mentions reports whether err is a refusal whose text has one of the words, which are in
// lower case.
func mentions(err error, words ...string) bool {
	e, ok := diag.Find[*ServerError](err)
	return ok && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(e.Code+" "+e.Description), w) })
}
