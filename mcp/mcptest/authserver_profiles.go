package mcptest

import "net/http"

// habits are what providers do differently.
type habits struct {
	issuerPath      string // of the issuer
	statedPath      string // of the issuer in the metadata, if it is another one
	rfc8414, openID bool   // where the metadata is
	atOrigin        bool   // the MCP server has no metadata of its own, but that of its authorization server

	registers       bool
	registerRefusal string // of an endpoint that is announced
	secret          bool   // the registered client has a secret
	localhostOnly   bool   // only http://localhost is registered, with any port
	inMemory        bool   // clients and tokens
	announcesPKCE   bool
	iss             bool // RFC 9207

	refuseResource string // the description of the refusal of any resource
	needs          string // the parameter without which the API refuses the token

	device          bool
	verificationURL bool

	tokenType      string
	endless        bool // tokens have no expires_in
	commas         bool // between scopes
	errorsAre200   bool
	scopes         []string
	refreshes      bool
	refreshNeeds   string // what the login must have requested, as in a URL
	rotates        bool
	refusedRefresh string // the code for an invalid refresh token
}

func (h *habits) unknownClientStatus() int {
	if h.inMemory {
		return http.StatusBadRequest
	}
	return http.StatusUnauthorized
}

// A deviation is one habit of a provider, with the page that describes it.
type deviation struct {
	what, source string
	set          func(h *habits)
}

func noRegistration(source string) deviation {
	return deviation{"no dynamic registration", source, func(h *habits) { h.registers = false }}
}

func metadataOfOpenID(source string) deviation {
	return deviation{"metadata at the path of OpenID Connect only", source, func(h *habits) { h.rfc8414, h.openID = false, true }}
}

func secretNeeded(source string) deviation {
	return deviation{"clients have a secret", source, func(h *habits) { h.secret = true }}
}

func deviceOffered(source string) deviation {
	return deviation{"device authorization", source, func(h *habits) { h.device = true }}
}

// Pages that several rows cite.
const (
	entraDocs   = "https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc"
	auth0Docs   = "https://auth0.com/docs/get-started/authentication-and-authorization-flow/authorization-code-flow-with-pkce"
	oktaDocs    = "https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/"
	cognitoDocs = "https://docs.aws.amazon.com/cognito/latest/developerguide/federation-endpoints.html"
	googleDocs  = "https://developers.google.com/identity/protocols/oauth2/native-app"
	gitHubDocs  = "https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps"
	slackDocs   = "https://docs.slack.dev/authentication/installing-with-oauth"
	routerCode  = "https://github.com/modelcontextprotocol/typescript-sdk/tree/v1.x/src/server/auth"
)

// profiles are the providers by name, each with what it does otherwise than the
// specifications or than most others.
var profiles = map[string][]deviation{
	"": {
		deviceOffered("RFC 8628"),
		{"iss in responses", "RFC 9207", func(h *habits) { h.iss = true }},
		{"refresh tokens rotate", "OAuth 2.1, section 4.3.1", func(h *habits) { h.rotates = true }},
		{"the registered client has a secret", "RFC 6749, section 4.4", func(h *habits) { h.secret = true }},
	},
	"entra": {
		metadataOfOpenID(entraDocs), noRegistration(entraDocs), secretNeeded(entraDocs), deviceOffered(entraDocs),
		{"the metadata for all tenants has {tenantid} in the issuer", entraDocs, func(h *habits) { h.issuerPath, h.statedPath = "/common/v2.0", "/{tenantid}/v2.0" }},
		{"no code_challenge_methods_supported", entraDocs, func(h *habits) { h.announcesPKCE = false }},
		{"a resource beside scopes is refused", "https://github.com/microsoft/vscode/issues/254009", func(h *habits) {
			h.refuseResource = "AADSTS9010010: The resource parameter provided in the request doesn't match with the requested scopes."
		}},
		{"a registered redirect URI is http://localhost, with any port", "https://learn.microsoft.com/entra/identity-platform/reply-url", func(h *habits) { h.localhostOnly = true }},
		{"refresh tokens need offline_access and rotate", entraDocs, func(h *habits) { h.refreshNeeds, h.rotates = "offline_access", true }},
	},
	"auth0": {
		noRegistration(auth0Docs), secretNeeded(auth0Docs), deviceOffered(auth0Docs),
		{"the issuer ends with a slash", auth0Docs, func(h *habits) { h.issuerPath, h.openID = "/", true }},
		{"without audience, the token is not for the API", auth0Docs, func(h *habits) { h.needs = "audience" }},
		{"refresh tokens need offline_access", auth0Docs, func(h *habits) { h.refreshNeeds = "offline_access" }},
	},
	"okta": {
		secretNeeded(oktaDocs), deviceOffered(oktaDocs),
		{"the issuer has a path", oktaDocs, func(h *habits) { h.issuerPath, h.openID = "/oauth2/default", true }},
		{"registration is announced, and needs a token of an administrator", oktaDocs, func(h *habits) { h.registers, h.registerRefusal = false, "Invalid token provided" }},
		{"refresh tokens need offline_access", oktaDocs, func(h *habits) { h.refreshNeeds, h.scopes = "offline_access", []string{"openid", "offline_access"} }},
	},
	"cognito": {
		metadataOfOpenID(cognitoDocs), noRegistration(cognitoDocs), secretNeeded(cognitoDocs),
		{"the issuer has the user pool as its path", cognitoDocs, func(h *habits) { h.issuerPath = "/eu-central-1_example" }},
		{"no code_challenge_methods_supported", cognitoDocs, func(h *habits) { h.announcesPKCE = false }},
	},
	"google": {
		metadataOfOpenID(googleDocs), noRegistration(googleDocs), secretNeeded(googleDocs), deviceOffered(googleDocs),
		{"refresh tokens need access_type=offline", googleDocs, func(h *habits) { h.refreshNeeds = "access_type=offline" }},
		{"verification_url", "https://developers.google.com/identity/protocols/oauth2/limited-input-device", func(h *habits) { h.verificationURL = true }},
	},
	"github": {
		noRegistration(gitHubDocs), secretNeeded(gitHubDocs), deviceOffered(gitHubDocs),
		{"the issuer has a path", gitHubDocs, func(h *habits) { h.issuerPath = "/login/oauth" }},
		{"tokens do not expire, and scopes have commas", gitHubDocs, func(h *habits) { h.endless, h.commas, h.refreshes = true, true, false }},
		{"errors have the status 200", gitHubDocs, func(h *habits) { h.errorsAre200 = true }},
		{"bad_refresh_token", "https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens", func(h *habits) { h.refusedRefresh = "bad_refresh_token" }},
	},
	"slack": {
		noRegistration(slackDocs), secretNeeded(slackDocs),
		{"token_type user", slackDocs, func(h *habits) { h.tokenType = "user" }},
		{"errors have the status 200", slackDocs, func(h *habits) { h.errorsAre200 = true }},
		{"tokens do not expire", slackDocs, func(h *habits) { h.endless, h.refreshes = true, false }},
	},
	"atlassian": {
		{"the metadata of the authorization server is at the MCP server, which has none of its own", "https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization", func(h *habits) { h.atOrigin = true }},
		{"refresh tokens rotate", "https://github.com/cloudflare/workers-oauth-provider", func(h *habits) { h.rotates = true }},
	},
	"keycloak": {
		secretNeeded("https://www.keycloak.org/securing-apps/oidc-layers"), deviceOffered("https://www.keycloak.org/securing-apps/oidc-layers"),
		{"the issuer has the realm as its path", "https://www.keycloak.org/securing-apps/oidc-layers", func(h *habits) { h.issuerPath, h.openID = "/realms/demo", true }},
		{"iss in responses", "https://www.keycloak.org/docs/latest/release_notes/", func(h *habits) { h.iss = true }},
	},
	"mcpAuthRouter": {
		{"clients are in memory; an unknown one is 400 invalid_client, and an invalid code of a known one is 500", routerCode, func(h *habits) { h.inMemory = true }},
	},
}
