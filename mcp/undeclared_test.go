package mcp_test

import (
	"errors"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// What a method does if the server does not declare what it needs, as its
// documentation has it.
const (
	emptyResult = "the result is empty and nothing is sent."
	emptyModern = "the result is empty and, from 2026-07-28 on, nothing is sent."
	sentAnyway  = "the request is sent all the same."
	unsupported = "the error matches [errors.ErrUnsupported] and nothing is sent."
	noChanges   = "the error matches [ErrNoChanges] and nothing is sent, from 2026-07-28 on."
	needsNone   = "" // there is nothing to declare
)

// undeclared has every method of Client, and of TaskHandle that which needs a
// declaration.
var undeclared = map[string]string{
	"Tools": emptyModern, "ListTools": emptyModern, "ListToolsPage": emptyModern,
	"Prompts": emptyResult, "ListPrompts": emptyResult, "ListPromptsPage": emptyResult,
	"Resources": emptyResult, "ListResources": emptyResult, "ListResourcesPage": emptyResult,
	"ResourceTemplates": emptyResult, "ListResourceTemplates": emptyResult, "ListResourceTemplatesPage": emptyResult,
	"Complete": emptyResult,
	"Tasks":    unsupported, "ListTasks": unsupported,
	"CallTool": sentAnyway, "Do": sentAnyway, "StartTool": sentAnyway, "GetPrompt": sentAnyway, "ReadResource": sentAnyway, "SetLogLevel": sentAnyway,
	"Subscribe": noChanges,
	"Call":      needsNone, "CallList": needsNone, "Notify": needsNone, "Ping": needsNone, "KeepAlive": needsNone, "RootsChanged": needsNone,
	"Server": needsNone, "CachedServer": needsNone, "Name": needsNone, "Format": needsNone, "Done": needsNone, "Err": needsNone, "Close": needsNone,
	"Task": needsNone, "ResumeTask": needsNone, "With": needsNone,
}

// TestWithoutCapabilities calls every method of a client whose server declares nothing:
// it does what its documentation says.
func TestWithoutCapabilities(t *testing.T) {
	docs := docsOfClient(t)
	methods := reflect.TypeFor[*mcp.Client]()
	for i := range methods.NumMethod() {
		name := methods.Method(i).Name
		want, ok := undeclared[name]
		if !ok {
			t.Errorf("%s is not in the table", name)
		}
		if text := docs[name]; !strings.Contains(text, want) || want == needsNone && strings.Contains(text, "does not declare") {
			t.Errorf("%s: the documentation does not say %q:\n%s", name, want, text)
		}
		if want == needsNone {
			continue
		}
		for _, version := range eras {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(version)
				s.bare, s.results = true, map[string]string{
					"initialize": `{"protocolVersion":"` + legacy + `","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`}
				if version == modern {
					s.results = map[string]string{"server/discover": `{"supportedVersions":["` + modern + `"],"capabilities":{}}`}
				}
				c := s.connect(t, nil)
				s.take()
				err := callMethod(t, reflect.ValueOf(c).MethodByName(name))
				var refusal *jsonrpc.Error
				sent, refused := len(s.take()), errors.As(err, &refusal)
				ok := false
				switch {
				case want == emptyModern && version == legacy:
					ok = sent == 1 && err == nil
				case want == emptyResult, want == emptyModern:
					ok = sent == 0 && err == nil
				case want == unsupported:
					ok = sent == 0 && errors.Is(err, errors.ErrUnsupported)
				case want == noChanges && version == modern:
					ok = sent == 0 && errors.Is(err, mcp.ErrNoChanges)
				case want == noChanges, name == "SetLogLevel" && version == modern: // no request of their own
					ok = sent == 0 && err == nil
				case want == sentAnyway:
					ok = sent == 1 && refused && refusal.Code == jsonrpc.CodeMethodNotFound
				}
				if !ok {
					t.Errorf("%s, %s: %d requests, %v", name, version, sent, err)
				}
			})
		}
	}
}

// docsOfClient returns the documentation of the methods of Client, without line breaks.
func docsOfClient(t *testing.T) map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	pkg, err := doc.NewFromFiles(fset, files, "github.com/stdmcp/stdmcp/mcp")
	if err != nil {
		t.Fatal(err)
	}
	docs := make(map[string]string)
	for _, typ := range pkg.Types {
		if typ.Name == "Client" {
			for _, m := range typ.Methods {
				docs[m.Name] = strings.Join(strings.Fields(m.Doc), " ")
			}
		}
	}
	return docs
}

// TestUndeclaredListsAreEmpty: the client asks for none of them, except for the
// tools of a legacy server, which early servers do not declare.
func TestUndeclaredListsAreEmpty(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		s := p.server(testserver.Options{Without: []string{"tools", "prompts", "resources", "completions"}})
		c := p.open(t, s, nil)
		synctest.Wait()
		before := len(receivedMethods(s))
		wantEmptyLists(t, c)
		var want []string
		if p.version == legacy {
			want = []string{"tools/list"}
		}
		if got := receivedMethods(s)[before:]; !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
	})
}

// TestUnknownListsAreEmpty: a server declares everything and implements nothing.
func TestUnknownListsAreEmpty(t *testing.T) {
	for _, version := range eras {
		_, rwc := newPeer(t, version, func(p *peer, m request) {
			if m.ID != nil {
				p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"Method not found"}}`)
			}
		})
		c := connectStream(t, rwc, nil)
		wantEmptyLists(t, c)
		_, err := c.GetPrompt(t.Context(), "any", nil)
		wantCode(t, err, -32601)
	}
}

func wantEmptyLists(t *testing.T, c *mcp.Client) {
	t.Helper()
	ctx := t.Context()
	tools, err := c.ListTools(ctx)
	if err != nil || tools == nil || len(tools) != 0 {
		t.Errorf("tools %v, %v", tools, err)
	}
	prompts, err := c.ListPrompts(ctx)
	if err != nil || len(prompts) != 0 {
		t.Errorf("prompts %v, %v", prompts, err)
	}
	resources, err := c.ListResources(ctx)
	if err != nil || len(resources) != 0 {
		t.Errorf("resources %v, %v", resources, err)
	}
	templates, err := c.ListResourceTemplates(ctx)
	if err != nil || len(templates) != 0 {
		t.Errorf("templates %v, %v", templates, err)
	}
	completion, err := c.Complete(ctx, mcp.PromptRef("any"), "name", "v", nil)
	if err != nil || len(completion.Values) != 0 {
		t.Errorf("completion %v, %v", completion, err)
	}
}

// TestNothingToSubscribeTo: the client asks only for what the server declares.
func TestNothingToSubscribeTo(t *testing.T) {
	all := &mcp.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true, ResourceSubscriptions: []string{"a:b"}}
	onEveryRoute(t, func(t *testing.T, p route) {
		if p.version == legacy {
			return
		}
		s := p.server(testserver.Options{Without: []string{"listChanged", "subscribe"}})
		c := p.open(t, s, nil)
		for _, filter := range []*mcp.SubscriptionFilter{nil, all} {
			_, err := c.Subscribe(t.Context(), filter)
			wantError(t, err, mcp.ErrNoChanges, "subscriptions/listen")
		}
		if n := count(receivedMethods(s), "subscriptions/listen"); n != 0 {
			t.Errorf("asked %d times", n)
		}
		c = p.open(t, p.server(testserver.Options{Without: []string{"subscribe", "prompts"}}), nil)
		sub, err := c.Subscribe(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		if h := sub.Honored(); !h.ToolsListChanged || h.PromptsListChanged || !h.ResourcesListChanged || h.ResourceSubscriptions != nil {
			t.Errorf("honored %+v", h)
		}
	})
}
