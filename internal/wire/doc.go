// Package wire reads and writes JSON text (RFC 8259) the way the library needs it.
//
// [Reader] pulls values out of a byte slice in one pass. It is strict: keys
// are compared exactly, strings must be valid UTF-8 without lone surrogates,
// containers nest at most [MaxDepth] deep, and nothing may follow the value.
// Numbers are handed out as they were written. Values can be skipped or cut
// out raw without being decoded, and are validated all the same.
//
// The Append functions write one line of valid UTF-8 JSON to the end of a
// byte slice.
//
// The package knows nothing of JSON-RPC or MCP, and uses none of
// encoding/json, whose codec would add 0.4 to 0.8 MB to a program.
package wire
