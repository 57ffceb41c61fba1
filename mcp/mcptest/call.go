package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Call is a request that a [Func] serves. It must not be used after the Func has
// returned.
type Call struct {
	Name            string         // of the tool or the prompt
	URI             string         // of the resource
	Arguments       mcp.RawMessage // an object, or nil; for a template, the values of its variables
	ProtocolVersion string

	r *testserver.CustomCall
	s *Server
}

// Context returns a context that ends when the client cancels the call or
// disconnects, and at the end of the test.
func (c *Call) Context() context.Context { return c.r.Context() }

// Params returns all parameters of the request, byte for byte.
func (c *Call) Params() mcp.RawMessage { return c.r.Params }

// Bind reads the arguments into v, as encoding/json does.
func (c *Call) Bind(v any) error {
	if c.Arguments == nil {
		return nil
	}
	return json.Unmarshal(c.Arguments, v)
}

// argument reads an argument into v. Another type fails the test, because the
// arguments of a test are known.
func (c *Call) argument(name string, v any) {
	var all map[string]json.RawMessage
	if err := c.Bind(&all); err != nil {
		c.s.errorf("arguments of %s: %v", c.Name+c.URI, err)
	}
	if raw := all[name]; raw != nil {
		if err := json.Unmarshal(raw, v); err != nil {
			c.s.errorf("argument %q of %s: %v", name, c.Name+c.URI, err)
		}
	}
}

// Text returns an argument, or "" if it is missing. An argument that is not a
// string fails the test.
func (c *Call) Text(name string) (text string) {
	c.argument(name, &text)
	return text
}

// Number returns an argument, or 0 if it is missing. An argument that is not a
// number fails the test.
func (c *Call) Number(name string) (n float64) {
	c.argument(name, &n)
	return n
}

// Progress reports progress if the client asked for it. A total of 0 is unknown.
func (c *Call) Progress(done, total float64, message string) { c.r.Progress(done, total, message) }

// Log sends a log message if the client wants its level. data is anything that
// encoding/json can write.
func (c *Call) Log(level mcp.LoggingLevel, data any) {
	b, err := json.Marshal(data)
	if err != nil {
		c.s.errorf("log message of %s: %v", c.Name+c.URI, err)
		return
	}
	c.r.Log(string(level), c.s.Name, string(b))
}

// Sample asks the client's model. It returns an error if the client does not
// support sampling, refuses, or cancels the call.
func (c *Call) Sample(p *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
	if p == nil {
		return nil, errors.New("mcptest: Sample: the parameters are nil")
	}
	res := &mcp.CreateMessageResult{}
	return res, c.ask("sampling", p, res, nil)
}

// Ask asks the client's model a question and returns the text of its answer.
func (c *Call) Ask(question string) (string, error) {
	res, err := c.Sample(&mcp.CreateMessageParams{MaxTokens: 1000, Messages: []mcp.SamplingMessage{
		{Role: mcp.RoleUser, Content: []mcp.Content{mcp.TextContent(question)}}}})
	if err != nil || len(res.Content) == 0 {
		return "", err
	}
	return res.Content[0].Text, nil
}

// Elicit asks the user to fill in a form. schema is as for [Server.Tool]: an
// object with properties of basic types. The test fails if the client accepts
// with content that does not match the names and types in the schema.
func (c *Call) Elicit(message string, schema any) (*mcp.ElicitResult, error) {
	raw, err := toJSON(schema)
	if schema == nil {
		raw = mcp.RawMessage(`{"type":"object","properties":{}}`)
	}
	if err != nil {
		return nil, fmt.Errorf("mcptest: schema of %q: %w", message, err)
	}
	if !c.r.CanAsk("elicitation/form") {
		return nil, errors.New("the client has not declared the capability elicitation.form")
	}
	res := &mcp.ElicitResult{}
	return res, c.ask("elicitation", map[string]any{"message": message, "requestedSchema": raw}, res,
		func(result []byte) error { return checkElicited(result, raw) })
}

// OpenURL asks the user to open a page (2025-11-25 and later) and returns what the
// user decided. [Server.PageDone] reports that the user has finished there.
// 2026-07-28 has no such report and does not use id.
func (c *Call) OpenURL(message, url, id string) (*mcp.ElicitResult, error) {
	if !c.r.CanAsk("elicitation/url") {
		return nil, errors.New("the client has not declared the capability elicitation.url")
	}
	params := page(message, url, id)
	if c.ProtocolVersion != mcp.ProtocolVersion20251125 {
		delete(params, "elicitationId")
	}
	res := &mcp.ElicitResult{}
	return res, c.ask("elicitation", params, res, func(result []byte) error { return checkElicited(result, []byte("{}")) })
}

// RequireURL returns an error for the function to return: it refuses the request
// until the user has opened a page and [Server.PageDone] reports its id. Clients
// then repeat the request. Only 2025-11-25 supports this.
func (c *Call) RequireURL(message, url, id string) error {
	data, err := json.Marshal(map[string]any{"elicitations": []any{page(message, url, id)}})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: mcp.CodeURLElicitationRequired, Message: message, Data: data}
}

func page(message, url, id string) map[string]any {
	return map[string]any{"mode": "url", "message": message, "url": url, "elicitationId": id}
}

// PageDone notifies clients of 2025-11-25 that the user has finished on the
// page with this id.
func (s *Server) PageDone(id string) {
	params, _ := json.Marshal(map[string]string{"elicitationId": id})
	s.begin().Notify("notifications/elicitation/complete", string(params))
}

// Roots asks the client for its roots.
func (c *Call) Roots() ([]mcp.Root, error) {
	var res struct{ Roots []mcp.Root }
	return res.Roots, c.ask("roots", nil, &res, nil)
}

func (c *Call) ask(kind string, params, result any, check func([]byte) error) error {
	text := ""
	if params != nil {
		b, err := json.Marshal(params)
		if err != nil {
			return err
		}
		text = string(b)
	}
	answer, err := c.r.Ask(kind, text, func(b []byte) error {
		if check == nil {
			return nil
		}
		return check(b)
	})
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, result)
}

// checkElicited compares an answer with the schema of the form.
func checkElicited(result, schema []byte) error {
	var answer struct {
		Action  mcp.ElicitAction
		Content map[string]any
	}
	var form struct {
		Properties map[string]struct{ Type string }
		Required   []string
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return err
	}
	if err := json.Unmarshal(schema, &form); err != nil {
		return err
	}
	switch answer.Action {
	case mcp.ElicitDecline, mcp.ElicitCancel:
		if answer.Content != nil {
			return errors.New("content: only what is accepted has content")
		}
		return nil
	case mcp.ElicitAccept:
	default:
		return fmt.Errorf("action: want accept, decline or cancel; got %q", answer.Action)
	}
	for _, name := range form.Required {
		if _, ok := answer.Content[name]; !ok {
			return fmt.Errorf("content.%s: missing", name)
		}
	}
	for name, value := range answer.Content {
		p, ok := form.Properties[name]
		if !ok {
			return fmt.Errorf("content.%s: not asked for", name)
		}
		if have := typeOf(value); p.Type != "" && p.Type != have && !(p.Type == "integer" && have == "number") {
			return fmt.Errorf("content.%s: want %s, got %s", name, p.Type, have)
		}
	}
	return nil
}

// typeOf returns the type of JSON Schema.
func typeOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case []any:
		return "array"
	case nil:
		return "null"
	}
	return "object"
}
