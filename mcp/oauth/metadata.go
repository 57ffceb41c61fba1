package oauth

import (
	"github.com/stdmcp/stdmcp/internal/wire"
)

// resourceMetadata is what of RFC 9728, section 2, is used.
type resourceMetadata struct {
	resource     string
	servers      []string
	scopes       []string
	dpopRequired bool
}

func parseResourceMetadata(data []byte) (*resourceMetadata, error) {
	m := &resourceMetadata{}
	r := wire.NewReader(data)
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "resource":
			m.resource = text(&r)
		case "authorization_servers":
			m.servers = texts(&r)
		case "scopes_supported":
			m.scopes = texts(&r)
		case "dpop_bound_access_tokens_required":
			m.dpopRequired = truth(&r)
		default:
			r.Skip()
		}
	}
	return m, r.End()
}

// serverMetadata is what of RFC 8414, section 2, and its extensions is used.
type serverMetadata struct {
	issuer       string
	authorize    string
	token        string
	register     string
	revoke       string
	scopes       []string
	methods      []string // of client authentication
	signingAlgs  []string // of private_key_jwt
	challenges   []string // of PKCE
	dpopAlgs     []string
	clientURLs   bool // client-id metadata documents
	issInAnswers bool // RFC 9207
}

func parseServerMetadata(data []byte) (*serverMetadata, error) {
	m := &serverMetadata{}
	r := wire.NewReader(data)
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "issuer":
			m.issuer = text(&r)
		case "authorization_endpoint":
			m.authorize = text(&r)
		case "token_endpoint":
			m.token = text(&r)
		case "registration_endpoint":
			m.register = text(&r)
		case "revocation_endpoint":
			m.revoke = text(&r)
		case "scopes_supported":
			m.scopes = texts(&r)
		case "token_endpoint_auth_methods_supported":
			m.methods = texts(&r)
		case "token_endpoint_auth_signing_alg_values_supported":
			m.signingAlgs = texts(&r)
		case "code_challenge_methods_supported":
			m.challenges = texts(&r)
		case "dpop_signing_alg_values_supported":
			m.dpopAlgs = texts(&r)
		case "client_id_metadata_document_supported":
			m.clientURLs = truth(&r)
		case "authorization_response_iss_parameter_supported":
			m.issInAnswers = truth(&r)
		default:
			r.Skip()
		}
	}
	return m, r.End()
}

// text, texts and truth read a value that may be null, which means absent.
func text(r *wire.Reader) string {
	if r.Null() {
		return ""
	}
	return r.String()
}

func texts(r *wire.Reader) (list []string) {
	if r.Null() {
		return nil
	}
	for r.Array(); r.More(); {
		list = append(list, r.String())
	}
	return list
}

func truth(r *wire.Reader) bool { return !r.Null() && r.Bool() }
