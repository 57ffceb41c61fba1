// Package jsonschema validates values against the JSON Schemas of servers, such
// as the results of tools against their output schemas:
//
//	client, err := mcp.Connect(ctx, transport, &mcp.Options{Intercept: new(jsonschema.Outputs).Intercept})
//
// # Dialects
//
// The dialect of a schema is 2020-12, MCP's default, or the one that $schema
// names: 2020-12, 2019-09, draft-07 or draft-06. Any other dialect is
// [ErrDialect]. The package supports all assertion keywords of these dialects.
// Formats are annotations and are not checked. A pattern that package regexp
// does not support, such as one with a lookahead, matches everything.
//
// The package fetches nothing: a reference to another document is an error. A schema
// may nest up to 128 levels, a pattern may have up to 64 KiB, all patterns may have up
// to 100,000 instructions by an estimate, and validating a value may take up to a
// million steps, including those of patterns. A million steps take about a second; the
// context of the call may end validation earlier.
//
// # Concurrency
//
// All functions and methods may be called by multiple goroutines at once.
package jsonschema
