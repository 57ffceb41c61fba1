package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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
	c := o.toolsOfLocked(client)
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
		if s, err := tool.compile(over, keepAll); s != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%v, %v", s, err)
		}
	}
	if s, err := tool.compile(t.Context(), keepAll); s == nil || err != nil {
		t.Error(err)
	}
	tool.busy <- struct{}{}
	if _, err := tool.compile(over, keepAll); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func keepAll(*Schema) bool { return true }

// TestKeptSchemasAreLimited: Outputs limits the memory of tools with the shortest names and
// schemas, and of schemas of a few bytes that are large when they are compiled.
func TestKeptSchemasAreLimited(t *testing.T) {
	o, client := new(Outputs), new(mcp.Client)
	learn := func(n int, schema string) {
		var list strings.Builder
		for i := range n {
			fmt.Fprintf(&list, `{"name":"%x","inputSchema":{},"outputSchema":%s},`, i, schema)
		}
		o.learn(client, true, mcp.RawMessage(`{"tools":[`+list.String()+`{"name":"last","inputSchema":{}}]}`))
	}
	learn(60_000, "{}")
	c := o.toolsOfLocked(client)
	if len(c.tools) == 0 || len(c.tools) > maxSchemas/perTool {
		t.Errorf("%d tools", len(c.tools))
	}

	for _, schema := range []string{`{"pattern":"` + strings.Repeat("a{999}", 24) + `"}`, `{"anyOf":[` + strings.Repeat("{},", maxSubschemas/2) + `{}]}`} {
		learn(16, schema)
		kept, before := 0, heapInUse()
		for name, tool := range c.tools {
			s, err := tool.compile(t.Context(), func(s *Schema) bool { return c.keep(name, tool, s.size) })
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(t.Context(), mcp.RawMessage(`"a"`)); (err == nil) != (schema[2] == 'a') {
				t.Error(err)
			}
			if tool.schema != nil {
				kept++
			}
		}
		if used := heapInUse() - before; used > maxCompiled || kept < 5 || kept == 16 || c.compiled > maxCompiled {
			t.Errorf("%d schemas are kept in %d KiB, by estimate %d KiB", kept, used>>10, c.compiled>>10)
		}
		learn(0, "")
		if c.compiled != 0 || len(c.tools) != 0 {
			t.Errorf("%d tools of %d bytes after a list without them", len(c.tools), c.compiled)
		}
	}
}

func heapInUse() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestSizesOfSchemas: the estimate is at least half of the memory of a compiled schema.
func TestSizesOfSchemas(t *testing.T) {
	members := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"%x":`+format+",", i, i)
		}
		return "{" + b.String() + `"last":true}`
	}
	for name, schema := range map[string]string{
		"short ids in a long base": `{"$id":"http://x/` + strings.Repeat("%41", 2600) + `/","properties":` + members(500, `{"$id":"%x"}`) + `}`,
		"ids with anchors":         `{"$id":"http://x/","properties":` + members(10_000, `{"$id":"%x","$anchor":"a","$dynamicAnchor":"b"}`) + `}`,
		"a wide object":            `{"default":` + members(100_000, "%d") + `}`,
		"objects of nine members":  `{"default":[` + strings.Repeat(`{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0},`, 20_000) + `0]}`,
		"objects":                  `{"properties":` + members(10_000, `{"properties":{"%x":true}}`) + `}`,
	} {
		before := heapInUse()
		s, err := Compile(t.Context(), mcp.RawMessage(schema))
		if err != nil {
			t.Fatal(name, err)
		}
		if used := heapInUse() - before; used > 2*s.size {
			t.Errorf("%s: %d bytes need %d KiB, by estimate %d KiB", name, len(schema), used>>10, s.size>>10)
		}
		runtime.KeepAlive(s)
		runtime.KeepAlive(schema)
	}
}

// TestPathsAreLimited: paths in errors are short, however long the names of a server are
// and however deep they nest.
func TestPathsAreLimited(t *testing.T) {
	s, err := Compile(t.Context(), mcp.RawMessage(`{"type":"object","additionalProperties":{"$ref":"#"}}`))
	if err != nil {
		t.Fatal(err)
	}
	const levels = 4000
	err = s.Validate(t.Context(), mcp.RawMessage(strings.Repeat(`{"`+strings.Repeat("~", 300)+`":`, levels)+"1"+strings.Repeat("}", levels)))
	var misfit *Error
	if !errors.As(err, &misfit) || len(misfit.Path) > 2*maxPath || !strings.HasPrefix(misfit.Path, "/~0~0") || !strings.HasSuffix(misfit.Path, "/…") {
		t.Errorf("an error of %d bytes: %.300v", len(fmt.Sprint(err)), err)
	}
}
