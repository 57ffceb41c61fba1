// Package httpx is what the HTTP transports share: sending a request with the
// caller's http.Client but with time-outs of its own, redirects within one
// origin only, limits on what is read, and errors that say what was wrong
// without repeating a credential.
//
// It uses the RoundTripper and the cookie jar of the http.Client and not its
// Do method, which would cut streams off at its Timeout, follow redirects to
// anywhere, and name the whole URL in its errors.
package httpx
