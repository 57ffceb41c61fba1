package mcptest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stdmcp/stdmcp/mcp"
)

// A Func serves calls of a tool, a resource or a prompt. It may return a
// *jsonrpc.Error to refuse the request. Other errors of tools become results with
// IsError, and other errors of resources and prompts internal errors.
//
// The result of a tool may be nil, a string, an mcp.Content or a list of them, an
// *mcp.CallToolResult, or any other value that encoding/json can encode: its JSON
// becomes the text, and an object also structured content. The result of a resource
// may be a string, a []byte, an mcp.ResourceContents or a list of them, or an
// *mcp.ReadResourceResult; the result of a prompt, a string for the message of a
// user, a list of mcp.PromptMessage, or an *mcp.GetPromptResult.
type Func func(*Call) (any, error)

// A feature is a tool, a resource, a template or a prompt.
type feature struct {
	name       string // of a tool or a prompt, or a URI
	definition any
	f          Func
	mimeType   string
	template   *template // of resources
}

// Tool adds a tool. schema is the schema of its arguments: JSON as a string,
// a []byte or an mcp.RawMessage, a value that encoding/json writes as JSON, or nil
// for any object. The caller may complete the definition until the first
// connection; see [Server.SetTool] for later.
func (s *Server) Tool(name string, schema any, f Func) *mcp.Tool {
	s.t.Helper()
	def := &mcp.Tool{Name: name, InputSchema: rawJSON(s.t, "schema of "+name, schema)}
	s.SetTool(def, f)
	return def
}

// SetTool adds a tool, or replaces the one with the same name, and notifies
// connected clients that the list has changed.
func (s *Server) SetTool(def *mcp.Tool, f Func) {
	s.t.Helper()
	if def == nil {
		s.t.Fatalf("mcptest: SetTool: the definition is nil")
		return
	}
	s.set("tools", &s.tools, &feature{name: def.Name, definition: def, f: f})
}

// RemoveTool removes a tool and notifies connected clients.
func (s *Server) RemoveTool(name string) { s.remove("tools", &s.tools, name) }

// Resource adds a resource. contents is a string, a []byte or a [Func].
func (s *Server) Resource(uri, mimeType string, contents any) *mcp.Resource {
	s.t.Helper()
	def := &mcp.Resource{URI: uri, Name: uri, MIMEType: mimeType}
	var f Func
	switch v := contents.(type) {
	case string, []byte:
		f = func(*Call) (any, error) { return v, nil }
	case func(*Call) (any, error):
		f = v
	case Func:
		f = v
	default:
		s.t.Fatalf("mcptest: contents of %s: want a string, a []byte or a Func, got %T", uri, contents)
	}
	s.set("resources", &s.resources, &feature{name: uri, definition: def, f: f, mimeType: mimeType})
	return def
}

// RemoveResource removes a resource and notifies connected clients.
func (s *Server) RemoveResource(uri string) { s.remove("resources", &s.resources, uri) }

// Updated notifies the clients that have subscribed to a resource that it has
// changed.
func (s *Server) Updated(uri string) { s.begin().ResourceUpdated(uri) }

// Prompt adds a prompt with optional arguments. The caller may complete the
// definition until the first connection.
func (s *Server) Prompt(name string, f Func, arguments ...string) *mcp.Prompt {
	def := &mcp.Prompt{Name: name}
	for _, arg := range arguments {
		def.Arguments = append(def.Arguments, mcp.PromptArgument{Name: arg})
	}
	s.set("prompts", &s.prompts, &feature{name: name, definition: def, f: f})
	return def
}

// RemovePrompt removes a prompt and notifies connected clients.
func (s *Server) RemovePrompt(name string) { s.remove("prompts", &s.prompts, name) }

// Complete completes an argument of a prompt or a variable of a template. values
// receives what the user has typed; the client gets the first 100 values.
func (s *Server) Complete(ref mcp.Reference, argument string, values func(prefix string) []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.had["completions"] = true
	s.completes[string(ref.Type)+" "+ref.Name+ref.URI+" "+argument] = values
}

func (s *Server) set(list string, all *[]*feature, f *feature) {
	s.mu.Lock()
	s.had[list] = true
	i := slices.IndexFunc(*all, func(old *feature) bool { return old.name == f.name })
	if i < 0 {
		*all = append(*all, f)
	} else {
		(*all)[i] = f
	}
	engine := s.engine
	s.mu.Unlock()
	if engine != nil {
		engine.ListChanged(list)
	}
}

func (s *Server) remove(list string, all *[]*feature, name string) {
	s.t.Helper()
	s.mu.Lock()
	before := len(*all)
	*all = slices.DeleteFunc(*all, func(f *feature) bool { return f.name == name })
	removed, engine := len(*all) < before, s.engine
	s.mu.Unlock()
	if !removed {
		s.t.Fatalf("mcptest: %s: there is no %q to remove", list, name)
	} else if engine != nil {
		engine.ListChanged(list)
	}
}

// rawJSON returns v as JSON, and an object schema for nil.
func rawJSON(t reporter, what string, v any) mcp.RawMessage {
	t.Helper()
	raw, err := toJSON(v)
	if err != nil {
		t.Fatalf("mcptest: %s: %v", what, err)
	}
	return raw
}

func toJSON(v any) (mcp.RawMessage, error) {
	var raw []byte
	switch v := v.(type) {
	case nil:
		return mcp.RawMessage(`{"type":"object"}`), nil
	case string:
		raw = []byte(v)
	case []byte:
		raw = v
	default:
		return json.Marshal(v)
	}
	if !json.Valid(raw) {
		return nil, fmt.Errorf("invalid JSON: %s", raw)
	}
	return raw, nil
}
