// Package typed calls tools with Go values as arguments and results.
//
//	type Sum struct{ Sum float64 `json:"sum"` }
//	res, err := typed.Call[map[string]float64, Sum](ctx, client, "add", map[string]float64{"a": 1, "b": 2})
//
// It converts them with encoding/json and struct tags, which adds 0.6 MB to a
// program. Of the other packages, only mcptest and slogtrace link the encoder and decoder of
// encoding/json. For a timeout or progress, pass client.With(options).
package typed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stdmcp/stdmcp/mcp"
)

// A ToolError reports a result with IsError.
type ToolError struct {
	Tool   string // empty if Decode returns the error
	Text   string // text of the result
	Result *mcp.CallToolResult
}

func (e *ToolError) Error() string {
	if e.Tool == "" {
		return "tool failed: " + e.Text
	}
	return fmt.Sprintf("tool %q failed: %s", e.Tool, e.Text)
}

// Args returns in as the Arguments of an [mcp.ToolCall], for calls that need other
// fields of it. The JSON of in must be an object or null, which means no arguments.
func Args(in any) (mcp.RawMessage, error) {
	args, err := json.Marshal(in)
	switch {
	case err != nil:
		return nil, fmt.Errorf("arguments: %w", err)
	case string(args) == "null":
		return nil, nil
	case args[0] != '{':
		return nil, fmt.Errorf("arguments: %T is not an object in JSON", in)
	}
	return args, nil
}

// Call calls a tool. The JSON of in must be an object or null. Call converts
// the result as [Decode] does.
//
// The error is a *[ToolError] if the tool failed, and otherwise as for
// mcp.Client.CallTool. It matches [mcp.ErrMalformed] if the result does not fit
// Out.
func Call[In, Out any](ctx context.Context, client *mcp.Client, tool string, in In) (Out, error) {
	var none Out
	if client == nil {
		return none, errors.New("typed: the client is nil")
	}
	args, err := Args(in)
	if err != nil {
		return none, failed(client, tool, err)
	}
	res, err := client.Do(ctx, &mcp.ToolCall{Name: tool, Arguments: args})
	if err != nil {
		return none, err
	}
	out, err := Decode[Out](res)
	if failure, ok := err.(*ToolError); ok {
		failure.Tool = tool
	} else if err != nil {
		err = failed(client, tool, err)
	}
	return out, err
}

// Decode returns the structured content of a result or, if there is none, the
// value of its text, which must be JSON. If Out is string, Decode returns the
// text itself; if it is struct{}, it ignores the content.
func Decode[Out any](res *mcp.CallToolResult) (out Out, err error) {
	if res == nil {
		return out, fmt.Errorf("%w: the result is nil", mcp.ErrMalformed)
	}
	if res.IsError {
		return out, &ToolError{Text: res.Text(), Result: res}
	}
	switch p := any(&out).(type) {
	case *struct{}:
		return out, nil
	case *string:
		*p = res.Text()
		return out, nil
	}
	data := []byte(res.StructuredContent)
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		data = []byte(res.Text())
	}
	if err := json.Unmarshal(data, &out); err != nil {
		var none Out
		return none, fmt.Errorf("%w: %w", mcp.ErrMalformed, err)
	}
	return out, nil
}

func failed(client *mcp.Client, tool string, err error) error {
	return &mcp.CallError{Server: client.Name(), Method: "tools/call", Name: tool, Err: err}
}
