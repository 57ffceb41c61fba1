package mcptest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestTemplates: what a client expands, the server reads again.
func TestTemplates(t *testing.T) {
	for _, test := range []struct {
		template string
		values   map[string]any // nil: uri is not one of the template
		uri      string
		want     string // the arguments, unless they are values
	}{
		{"user://{id}", map[string]any{"id": "Ada Lovelace/é,"}, "user://Ada%20Lovelace%2F%C3%A9%2C", ""},
		{"user://{id}", nil, "user://a/b", ""},
		{"user://{id}", nil, "user://", ""},
		{"file:///{+path}", map[string]any{"path": "a/b?c#d"}, "file:///a/b?c#d", ""},
		{"tile://{x,y}/{z}", map[string]any{"x": "1", "y": "2", "z": "3"}, "tile://1,2/3", ""},
		{"repo://{owner}{/path*}", map[string]any{"owner": "o", "path": []string{"a", "b c"}}, "repo://o/a/b%20c", `{"owner":"o","path":"a/b c"}`},
		{"repo://{owner}{/path*}", map[string]any{"owner": "o"}, "repo://o", ""},
		{"repo://{owner}{/path,rest}", map[string]any{"owner": "o", "path": "a", "rest": "b"}, "repo://o/a/b", ""},
		{"docs://{path*}", nil, "docs://", ""},
		{"file{.ext}", map[string]any{"ext": "md"}, "file.md", ""},
		{"page://{id}{#part}", map[string]any{"id": "1", "part": "x/y"}, "page://1#x/y", ""},
		{"s://all{?q,limit}", map[string]any{"q": "a&b", "limit": "5"}, "s://all?q=a%26b&limit=5", ""},
		{"s://all{?q,limit}", map[string]any{"limit": "5"}, "s://all?limit=5", ""},
		{"s://all{?q,limit}", map[string]any{}, "s://all", ""},
		{"s://all{?tag*}", map[string]any{"tag": []string{"a", "b"}}, "s://all?tag=a&tag=b", `{"tag":"a,b"}`},
		{"s://all{?q}", nil, "s://all?other=1", ""},
		{"s://all?a=1{&q}", map[string]any{"q": "2"}, "s://all?a=1&q=2", ""},
		{"m://x{;v}/y", map[string]any{"v": "1"}, "m://x;v=1/y", ""},
		{"cut://{id:3}", map[string]any{"id": "abcdef"}, "cut://abc", `{"id":"abc"}`},
	} {
		s := mcptest.New(t)
		s.Template(test.template, "text/plain", func(c *mcptest.Call) (any, error) { return string(c.Arguments), nil })
		client := s.Connect(nil)
		if test.values != nil {
			uri, err := (&mcp.ResourceTemplate{URITemplate: test.template}).Expand(test.values)
			if err != nil || uri != test.uri {
				t.Errorf("%s: the client expands to %q, %v; want %q", test.template, uri, err, test.uri)
			}
		}
		res, err := client.ReadResource(t.Context(), test.uri)
		if (err == nil) != (test.values != nil) {
			t.Errorf("%s: %s: %v", test.template, test.uri, err)
		}
		if err != nil {
			continue
		}
		want := test.want
		if want == "" {
			b, _ := json.Marshal(test.values)
			want = string(b)
		}
		if got := res.Contents[0].Text; got != want {
			t.Errorf("%s: %s has the values %s, want %s", test.template, test.uri, got, want)
		}
	}
}

// TestWildcardTemplate matches several segments, as FastMCP does.
func TestWildcardTemplate(t *testing.T) {
	s := mcptest.New(t)
	s.Template("docs://{path*}", "text/plain", func(c *mcptest.Call) (any, error) { return c.Text("path"), nil })
	res, err := s.Connect(nil).ReadResource(t.Context(), "docs://a/b.md")
	if err != nil || res.Contents[0].Text != "a/b.md" {
		t.Errorf("%v, %v", res, err)
	}
}

// TestInvalidTemplates fail the test.
func TestInvalidTemplates(t *testing.T) {
	for template, want := range map[string]string{"a://{x": "no closing brace", "a://{}": "invalid expression {}",
		"a://{=x}": "invalid expression {=x}", "a://{x y}": "invalid expression {x y}"} {
		fake := &fakeTest{}
		mcptest.New(fake).Template(template, "", nil)
		if failures := fake.end(); len(failures) != 1 || !strings.Contains(failures[0], want) {
			t.Errorf("%s: %q", template, failures)
		}
	}
}
