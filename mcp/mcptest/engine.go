package mcptest

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

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
	case "logging":
		return true
	case "listChanged":
		return !s.NoListChanged
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
	if e := f.definition.(*mcp.Tool).Execution; e != nil && e.TaskSupport != mcp.TaskForbidden {
		return string(e.TaskSupport)
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
	case "skills/list", "skills/get", "resources/directory/read":
		if value, err = s.serveSkills(r.Method, &p); err != nil {
			return "", "", err
		}
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

// params holds the params of every method that Serve supports.
type params struct {
	Name      string
	URI       string
	Cursor    string
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
	if f := s.fileOfSkill(c.URI); f != nil {
		return f
	}
	for _, f := range templates {
		values, ok := f.template.match(c.URI)
		if !ok {
			continue
		}
		c.Arguments, _ = json.Marshal(values)
		return f
	}
	return nil
}

var errPanic = &testserver.Error{Code: jsonrpc.CodeInternalError, Message: "the function of the test panicked"}

// run calls a function. A panic fails the test and answers the client.
func (s *features) run(c *Call, f *feature) (value any, err error) {
	if f.f == nil {
		return nil, nil
	}
	if panicked := s.guard(f.name, func() { value, err = f.f(c) }); panicked != nil {
		return nil, panicked
	}
	return value, err
}

// guard calls f, which calls the function with a name.
func (s *features) guard(name string, f func()) (err error) {
	returned := false
	defer func() {
		if r := recover(); r != nil {
			(*Server)(s).errorf("the function of %q panics: %v\n%s", name, r, debug.Stack())
			err = errPanic
		} else if !returned {
			(*Server)(s).errorf("the function of %q ended its goroutine: it must not call FailNow, Fatal or Skip", name)
		}
	}()
	f()
	returned = true
	return nil
}

func (s *features) complete(p *params) (members, meta string, err error) {
	s.mu.Lock()
	values := s.completes[string(p.Ref.Type)+" "+p.Ref.Name+p.Ref.URI+" "+p.Argument.Name]
	s.mu.Unlock()
	if values == nil {
		return "", "", &testserver.Error{Code: jsonrpc.CodeInvalidParams, Message: "Nothing to complete there"}
	}
	var all []string
	if err := s.guard(p.Argument.Name, func() { all = values(p.Argument.Value) }); err != nil {
		return "", "", err
	}
	shown := append([]string{}, all[:min(len(all), 100)]...)
	b, err := json.Marshal(shown)
	return fmt.Sprintf(`"completion":{"values":%s,"total":%d,"hasMore":%t}`, b, len(all), len(all) > 100), "", err
}
