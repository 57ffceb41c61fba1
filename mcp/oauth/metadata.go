package oauth

import (
	"github.com/stdmcp/stdmcp/internal/wire"
)

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
			m.servers = optStrings(r)
		case "scopes_supported":
			m.scopes = optStrings(r)
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
	authorize      string
	token          string
	register       string
	revoke         string
	device         string // RFC 8628, section 4
	scopes         []string
	authMethods    []string // of client authentication
	signingAlgs    []string // of private_key_jwt
	pkceMethods    []string // of PKCE
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
			m.authorize = optString(r)
		case "token_endpoint":
			m.token = optString(r)
		case "registration_endpoint":
			m.register = optString(r)
		case "revocation_endpoint":
			m.revoke = optString(r)
		case "device_authorization_endpoint":
			m.device = optString(r)
		case "scopes_supported":
			m.scopes = optStrings(r)
		case "token_endpoint_auth_methods_supported":
			m.authMethods = optStrings(r)
		case "token_endpoint_auth_signing_alg_values_supported":
			m.signingAlgs = optStrings(r)
		case "code_challenge_methods_supported":
			m.pkceMethods = optStrings(r)
		case "dpop_signing_alg_values_supported":
			m.dpopAlgs = optStrings(r)
		case "client_id_metadata_document_supported":
			m.clientURLs = optBool(r)
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

func optBool(r *wire.Reader) bool { return !r.Null() && r.Bool() }
