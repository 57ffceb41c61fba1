package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
)

// TestSchemasAreThoseOfTheLatestList: what a list no longer has is dropped at its
// end, and a client has at most maxSchemas bytes of schemas.
func TestSchemasAreThoseOfTheLatestList(t *testing.T) {
	o, client := new(Outputs), new(mcp.Client)
	page := func(first bool, next string, names ...string) {
		var list []string
		for _, name := range names {
			list = append(list, fmt.Sprintf(`{"name":%q,"inputSchema":{},"outputSchema":{"title":%q}}`, name, strings.Repeat("x", 1<<20)))
		}
		o.learn(client, first, mcp.RawMessage(`{"tools":[`+strings.Join(list, ",")+`]`+next+`}`))
	}
	c := o.toolsOf(client)
	page(true, `,"nextCursor":"2"`, "a", "b")
	page(false, "", "c")
	if len(c.tools) != 3 {
		t.Errorf("%d tools after two pages", len(c.tools))
	}
	page(true, `,"nextCursor":"2"`, "b", "d")
	if len(c.tools) != 4 {
		t.Errorf("%d tools within a list", len(c.tools))
	}
	page(false, "", "a")
	if len(c.tools) != 3 || c.tools["c"] != nil || c.size < 3<<20 || c.size > 3<<20+1000 {
		t.Errorf("%d tools of %d bytes after a list without c", len(c.tools), c.size)
	}
	page(true, "", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10")
	if c.size > maxSchemas || len(c.tools) < 4 {
		t.Errorf("%d tools of %d bytes", len(c.tools), c.size)
	}
	page(true, "")
	if len(c.tools) != 0 || c.size != 0 {
		t.Errorf("%d tools of %d bytes after an empty list", len(c.tools), c.size)
	}
}

// TestToolIsCompiledAgainAfterAContextEnded: a call that ends early does not decide for the
// next one, and does not wait for another.
func TestToolIsCompiledAgainAfterAContextEnded(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	tool := &tool{raw: mcp.RawMessage(`{"type":"number"}`), busy: make(chan struct{}, 1)}
	for range 10 { // select is random
		if s, err := tool.compile(over); s != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%v, %v", s, err)
		}
	}
	if s, err := tool.compile(t.Context()); s == nil || err != nil {
		t.Error(err)
	}
	tool.busy <- struct{}{}
	if _, err := tool.compile(over); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
