package schema

import (
	"cmp"

	"github.com/stdmcp/stdmcp/internal/blocks"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
)

// ErrorResult returns a result that reports an error to a model. The text of an error
// response contains the reason in its data, up to 200 bytes.
func ErrorResult(err error) *mcp.CallToolResult {
	text := "unknown error"
	if err != nil {
		text = err.Error()
		if _, told := diag.Find[*host.Error](err); !told { // which may have masked the reason
			text += blocks.Reason(err)
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(text)}, IsError: true}
}

func orEmpty(res *mcp.CallToolResult) *mcp.CallToolResult {
	if res == nil {
		return &mcp.CallToolResult{}
	}
	return res
}

// AnthropicResult returns the tool_result block for the tool_use block with the
// given id.
func AnthropicResult(id string, res *mcp.CallToolResult) mcp.RawMessage {
	res = orEmpty(res)
	b := wire.AppendString([]byte(`{"type":"tool_result","tool_use_id":`), id)
	b = append(wire.AppendKey(b, "content"), '[')
	empty, many := len(b), blocks.Many(res)
	for i := range res.Content {
		mime, data, note, ok := blocks.Image(&res.Content[i], many)
		if ok && !res.IsError { // errors are text alone
			b = append(wire.AppendComma(b), `{"type":"image","source":{"type":"base64","media_type":`...)
			b = wire.AppendString(wire.AppendKey(wire.AppendString(b, mime), "data"), data)
			b = append(b, "}}"...)
		} else {
			b = appendTextPart(b, "text", cmp.Or(note, blocks.Text(&res.Content[i])))
		}
	}
	if len(b) == empty {
		b = appendTextPart(b, "text", host.Text(res))
	}
	b = append(b, ']')
	if res.IsError {
		b = wire.AppendBool(wire.AppendKey(b, "is_error"), true)
	}
	return append(b, '}')
}

// appendTextPart appends a text part. It omits empty text, which providers
// reject.
func appendTextPart(b []byte, kind, text string) []byte {
	if text == "" {
		return b
	}
	b = wire.AppendString(append(wire.AppendComma(b), `{"type":`...), kind)
	return append(wire.AppendString(wire.AppendKey(b, "text"), text), '}')
}

// errorText returns a result as text. It marks errors for APIs that have no
// field for them.
func errorText(res *mcp.CallToolResult) string {
	if res.IsError {
		return "Error: " + host.Text(res)
	}
	return host.Text(res)
}

// OpenAIResult returns the message with the role tool for the Chat Completions
// API, which accepts text only.
func OpenAIResult(callID string, res *mcp.CallToolResult) mcp.RawMessage {
	res = orEmpty(res)
	b := wire.AppendString([]byte(`{"role":"tool","tool_call_id":`), callID)
	return append(wire.AppendString(wire.AppendKey(b, "content"), errorText(res)), '}')
}

// OpenAIResponsesResult returns the function_call_output item for the Responses
// API.
func OpenAIResponsesResult(callID string, res *mcp.CallToolResult) mcp.RawMessage {
	res = orEmpty(res)
	b := wire.AppendString([]byte(`{"type":"function_call_output","call_id":`), callID)
	b = wire.AppendKey(b, "output")
	parts, images, many := []byte("["), false, blocks.Many(res)
	for i := range res.Content {
		if mime, data, note, ok := blocks.Image(&res.Content[i], many); ok {
			images = true
			parts = append(wire.AppendComma(parts), `{"type":"input_image","image_url":`...)
			parts = append(wire.AppendString(parts, "data:"+mime+";base64,"+data), '}')
		} else {
			parts = appendTextPart(parts, "input_text", cmp.Or(note, blocks.Text(&res.Content[i])))
		}
	}
	if !images || res.IsError {
		return append(wire.AppendString(b, errorText(res)), '}')
	}
	return append(append(b, parts...), "]}"...)
}

// GeminiResult returns the functionResponse part for a call of the function
// name. It contains structured content as JSON if the result has no other content, or
// only a text that is the same; else it contains the text.
func GeminiResult(name string, res *mcp.CallToolResult) mcp.RawMessage {
	res = orEmpty(res)
	b := wire.AppendString([]byte(`{"functionResponse":{"name":`), name)
	b = append(wire.AppendKey(b, "response"), '{')
	switch {
	case res.IsError:
		b = wire.AppendString(wire.AppendKey(b, "error"), host.Text(res))
	case blocks.HasStructured(res) && blocks.SameJSON(host.Text(res), res.StructuredContent):
		b = wire.AppendLine(wire.AppendKey(b, "output"), res.StructuredContent)
	default:
		b = wire.AppendString(wire.AppendKey(b, "output"), host.Text(res))
	}
	return append(b, "}}}"...)
}
