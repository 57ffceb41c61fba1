// Package serve has what "mcpecho serve" runs beside the echo server itself: a server
// over HTTP, one that replays a recording, and one that requires a login.
package serve
