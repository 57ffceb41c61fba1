// Package oauth authorizes a client's HTTP requests to MCP servers, as the
// protocol versions from 2025-03-26 to 2026-07-28 define it.
//
// A [Transport] is an http.RoundTripper, so it works with every MCP transport
// that takes an http.Client:
//
//	auth := oauth.New("https://example.com/mcp", &oauth.Options{
//		Authorizer: &oauth.Loopback{},
//		Store:      oauth.NewFile(path),
//	})
//	server := streamhttp.New("https://example.com/mcp", &streamhttp.Options{Client: auth.Client()})
//	client, err := mcp.Connect(ctx, server, nil)
//
// When the server demands authorization, the Transport discovers the
// authorization server, registers the program there, has the user log in with a
// browser, and repeats the request with the token. It refreshes the token when
// it expires.
//
// # Ways to get a token
//
// With Options.Authorizer, the user authorizes the program: [Loopback] opens a
// browser and receives the authorization response on this machine; [Paste] is
// for a user whose browser runs on another machine, and so is [Device], where the
// user enters a code (device authorization, RFC 8628, an extension that is in no
// version of MCP). A [TokenAuthorizer] gets tokens elsewhere. Options.Grant gets tokens
// without a user: [ClientCredentials] for a program that acts for itself,
// [Assertion] for a workload that its platform gives an identity, [Identity]
// for the users of an enterprise. If neither is set, a request that needs a new
// token fails with [ErrLoginRequired].
//
// A program that already has a token or an API key needs no Transport: [Bearer]
// and [StaticHeader] send it. A server that does not demand authorization needs
// neither.
//
// # Client registration
//
// The program must be registered as a client of the authorization server. The
// Transport uses the first of these registrations that is possible:
// Options.Client; the metadata document at Options.ClientURL; dynamic
// registration; the client that Options.AskClient returns. It never sends one
// authorization server's credentials to another. If an MCP server changes its
// authorization server, the Transport registers the program there; with
// Options.Client, the request fails instead.
//
// Some authorization servers forget dynamic registrations. The Transport asks before
// a login whether the server knows the program, and registers again if not. A login
// that times out and [Transport.Logout] delete the registration. If a server refuses a
// registration, the Transport asks for less: no application_type, no scopes, no refresh
// tokens, a client with a secret, or a redirect URI with the host localhost.
//
// Protocol version 2026-07-28 deprecates dynamic registration; a version released
// on or after 2027-07-28 may remove it. Options.ClientURL replaces it.
//
// A client authenticates with a secret, with a [Key] (private_key_jwt), or not
// at all.
//
// # What is trusted
//
// The MCP server names the authorization server, so the Transport checks each
// step before a code or token leaves the process:
//
//   - Metadata and tokens travel over https, or over http between addresses of
//     this machine. A host name from a server may not resolve to an address in a
//     private network unless that server is in the same network or on this
//     machine, not even after a redirect. If a proxy resolves the names, the proxy
//     must check that.
//   - A metadata document must state exactly the resource or the issuer that it
//     was fetched for, except for a slash at the end of the issuer. At a well-known URL, the stated resource may also be a
//     parent of the server's URL. Options.Resource accepts another resource.
//     With Options.Issuer, no other authorization server is contacted.
//   - If the challenge names a dead URL, the well-known URLs of the server itself
//     come next. After a failure that may hide a document, only one for exactly
//     the server's URL, or of the authorization server that was used before, counts.
//   - The authorization server must announce PKCE with S256, unless Options.AssumePKCE is set. The authorization
//     response must carry the state of the request and the right issuer (RFC
//     9207).
//   - Device authorization has none of these, so the Transport uses it only with an
//     authorization server that Options.Issuer or Client.Issuer names, that issued
//     the token before, or that has the origin of the server, unless
//     Options.TrustDiscoveredIssuer is set.
//   - The Transport sends a token only to the origin that it was issued for.
//     Errors and printed values never contain tokens, even when a server echoes
//     one; [Transport.Hide] removes them from any other text of a server.
//
// # Refused tokens
//
// If the server refuses a token, the Transport refreshes it. If that does not help, it
// starts a new authorization. It deletes the stored token before only if the
// authorization server calls the refresh token invalid (invalid_grant, or
// bad_refresh_token as GitHub does). If the server refuses the new token
// too, the request fails. If a token lacks scopes, the Transport requests them in
// addition to the token's scopes, at most three times for one operation, such as calls
// of a tool. After a failure, such as a user who denies access, the Transport returns
// the same error for a minute; [Transport.Login] tries again at once.
//
// While the user logs in, the timeouts of the requests that wait for it are paused:
// those of the transports, of package mcp and of package host. The deadline of a
// context of the program is not.
//
// Best-effort requests, such as the notification that a request was canceled,
// never start authorization.
//
// If the server requires it, the Transport binds tokens to a key (DPoP): each
// request then carries its own proof, and a stolen token is useless without the
// key.
//
// # Stores
//
// A [Store] holds tokens and registrations: [Memory], [File] (readable by its
// owner only), or an implementation of the program, such as a keychain. When
// several processes share a Store, one of them refreshes and the others wait. A
// program without an Authorizer records the scopes that it lacked in the Store,
// and the next [Transport.Login] asks for them.
//
// # Concurrency
//
// A Transport is safe for concurrent use. Goroutines that need a token share one
// attempt to get it, which ends when none of them waits for it any more.
package oauth
