package oauth

import "github.com/stdmcp/stdmcp/internal/wire"

// resourceMetadata holds the used members of protected resource metadata (RFC
// 9728, section 2).
type resourceMetadata struct {
	resource     string
	servers      []string
	scopes       []string
	dpopRequired bool
}

func parseResourceMetadata(data []byte) (*resourceMetadata, error) {
	m := &resourceMetadata{}
	return m, readMembers(data, func(r *wire.Reader, key string) {
		switch key {
		case "resource":
			m.resource = optString(r)
		case "authorization_servers":
			m.servers = oneOrMore(r)
		case "scopes_supported":
			m.scopes = lenientStrings(r)
		case "dpop_bound_access_tokens_required":
			m.dpopRequired = optBool(r)
		default:
			r.Skip()
		}
	})
}

// serverMetadata holds the used members of authorization server metadata (RFC
// 8414, section 2, and its extensions).
type serverMetadata struct {
	issuer         string
	stated         string // the issuer as the metadata has it; see matchesIssuer
	authorize      string
	token          string
	register       string
	revoke         string
	device         string // RFC 8628, section 4
	scopes         []string
	authMethods    []string // of client authentication
	signingAlgs    []string // of private_key_jwt
	pkceMethods    []string // of PKCE
	pkceKnown      bool     // the metadata has pkceMethods
	dpopAlgs       []string
	clientURLs     bool // client-id metadata documents
	issInResponses bool // RFC 9207
}

func parseServerMetadata(data []byte) (*serverMetadata, error) {
	m := &serverMetadata{}
	return m, readMembers(data, func(r *wire.Reader, key string) {
		switch key {
		case "issuer":
			m.issuer = optString(r)
		case "authorization_endpoint":
			m.authorize = lenientString(r)
		case "token_endpoint":
			m.token = optString(r)
		case "registration_endpoint":
			m.register = lenientString(r)
		case "revocation_endpoint":
			m.revoke = lenientString(r)
		case "device_authorization_endpoint":
			m.device = lenientString(r)
		case "scopes_supported":
			m.scopes = lenientStrings(r)
		case "token_endpoint_auth_methods_supported":
			m.authMethods = optStrings(r)
		case "token_endpoint_auth_signing_alg_values_supported":
			m.signingAlgs = optStrings(r)
		case "code_challenge_methods_supported":
			m.pkceKnown = r.Kind() != wire.Null
			m.pkceMethods = optStrings(r)
		case "dpop_signing_alg_values_supported":
			m.dpopAlgs = optStrings(r)
		case "client_id_metadata_document_supported":
			m.clientURLs = lenientBool(r)
		case "authorization_response_iss_parameter_supported":
			m.issInResponses = optBool(r)
		default:
			r.Skip()
		}
	})
}

// readMembers calls read for each member of the object data; read must read the
// value.
func readMembers(data []byte, read func(r *wire.Reader, key string)) error {
	r := wire.NewReader(data)
	for r.Object(); r.More(); {
		read(&r, string(r.Key()))
	}
	return r.End()
}

// texts are members of an object that are texts, by name; null means absent.
type texts map[string]*string

// read reads data. other reads the value of another member, and reports whether it did; it
// may be nil.
func (m texts) read(data []byte, other func(r *wire.Reader, key string) bool) error {
	return readMembers(data, func(r *wire.Reader, key string) {
		if to := m[key]; to != nil {
			*to = optString(r)
		} else if other == nil || !other(r, key) {
			r.Skip()
		}
	})
}

// encode returns an object with the texts that are not empty, but for its last brace.
func (m texts) encode() []byte {
	b := []byte{'{'}
	for _, name := range wire.SortedKeys(m) {
		if *m[name] != "" {
			b = wire.AppendString(wire.AppendKey(b, name), *m[name])
		}
	}
	return b
}

// optString, optStrings and optBool read a value; null means absent.
func optString(r *wire.Reader) string {
	if r.Null() {
		return ""
	}
	return r.String()
}

func optStrings(r *wire.Reader) (list []string) {
	if r.Null() {
		return nil
	}
	for r.Array(); r.More(); {
		list = append(list, r.String())
	}
	return list
}

// oneOrMore reads a list, or a text as a list of one.
func oneOrMore(r *wire.Reader) []string {
	if r.Kind() == wire.String {
		return []string{r.String()}
	}
	return optStrings(r)
}

// optBool takes any value but false and "false" for true, because the members that it reads
// demand something of the client.
func optBool(r *wire.Reader) bool {
	switch r.Kind() {
	case wire.Bool:
		return r.Bool()
	case wire.String:
		return r.String() != "false"
	}
	return !r.Null() && r.Raw() != nil
}

// lenientString, lenientStrings and lenientBool read an optional value, which they drop
// if it has another type: then the feature is not used. They are not for members whose
// absence weakens a check, such as that of iss, DPoP or client authentication.
func lenientString(r *wire.Reader) string {
	if r.Kind() == wire.String {
		return r.String()
	}
	r.Skip()
	return ""
}

func lenientStrings(r *wire.Reader) (list []string) {
	if r.Kind() != wire.Array {
		r.Skip()
		return nil
	}
	for r.Array(); r.More(); {
		if s := lenientString(r); s != "" {
			list = append(list, s)
		}
	}
	return list
}

func lenientBool(r *wire.Reader) bool {
	if r.Kind() == wire.Bool {
		return r.Bool()
	}
	r.Skip()
	return false
}
