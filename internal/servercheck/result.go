package servercheck

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
)

// callResult is the schema of what clients read of the result of a tool.
const callResult = `{"type":"object","properties":{"isError":{"type":"boolean"},
"content":{"type":"array","items":{"type":"object","required":["type"],
"properties":{"type":{"type":"string"},"text":{"type":"string"},"data":{"type":"string"},"mimeType":{"type":"string"},"uri":{"type":"string"},"resource":{"type":"object"}},
"dependentSchemas":{"type":{"allOf":[
{"if":{"properties":{"type":{"const":"text"}}},"then":{"required":["text"]}},
{"if":{"properties":{"type":{"enum":["image","audio"]}}},"then":{"required":["data","mimeType"]}},
{"if":{"properties":{"type":{"const":"resource"}}},"then":{"required":["resource"]}},
{"if":{"properties":{"type":{"const":"resource_link"}}},"then":{"required":["uri"]}}]}}}}}}`

// IsFinal reports whether the result of a call of a tool is that of the tool.
func IsFinal(result mcp.RawMessage) bool {
	kind := wire.Lookup(result, "resultType")
	return wire.Lookup(result, "task") == nil && (kind == nil || string(kind) == `"complete"`)
}

// CallResult returns which member of the final result of a tool is wrong, and what it
// must be, or "".
func CallResult(ctx context.Context, result mcp.RawMessage) string {
	if result == nil || !IsFinal(result) {
		return ""
	}
	var mismatch *jsonschema.Error
	if s, err := jsonschema.Compile(ctx, mcp.RawMessage(callResult)); err == nil && errors.As(s.Validate(ctx, result), &mismatch) {
		return mismatch.Error()
	}
	return ""
}
