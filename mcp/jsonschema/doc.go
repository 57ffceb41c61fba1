// Package jsonschema validates values against the JSON Schemas of servers, such
// as the results of tools against their output schemas.
//
//	client, err := mcp.Connect(ctx, transport, &mcp.Options{
//		Interceptors: []mcp.Interceptor{new(jsonschema.Outputs).Intercept},
//	})
//
// # Dialects
//
// The dialect of a schema is 2020-12, MCP's default, or the one that $schema
// names: 2020-12, 2019-09, draft-07 or draft-06. Any other dialect is
// [ErrDialect]. The package supports all assertion keywords of these dialects.
// Formats are annotations and are not checked. A pattern that package regexp
// does not support, such as one with a lookahead, matches everything.
//
// The package fetches nothing: a reference to another document is an error.
//
// # Limits
//
// Beyond these limits of a schema, compiling or validating fails with an error that names
// the limit:
//
//   - 128 levels and 50,000 subschemas
//   - 8 KiB for an id, an anchor, a reference and a pattern, and 4 MiB for all ids, resolved
//   - 50,000 instructions of all patterns, by an estimate
//   - 10,000 levels of a value, and of schemas that apply each other
//   - four million steps for compiling a schema, and for validating a value
//
// A step applies a schema to a value, or compares or reads 64 bytes. Four million take
// about a second. The context of the call ends decoding, compiling and validating earlier,
// within 50 ms. The memory that they use is at most 20 times the text, and 64 MiB.
//
// MultipleOf is not checked for numbers of more than 1,000 digits, and exponents beyond
// 2^40 count as that.
//
// # Concurrency
//
// All functions and methods may be called by multiple goroutines at once.
package jsonschema
