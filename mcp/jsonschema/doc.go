// Package jsonschema checks values against the JSON Schemas that servers send,
// such as what a tool returns against the schema of its output:
//
//	client, err := mcp.Connect(ctx, transport, &mcp.Options{Intercept: new(jsonschema.Outputs).Intercept})
//
// # Dialects
//
// Schemas are of 2020-12, the default of MCP, or say in $schema that they are
// of 2019-09, draft-07 or draft-06; anything else is [ErrDialect]. All keywords
// of these that assert something are obeyed. Formats are annotations and check
// nothing. A pattern that package regexp doesn't know, such as one that looks
// ahead, matches everything.
//
// Nothing is ever fetched: a reference that leads out of the schema is an error.
// A schema may nest 128 levels, and checking a value may take a million steps.
//
// # Concurrency
//
// Everything may be used by any number of goroutines at once.
package jsonschema
