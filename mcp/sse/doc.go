// Package sse reads event streams and connects to MCP servers of 2024-11-05
// over HTTP.
package sse
