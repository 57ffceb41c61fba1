// Package httpx contains the parts that the HTTP transports share. It sends
// requests with timeouts of its own, follows redirects within one origin, limits
// what it reads, and returns errors without credentials.
//
// It uses the RoundTripper and the cookie jar of the caller's http.Client, but
// not its Do method, which ends streams after its Timeout, follows redirects to
// any origin, and includes the whole URL in errors.
package httpx
