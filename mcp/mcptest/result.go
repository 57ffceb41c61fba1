package mcptest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// refusal converts an error of a function.
func refusal(err error) error {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		return &testserver.Error{Code: int(wire.Code), Message: wire.Message, Data: string(wire.Data)}
	}
	return err
}

func toolMembers(value any, err error) (members, meta string, _ error) {
	if err != nil {
		failure := refusal(err)
		if _, ok := failure.(*testserver.Error); ok {
			return "", "", failure
		}
		return split(&mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(err.Error())}, IsError: true})
	}
	res := &mcp.CallToolResult{Content: []mcp.Content{}}
	switch v := value.(type) {
	case nil:
	case string:
		res.Content = append(res.Content, mcp.TextContent(v))
	case mcp.Content:
		res.Content = append(res.Content, v)
	case []mcp.Content:
		res.Content = v
	case mcp.CallToolResult:
		res = &v
	case *mcp.CallToolResult:
		res = v
	default:
		if text := reflect.ValueOf(v); text.Kind() == reflect.String { // such as an mcp.ElicitAction
			res.Content = append(res.Content, mcp.TextContent(text.String()))
			break
		}
		b, err := toJSON(v)
		if err != nil {
			return "", "", err
		}
		res.Content = append(res.Content, mcp.TextContent(string(b)))
		if b[0] == '{' {
			res.StructuredContent = b
		}
	}
	return split(res)
}

func promptResult(value any) (any, error) {
	switch v := value.(type) {
	case string:
		return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: mcp.TextContent(v)}}}, nil
	case []mcp.PromptMessage:
		return &mcp.GetPromptResult{Messages: v}, nil
	case *mcp.GetPromptResult:
		return v, nil
	}
	return nil, fmt.Errorf("a prompt returned a %T; see mcptest.Func", value)
}

func resourceResult(value any, uri, mimeType string) (any, error) {
	switch v := value.(type) {
	case string:
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{{URI: uri, MIMEType: mimeType, Text: v}}}, nil
	case []byte:
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{
			{URI: uri, MIMEType: mimeType, Blob: base64.StdEncoding.EncodeToString(v), IsBlob: true}}}, nil
	case mcp.ResourceContents:
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{v}}, nil
	case []mcp.ResourceContents:
		return &mcp.ReadResourceResult{Contents: v}, nil
	case *mcp.ReadResourceResult:
		return v, nil
	}
	return nil, fmt.Errorf("a resource returned a %T; see mcptest.Func", value)
}

// split returns the members of a result and those of its _meta, without what the
// engine writes.
func split(result any) (members, meta string, err error) {
	b, err := json.Marshal(result)
	if err != nil {
		return "", "", err
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	if _, err := d.Token(); err != nil {
		return "", "", err
	}
	var list []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return "", "", err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return "", "", err
		}
		switch key {
		case "resultType", "ttlMs", "cacheScope":
		case "_meta":
			meta = strings.TrimSpace(string(value))
			meta = strings.TrimSuffix(strings.TrimPrefix(meta, "{"), "}")
		default:
			name, _ := json.Marshal(key)
			list = append(list, string(name)+":"+string(value))
		}
	}
	return strings.Join(list, ","), meta, nil
}
