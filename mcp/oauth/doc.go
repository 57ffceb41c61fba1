// Package oauth authorizes the requests of a client to MCP servers over HTTP,
// as the protocol revisions from 2025-03-26 to 2026-07-28 have it.
//
// A [Transport] is an http.RoundTripper, so it serves every transport that
// takes an http.Client:
//
//	auth := oauth.New("https://example.com/mcp", &oauth.Options{
//		Authorizer: &oauth.Loopback{},
//		Store:      oauth.NewFile(path),
//	})
//	server := streamhttp.New("https://example.com/mcp", &streamhttp.Options{Client: auth.Client()})
//	client, err := mcp.Connect(ctx, server, nil)
//
// When the server asks for authorization, the Transport finds out who gives it,
// registers the program there, has a person agree in a browser, and repeats the
// request with the token. Later it refreshes the token by itself.
//
// # Ways to a token
//
// Options.Authorizer asks a person: [Loopback] opens a browser and receives the
// answer on this machine, [Paste] is for a person whose browser is elsewhere.
// In their place, Options.Grant gets tokens without a person:
// [ClientCredentials] for a program that acts for itself, [Assertion] for a
// workload to which its platform gives an identity, [Identity] for users of an
// enterprise. Without either, a request that needs a token fails with
// [ErrLoginRequired].
//
// A token that comes from elsewhere needs no Transport: [Bearer] and [Header]
// send it. A server that wants none needs nothing at all.
//
// # Who the program is
//
// An authorization server wants to know which program asks. The first of these
// that is possible is used: the client that Options.Client says it is, the
// metadata at Options.ClientURL, a registration that the server makes, a client
// that Options.AskClient returns. What one authorization server knows is never
// shown to another. When a server moves to another, the program is registered
// there anew, unless it was given as Options.Client: then that is an error.
//
// Clients prove who they are by nothing, by a secret, or with a [Key]
// (private_key_jwt).
//
// # What is trusted
//
// Where tokens come from is said by servers, so everything is checked before a
// code or token leaves the process:
//
//   - Metadata and tokens come over https only; over http between addresses of
//     this machine. No name that a server says may stand for an address in a
//     network that the server is not in itself, whichever way it was redirected.
//     Where a proxy resolves names, that is up to the proxy.
//   - A document says whose it is, and must say it exactly: the resource in its
//     metadata, the issuer in that of the authorization server. At a well-known
//     place, a resource may speak for all that is below it. Options.Resource is
//     for one that says something else. With Options.Issuer, no other
//     authorization server is asked for anything, whoever names it.
//   - An authorization server must announce PKCE with S256. Its answer must have
//     the state of the request and come from it (RFC 9207).
//   - Tokens go to the origin that they are for and nowhere else, and into no
//     error and no printed value, even when a server repeats them. What else a
//     server says can be shown to [Transport.Hide].
//
// # Tokens that were refused
//
// A server may refuse a token. It is refreshed, if it can be. If that does not
// help, it is thrown away and authorization begins anew. If the new token is
// refused as well, that is an error. Where a token is good but not for what was
// asked, more scopes are asked for, beside those there were, at most three times
// for one operation. A failure, such as a person who says no, is not tried again
// for a minute, unless [Transport.Login] is called.
//
// Requests that are mere courtesy, such as the notice that a call was given up,
// never start authorization.
//
// Tokens are bound to a key when the server wants that (DPoP): every request
// then has a proof of its own, and a stolen token is of no use.
//
// # Stores
//
// A [Store] keeps tokens and registrations: a [Memory], a [File] that only its
// owner may read, or something else, such as the keychain of the system. When
// several processes share one, one refreshes and the others wait. A program that
// cannot ask anybody notes there which scopes it lacked, for the next
// [Transport.Login].
//
// # Concurrency
//
// A Transport may be used by any number of goroutines at once. Those that need a
// token wait for the same one; the attempt ends when none of them waits any more.
package oauth
