package view

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/servercheck"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
)

const (
	maxSchemas = 4 << 20         // bytes of the schemas that are kept
	maxChecks  = 5 * time.Second // for checking all calls against them
)

// schemas are those of the tools that servers have listed. The zero value is ready to use.
type schemas struct {
	known map[int]map[key]*schema // by the connection, and the name of the tool; sent for that of arguments
	size  int
	spent time.Duration
}

// A schema is compiled when it is first used.
type schema struct {
	text     []byte
	compiled *jsonschema.Schema
}

// learn adds the schemas of a page of tools.
func (s *schemas) learn(conn int, result []byte) {
	r := wire.NewReader(wire.Lookup(result, "tools"))
	if r.Kind() != wire.Array {
		return
	}
	for r.Array(); r.More(); {
		tool := r.Raw()
		name := nameOf(tool)
		for _, member := range [...]string{"inputSchema", "outputSchema"} {
			k := key{conn, member == "inputSchema", name}
			s.forget(k)
			if text := wire.Lookup(tool, member); text != nil && s.size+len(name)+len(text) <= maxSchemas {
				if s.known == nil {
					s.known = make(map[int]map[key]*schema)
				}
				if s.known[conn] == nil {
					s.known[conn] = make(map[key]*schema)
				}
				s.known[conn][k] = &schema{text: bytes.Clone(text)}
				s.size += len(name) + len(text)
			}
		}
	}
}

func (s *schemas) forget(k key) {
	if old := s.known[k.conn][k]; old != nil {
		s.size -= len(k.id) + len(old.text)
		delete(s.known[k.conn], k)
	}
}

// end forgets the schemas of a connection.
func (s *schemas) end(conn int) {
	for k := range s.known[conn] {
		s.forget(k)
	}
	delete(s.known, conn)
}

// check returns how a value violates the schema of a tool, or "". A masked value may be
// any other.
func (s *schemas) check(k key, what string, value []byte) string {
	schema := s.known[k.conn][k]
	if schema == nil || s.spent >= maxChecks {
		return ""
	}
	began := time.Now()
	defer func() { s.spent += time.Since(began) }()
	ctx, cancel := context.WithTimeout(context.Background(), maxChecks-s.spent)
	defer cancel()
	if schema.compiled == nil {
		var err error
		if schema.compiled, err = jsonschema.Compile(ctx, schema.text); err != nil {
			schema.compiled = new(jsonschema.Schema) // which accepts all
		}
	}
	var mismatch *jsonschema.Error
	mask := []byte(diag.Mask)
	if errors.As(schema.compiled.Validate(ctx, value), &mismatch) && !bytes.Contains(value, mask) && !bytes.Contains(schema.text, mask) {
		return what + mismatch.Error()
	}
	return ""
}

// checkCall marks a call of a tool whose arguments do not fit the tool's schema.
func (s *schemas) checkCall(l *Line) {
	arguments := wire.Lookup(l.Entry.Message.Params, "arguments")
	if arguments == nil {
		arguments = []byte("{}")
	}
	l.mark(s.check(key{l.Entry.Conn, true, l.Name}, "the arguments violate the input schema: ", arguments))
}

// checkResult marks a final result that does not fit the tool's schema.
func (s *schemas) checkResult(l *Line) {
	result := l.Entry.Message.Result
	k := key{l.Entry.Conn, false, l.Name}
	if result == nil || !servercheck.IsFinal(result) {
		return
	}
	if new(mcp.CallToolResult).UnmarshalJSON(result) != nil { // which is faster
		l.mark("the result is malformed: " + servercheck.CallResult(context.Background(), result))
	}
	content := wire.Lookup(result, "structuredContent")
	switch {
	case string(wire.Lookup(result, "isError")) == "true":
	case content != nil:
		l.mark(s.check(k, "the result violates the output schema: ", content))
	case s.known[k.conn][k] != nil:
		l.mark("the tool has an output schema, and its result no structuredContent")
	}
}
