// Package semconv describes a request by the semantic conventions of OpenTelemetry for
// MCP: a name for its span, and a list of attributes, which a program passes to its tracer
// in an [mcp.Interceptor]. The package needs no module of OpenTelemetry.
//
// The conventions have the status "Development", and their names have changed before. The
// names and values here follow the latest ones, so that a minor version may change them;
// the Go API of this package is frozen.
// https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
//
// No attribute has an argument, a result or the text of an error. mcp.session.id is
// missing, as some servers let whoever knows it use the session.
package semconv

import (
	"context"
	"errors"
	"net/url"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// An Attribute is a name and its value, a string or an int.
type Attribute struct {
	Name  string
	Value any
}

// SpanName returns the name of the request's span: its method, and the tool or prompt. It
// has no URI, as each name should be that of many spans.
func SpanName(call *mcp.OutgoingCall) string {
	if call == nil {
		return ""
	}
	if nameOf[call.Method] != "" && call.Name != "" {
		return call.Method + " " + call.Name
	}
	return call.Method
}

// Attributes returns the attributes of a request, sorted by subject, after its Send has
// returned result and err. One of them is error.type if err is not nil or the result
// is that of a tool that failed; the status of the span should then be an error.
func Attributes(call *mcp.OutgoingCall, result mcp.RawMessage, err error) (list []Attribute) {
	if call == nil {
		return nil
	}
	add := func(name string, value any) {
		if value != "" {
			list = append(list, Attribute{name, value})
		}
	}
	add("mcp.method.name", call.Method)
	if name := nameOf[call.Method]; name != "" {
		add(name, call.Name)
	}
	switch call.Method {
	case "tools/call":
		add("gen_ai.operation.name", "execute_tool")
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		add("mcp.resource.uri", diag.HideUserinfo(call.Name))
	}
	add("jsonrpc.request.id", call.ID.String())
	add("mcp.protocol.version", call.Client().Server().ProtocolVersion)
	switch call.Transport {
	case "stdio":
		add("network.transport", "pipe")
	case "Streamable HTTP", "HTTP+SSE":
		add("network.transport", "tcp")
		add("network.protocol.name", "http")
		if u, err := url.Parse(call.Address); err == nil && u.Host != "" {
			add("server.address", u.Hostname())
			port, err := strconv.Atoi(u.Port())
			if err != nil {
				port = map[string]int{"http": 80, "https": 443}[u.Scheme]
			}
			add("server.port", port)
		}
	}
	kind := errorType(call, result, err)
	if refused := new(jsonrpc.Error); errors.As(err, &refused) {
		kind = strconv.FormatInt(refused.Code, 10)
		add("rpc.response.status_code", kind)
	}
	add("error.type", kind)
	return list
}

// nameOf has the attribute of Name, by methods.
var nameOf = map[string]string{"tools/call": "gen_ai.tool.name", "prompts/get": "gen_ai.prompt.name"}

// errorType returns the HTTP status or one of few words.
func errorType(call *mcp.OutgoingCall, result mcp.RawMessage, err error) string {
	var status *httperr.StatusError
	var tool mcp.CallToolResult
	switch {
	case err == nil:
		if call.Method == "tools/call" && tool.UnmarshalJSON(result) == nil && tool.IsError {
			return "tool_error"
		}
		return ""
	case errors.As(err, &status):
		return strconv.Itoa(status.Status)
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, mcp.ErrMalformed):
		return "malformed_response"
	case errors.Is(err, mcp.ErrClosed), errors.Is(err, mcp.ErrOutcomeUnknown):
		return "connection_closed"
	}
	return "_OTHER"
}
