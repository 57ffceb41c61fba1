// Package stdio connects to MCP servers over lines of JSON: those of a program
// that it starts ([Command]) or of any stream ([Stream]).
package stdio
