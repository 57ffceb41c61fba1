package skills_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/skills"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

func TestMain(m *testing.M) { testutil.Main(m) }

type object = map[string]any

// refunds is the skill that most tests read.
const (
	refunds = "skill://acme/refunds/SKILL.md"
	text    = "---\nname: refunds\ndescription: Process refunds\nmetadata:\n  version: \"2.1\"\n---\n\nSee [the guide](references/GUIDE.md).\n"
	guide   = "Ask twice.\n"
)

// A server is an MCP server with skills, whose entries and files tests change.
type server struct {
	mu       sync.Mutex
	settings string
	files    map[string]any // by URI: a string, or []byte for a blob
	entries  []any
	hidden   []object                        // entries that only skills/get returns
	pages    func(cursor string) object      // replaces skills/list
	gets     func(uri string) object         // replaces the entry of skills/get
	children map[string][]any                // of directories
	reads    func(uri string) (object, bool) // replaces resources/read
	requests []string                        // methods and URIs
	ttl      int                             // of skills/list and skills/get, in milliseconds
	options  mcp.Options                     // of the client
	most     int                             // MaxMessage of the transport
	engine   *testserver.Server
}

func newServer() *server {
	s := &server{settings: `{"directoryRead":true}`, children: map[string][]any{}, files: map[string]any{
		refunds: text,
		"skill://acme/refunds/references/GUIDE.md": guide,
		"skill://acme/refunds/logo.bin":            []byte{0xff, 0, 1},
	}}
	s.entries = []any{s.entry("refunds", refunds)}
	return s
}

// entry returns the correct entry of a skill.
func (s *server) entry(name, uri string) object {
	var list []any
	for _, file := range slices.Sorted(func(yield func(string) bool) {
		for file := range s.files {
			if strings.HasPrefix(file, strings.TrimSuffix(uri, "SKILL.md")) && !yield(file) {
				return
			}
		}
	}) {
		list = append(list, listed(file, fmt.Sprintf("%s", s.files[file])))
	}
	return object{"uri": uri, "resources": list, "frontmatter": object{
		"name": name, "description": "Process refunds", "metadata": object{"version": "2.1"}}}
}

func listed(uri, content string) object {
	return object{"uri": uri, "digest": fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(content))), "size": len(content)}
}

// resource returns the resource of the first entry whose URI has a suffix.
func (s *server) resource(suffix string) object {
	for _, r := range s.entries[0].(object)["resources"].([]any) {
		if strings.HasSuffix(r.(object)["uri"].(string), suffix) {
			return r.(object)
		}
	}
	panic(suffix)
}

func (s *server) add(resource any) {
	entry := s.entries[0].(object)
	entry["resources"] = append(entry["resources"].([]any), resource)
}

func (s *server) Identity() string              { return `{"name":"acme","version":"1"}` }
func (s *server) Offers(capability string) bool { return capability == "resources" }
func (s *server) List(string) []string          { return nil }
func (s *server) Schema(string) []byte          { return nil }
func (s *server) TaskSupport(string) string     { return "" }
func (s *server) Extensions() string            { return `"` + skills.Extension + `":` + s.settings }

func (s *server) Extends(method string) bool {
	return strings.HasPrefix(method, "skills/") || method == "resources/directory/read"
}

func (s *server) Serve(*testserver.CustomCall) (string, string, error) {
	return "", "", &testserver.Error{Code: -32602, Message: "unknown"}
}

func (s *server) Intercept(c *testserver.CustomCall) bool {
	var params struct{ URI, Cursor string }
	if c.Params != nil && json.Unmarshal(c.Params, &params) != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var result object
	switch c.Method {
	case "skills/list":
		if result = (object{"skills": s.entries}); s.pages != nil {
			result = s.pages(params.Cursor)
		}
	case "skills/get":
		for _, e := range s.entries {
			if e, ok := e.(object); ok && e["uri"] == params.URI {
				result = object{"skill": e}
			}
		}
		for _, e := range s.hidden {
			if e["uri"] == params.URI {
				result = object{"skill": e}
			}
		}
		if s.gets != nil {
			result = object{"skill": s.gets(params.URI)}
		}
	case "resources/directory/read":
		if list, ok := s.children[params.URI]; ok {
			result = object{"resources": list}
		}
	case "resources/read":
		content := object{"uri": params.URI}
		switch v := s.files[params.URI].(type) {
		case string:
			content["text"] = v
			result = object{"contents": []any{content}}
		case []byte:
			content["blob"] = base64.StdEncoding.EncodeToString(v)
			result = object{"contents": []any{content}}
		}
		if s.reads != nil {
			if r, ok := s.reads(params.URI); ok {
				result = r
			}
		}
	default:
		return false
	}
	s.requests = append(s.requests, strings.TrimSuffix(c.Method+" "+params.URI, " "))
	if result == nil {
		c.Send(`{"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":"unknown"}}`)
		return true
	}
	result["resultType"], result["ttlMs"], result["cacheScope"] = "complete", 60000, "public"
	if strings.HasPrefix(c.Method, "skills/") {
		result["ttlMs"] = s.ttl
	}
	data, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	c.Send(`{"jsonrpc":"2.0","id":$id,"result":` + string(data) + `}`)
	return true
}

// sent returns the requests with a prefix.
func (s *server) sent(prefix string) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if strings.HasPrefix(r, prefix) {
			list = append(list, r)
		}
	}
	return list
}

func (s *server) open(t testing.TB, o *skills.Options) *skills.Reader {
	t.Helper()
	s.engine = testserver.New(&testserver.Options{Custom: s})
	transport := stdio.Stream(s.engine.Pipe())
	transport.MaxMessage, s.options.Cache = s.most, mcp.CacheSize(1<<20)
	c, err := mcp.Connect(context.Background(), transport, &s.options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		s.engine.Close(0)
		if v := s.engine.Violations(); v != nil {
			t.Error(v)
		}
	})
	return skills.NewReader(c, o)
}

// skill returns the first skill of the server.
func (s *server) skill(t testing.TB, o *skills.Options) *skills.Skill {
	t.Helper()
	list, err := s.open(t, o).List(t.Context())
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	return list[0]
}
