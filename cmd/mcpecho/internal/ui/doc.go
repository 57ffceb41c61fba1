// Package ui is the local page of "mcpecho ui": a bench on which the author of a server
// lists, calls and watches it.
//
// The state is in [Bench]: the client, the server's lists, the calls, what the server
// asks, and a ring of the traffic. The page, which is embedded, receives changes of the
// state as events and requests what the user opens. Everything that the page can do is a
// use of the public library.
//
// # Security
//
// A [Server] listens on a random port of 127.0.0.1 and answers only requests whose Host
// is that address, because a name of another site that resolves to 127.0.0.1 has that
// name as its Host. It refuses each request with the Origin of another page. The page's
// own requests carry a token in a header that no other page can send: the token is in
// the fragment of the URL, which browsers send to no server, and then in the tab's
// sessionStorage. There is no cookie, because browsers send a cookie to every port of a
// host. The Content-Security-Policy forbids inline scripts, other origins, frames and
// forms; with Trusted Types, text cannot become HTML. The page follows no URL of a
// server, and can start nothing but the target that mcpecho was started with.
package ui
