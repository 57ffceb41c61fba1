// Package schemas compares mcp/jsonschema with santhosh-tekuri/jsonschema: both accept
// the same values for the same schemas.
package schemas
