package mcptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Func serves calls of a tool, a resource or a prompt. It may return a
// *jsonrpc.Error to refuse the request. Other errors of tools become results with
// IsError, and other errors of resources and prompts internal errors.
//
// The result of a tool may be nil, a string, an mcp.Content or a list of them, an
// *mcp.CallToolResult, or a value that encoding/json makes an object of, which
// becomes structured content. That of a resource may be a string, a []byte, an
// mcp.ResourceContents or a list of them, or an *mcp.ReadResourceResult; that of a
// prompt a string for the message of a user, a list of mcp.PromptMessage, or an
// *mcp.GetPromptResult.
type Func func(*Call) (any, error)

// A feature is a tool, a resource, a template or a prompt.
type feature struct {
	name       string // of a tool or a prompt, or a URI
	definition any
	f          Func
	mimeType   string
	pattern    *regexp.Regexp // of the URIs of a template
}

// Tool adds a tool. schema is the schema of its arguments: JSON as a string,
// a []byte or an mcp.RawMessage, a value that encoding/json writes as JSON, or nil
// for any object. The caller may complete the definition until the first
// connection; see [Server.SetTool] for later.
func (s *Server) Tool(name string, schema any, f Func) *mcp.Tool {
	s.t.Helper()
	def := &mcp.Tool{Name: name, InputSchema: s.rawJSON("schema of "+name, schema)}
	s.SetTool(def, f)
	return def
}

// SetTool adds a tool, or replaces that of the same name. Connected clients are
// told that the list has changed.
func (s *Server) SetTool(def *mcp.Tool, f Func) {
	s.t.Helper()
	if def == nil {
		s.t.Fatalf("mcptest: SetTool: the definition is nil")
		return
	}
	s.set("tools", &s.tools, &feature{name: def.Name, definition: def, f: f})
}

// RemoveTool removes a tool. Connected clients are told.
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
		s.t.Fatalf("mcptest: contents of %s: want a string, a []byte or a Func, have %T", uri, contents)
	}
	s.set("resources", &s.resources, &feature{name: uri, definition: def, f: f, mimeType: mimeType})
	return def
}

// RemoveResource removes a resource. Connected clients are told.
func (s *Server) RemoveResource(uri string) { s.remove("resources", &s.resources, uri) }

// Updated tells the clients that have subscribed to a resource that it has
// changed.
func (s *Server) Updated(uri string) { s.begin().ResourceUpdated(uri) }

var variable = regexp.MustCompile(`\\\{(\\\+)?([A-Za-z0-9_]+)\\\}`)

// Template adds a template of resources, such as "file:///{+path}" or
// "user://{id}". The values of its variables are the arguments of the [Call]. Of
// RFC 6570 it knows simple and reserved expansion of one variable.
func (s *Server) Template(uriTemplate, mimeType string, f Func) *mcp.ResourceTemplate {
	s.t.Helper()
	pattern := variable.ReplaceAllStringFunc(regexp.QuoteMeta(uriTemplate), func(m string) string {
		parts := variable.FindStringSubmatch(m)
		if parts[1] != "" {
			return "(?P<" + parts[2] + ">.+)"
		}
		return "(?P<" + parts[2] + ">[^/?#]+)"
	})
	if strings.Contains(pattern, `\{`) {
		s.t.Fatalf("mcptest: template %s: only {name} and {+name} are supported", uriTemplate)
	}
	def := &mcp.ResourceTemplate{URITemplate: uriTemplate, Name: uriTemplate, MIMEType: mimeType}
	s.set("resources", &s.templates, &feature{name: uriTemplate, definition: def, f: f, mimeType: mimeType,
		pattern: regexp.MustCompile("^" + pattern + "$")})
	return def
}

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

// RemovePrompt removes a prompt. Connected clients are told.
func (s *Server) RemovePrompt(name string) { s.remove("prompts", &s.prompts, name) }

// Complete completes an argument of a prompt or a variable of a template. values
// receives what the user has typed; the client gets the first 100 values.
func (s *Server) Complete(ref mcp.Reference, argument string, values func(prefix string) []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.had["completions"] = true
	s.completes[ref.Type+" "+ref.Name+ref.URI+" "+argument] = values
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
func (s *Server) rawJSON(what string, v any) mcp.RawMessage {
	s.t.Helper()
	raw, err := toJSON(v)
	if err != nil {
		s.t.Fatalf("mcptest: %s: %v", what, err)
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

// features is a Server as the engine sees it.
type features Server

func (s *features) Identity() string {
	b, _ := json.Marshal(map[string]string{"name": s.Name, "version": s.Version})
	return string(b)
}

// Offers reports what was added before, and what every server has.
func (s *features) Offers(capability string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch capability {
	case "logging", "listChanged":
		return true
	case "subscribe":
		return s.had["resources"]
	case "tasks":
		return slices.ContainsFunc(s.tools, func(f *feature) bool { return taskSupport(f) != "" })
	}
	return s.had[capability]
}

func (s *features) List(member string) (items []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range map[string][]*feature{"tools": s.tools, "resources": s.resources,
		"resourceTemplates": s.templates, "prompts": s.prompts}[member] {
		b, err := json.Marshal(f.definition)
		if err != nil {
			s.t.Errorf("mcptest: definition of %s: %v", f.name, err)
			continue
		}
		items = append(items, string(b))
	}
	return items
}

func (s *features) find(list []*feature, name string) *feature {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(list, func(f *feature) bool { return f.name == name }); i >= 0 {
		return list[i]
	}
	return nil
}

func (s *features) tool(name string) *feature {
	s.mu.Lock()
	list := s.tools
	s.mu.Unlock()
	return s.find(list, name)
}

func (s *features) Schema(tool string) []byte {
	if f := s.tool(tool); f != nil {
		return f.definition.(*mcp.Tool).InputSchema
	}
	return nil
}

func (s *features) TaskSupport(tool string) string {
	if f := s.tool(tool); f != nil {
		return taskSupport(f)
	}
	return ""
}

func taskSupport(f *feature) string {
	if e := f.definition.(*mcp.Tool).Execution; e != nil && e.TaskSupport != "forbidden" {
		return e.TaskSupport
	}
	return ""
}

// Serve finds the function of a request, runs it and converts its result.
func (s *features) Serve(r *testserver.CustomCall) (members, meta string, err error) {
	c := &Call{r: r, s: (*Server)(s), ProtocolVersion: r.Version}
	var p params
	_ = json.Unmarshal(r.Params, &p) // the engine has validated them
	c.Name, c.URI, c.Arguments = p.Name, p.URI, p.Arguments
	var value any
	switch r.Method {
	case "completion/complete":
		return s.complete(&p)
	case "tools/call":
		f := s.tool(p.Name)
		if f == nil {
			return "", "", &testserver.Error{Code: jsonrpc.CodeInvalidParams, Message: "Unknown tool: " + p.Name}
		}
		value, err = s.run(c, f)
		return toolMembers(value, err)
	case "prompts/get":
		s.mu.Lock()
		list := s.prompts
		s.mu.Unlock()
		f := s.find(list, p.Name)
		if f == nil {
			return "", "", &testserver.Error{Code: jsonrpc.CodeInvalidParams, Message: "Unknown prompt: " + p.Name}
		}
		if value, err = s.run(c, f); err == nil {
			value, err = promptResult(value)
		}
	case "resources/read":
		f := s.resource(c)
		if f == nil {
			code := jsonrpc.CodeInvalidParams
			if !r.Modern {
				code = codeResourceNotFound
			}
			data, _ := json.Marshal(map[string]string{"uri": p.URI})
			return "", "", &testserver.Error{Code: code, Message: "Resource not found", Data: string(data)}
		}
		if value, err = s.run(c, f); err == nil {
			value, err = resourceResult(value, p.URI, f.mimeType)
		}
	}
	if err != nil {
		return "", "", refusal(err)
	}
	return split(value)
}

// codeResourceNotFound is the error code of earlier protocol versions.
const codeResourceNotFound = -32002

// params are those of all methods that Serve serves.
type params struct {
	Name      string
	URI       string
	Arguments mcp.RawMessage
	Ref       mcp.Reference
	Argument  struct{ Name, Value string }
}

// resource finds a resource, or the template that its URI matches.
func (s *features) resource(c *Call) *feature {
	s.mu.Lock()
	resources, templates := s.resources, s.templates
	s.mu.Unlock()
	if f := s.find(resources, c.URI); f != nil {
		return f
	}
	for _, f := range templates {
		m := f.pattern.FindStringSubmatch(c.URI)
		if m == nil {
			continue
		}
		values := map[string]string{}
		for i, name := range f.pattern.SubexpNames() {
			if name == "" {
				continue
			}
			values[name] = m[i]
			if text, err := url.PathUnescape(m[i]); err == nil {
				values[name] = text
			}
		}
		c.Arguments, _ = json.Marshal(values)
		return f
	}
	return nil
}

var errPanic = &testserver.Error{Code: jsonrpc.CodeInternalError, Message: "the function of the test panicked"}

// run calls a function. A panic fails the test and answers the client.
func (s *features) run(c *Call, f *feature) (value any, err error) {
	returned := false
	defer func() {
		if r := recover(); r != nil {
			(*Server)(s).errorf("the function of %q panics: %v\n%s", f.name, r, debug.Stack())
			err = errPanic
		} else if !returned {
			(*Server)(s).errorf("the function of %q ended its goroutine: it must not call FailNow, Fatal or Skip", f.name)
		}
	}()
	if f.f != nil {
		value, err = f.f(c)
	}
	returned = true
	return value, err
}

func (s *features) complete(p *params) (members, meta string, err error) {
	s.mu.Lock()
	values := s.completes[p.Ref.Type+" "+p.Ref.Name+p.Ref.URI+" "+p.Argument.Name]
	s.mu.Unlock()
	if values == nil {
		return "", "", &testserver.Error{Code: jsonrpc.CodeInvalidParams, Message: "Nothing to complete there"}
	}
	all := values(p.Argument.Value)
	shown := append([]string{}, all[:min(len(all), 100)]...)
	b, err := json.Marshal(shown)
	return fmt.Sprintf(`"completion":{"values":%s,"total":%d,"hasMore":%t}`, b, len(all), len(all) > 100), "", err
}

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
			{URI: uri, MIMEType: mimeType, Blob: base64Of(v), IsBlob: true}}}, nil
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
