package mcp_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// never is longer than any call of a test.
const never = 48 * time.Hour

// took returns how long it takes to read a resource that the server does not send.
func took(t *testing.T, o *mcp.Options, read func(*mcp.Client, context.Context) error) string {
	_, rwc := newPeer(t, legacy, func(*peer, request) {})
	c := connectStream(t, rwc, o)
	ctx, cancel := context.WithTimeout(t.Context(), never)
	defer cancel()
	start := time.Now()
	wantError(t, read(c, ctx), context.DeadlineExceeded)
	return time.Since(start).String()
}

func readResource(c *mcp.Client, ctx context.Context) error {
	_, err := c.ReadResource(ctx, "a:b")
	return err
}

// listed returns the number of tools that a server lists, and whether they exceed a
// limit. It has n pages with a number of items each.
func listed(t *testing.T, o *mcp.Options, n, items int) string {
	page := strings.TrimSuffix(strings.Repeat(`{"name":"a"},`, items), ",")
	sent := 0
	_, rwc := newPeer(t, legacy, func(p *peer, m request) {
		if m.Method != "tools/list" {
			return
		}
		if sent++; sent == n {
			p.answer(m, `{"tools":[`+page+`]}`)
		} else {
			p.answer(m, `{"tools":[`+page+`],"nextCursor":"`+strconv.Itoa(sent)+`"}`)
		}
	})
	tools, err := connectStream(t, rwc, o).ListTools(t.Context())
	if err != nil {
		wantError(t, err, mcp.ErrListLimit)
		return strconv.Itoa(len(tools)) + " and an error"
	}
	return strconv.Itoa(len(tools))
}

// TestZeroAndNegative: zero is the default of each option that is a number, and a
// negative number turns its limit or its feature off.
func TestZeroAndNegative(t *testing.T) {
	for name, option := range map[string]struct {
		run            func(t *testing.T, n int) string
		zero, negative string
	}{
		"Options.ProbeTimeout": {func(t *testing.T, n int) string {
			server := mcptest.New(t)
			server.Inject("server/discover", mcptest.Delay(50*time.Second))
			start := time.Now()
			server.Connect(&mcp.Options{ProbeTimeout: time.Duration(n)})
			return time.Since(start).String()
		}, "1s", "50s"},
		"Options.Timeout": {func(t *testing.T, n int) string {
			return took(t, &mcp.Options{Timeout: time.Duration(n)}, readResource)
		}, "1m0s", "1h0m0s"},
		"Options.MaxTimeout": {func(t *testing.T, n int) string {
			return took(t, &mcp.Options{Timeout: -1, MaxTimeout: time.Duration(n)}, readResource)
		}, "1h0m0s", never.String()},
		"ToolCall.Timeout": {func(t *testing.T, n int) string {
			return took(t, &mcp.Options{Timeout: 5 * time.Second, MaxTimeout: time.Minute}, func(c *mcp.Client, ctx context.Context) error {
				_, err := c.Do(ctx, &mcp.ToolCall{Name: "x", Timeout: time.Duration(n)})
				return err
			})
		}, "5s", "1m0s"},
		"CallOptions.Timeout": {func(t *testing.T, n int) string {
			return took(t, &mcp.Options{Timeout: 5 * time.Second, MaxTimeout: time.Minute}, func(c *mcp.Client, ctx context.Context) error {
				return readResource(c.With(mcp.CallOptions{Timeout: time.Duration(n)}), ctx)
			})
		}, "5s", "1m0s"},
		"Options.MaxPages": {func(t *testing.T, n int) string { return listed(t, &mcp.Options{MaxPages: n}, 1001, 1) }, "1000 and an error", "1001"},
		"Options.MaxItems": {func(t *testing.T, n int) string { return listed(t, &mcp.Options{MaxItems: n}, 1, 100_001) }, "100000 and an error", "100001"},
		"Options.MaxRounds": {func(t *testing.T, n int) string {
			s := newTap(modern)
			s.always = true
			s.results["tools/call"] = `{"resultType":"input_required","inputRequests":{"q":{"method":"roots/list"}}}`
			roots := mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return nil, nil }}
			c := s.connect(t, &mcp.Options{MaxRounds: n, Handlers: []mcp.Handler{roots}})
			_, err := c.CallTool(t.Context(), "x", nil)
			wantError(t, err, mcp.ErrInputRequired)
			_, text, _ := strings.Cut(err.Error(), "no result after ")
			return text
		}, "16 rounds: the server requires more input", "0 rounds: the server requires more input"},
		"CacheSize": {func(t *testing.T, n int) string {
			s := newTap(modern)
			s.results["resources/read"] = `{"contents":[],"ttlMs":100000}`
			c := s.connect(t, &mcp.Options{Cache: mcp.CacheSize(n)})
			s.take()
			if err := errors.Join(readResource(c, t.Context()), readResource(c, t.Context())); err != nil {
				t.Error(err)
			}
			return strconv.Itoa(len(s.take()))
		}, "1", "2"},
		"Tasks.TTL": {func(t *testing.T, n int) string {
			s := newTap(legacy)
			s.results["tools/list"] = `{"tools":[{"name":"x","execution":{"taskSupport":"required"}}]}`
			c := s.connect(t, &mcp.Options{Handlers: []mcp.Handler{mcp.Tasks{TTL: time.Duration(n)}}})
			s.take()
			if _, err := c.CallTool(t.Context(), "x", nil); err != nil {
				t.Error(err)
			}
			return s.take()[1].params
		}, `{"name":"x","arguments":{},"task":{}}`, `{"name":"x","arguments":{},"task":{}}`},
	} {
		for n, want := range map[int]string{0: option.zero, -1: option.negative} {
			t.Run(name+"="+strconv.Itoa(n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					if got := option.run(t, n); got != want {
						t.Errorf("%s, want %s", got, want)
					}
				})
			})
		}
	}
}

// optionTypes are the types with options.
var optionTypes = regexp.MustCompile(`^(\w*Options|\w*Transport|Tasks|ToolCall|Loopback|Server)$`)

// TestNumbersOfOptions: each option that is a number says in the same words what zero
// and negative numbers mean.
func TestNumbersOfOptions(t *testing.T) {
	says := regexp.MustCompile(`The defaults? (is|are) [^;]+; negative means `)
	n := 0
	for _, dir := range []string{".", "jsonrpc", "stdio", "typed", "sse", "streamhttp", "oauth", "mcptest"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatal(dir, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(node ast.Node) bool {
				spec, ok := node.(*ast.TypeSpec)
				if !ok {
					return true
				}
				s, ok := spec.Type.(*ast.StructType)
				if !ok || !optionTypes.MatchString(spec.Name.Name) {
					return true
				}
				for _, f := range s.Fields.List {
					if len(f.Names) == 0 || !f.Names[0].IsExported() || !isNumber(f.Type) {
						continue
					}
					n++
					if doc := strings.Join(strings.Fields(f.Doc.Text()), " "); !says.MatchString(doc) {
						t.Errorf("%s: %s.%s does not say %q:\n%s", path, spec.Name.Name, f.Names[0], says, doc)
					}
				}
				return true
			})
		}
	}
	if n < 15 {
		t.Errorf("found %d numbers", n)
	}
}

// isNumber reports whether a type is int or time.Duration.
func isNumber(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "int"
	case *ast.SelectorExpr:
		return e.Sel.Name == "Duration"
	}
	return false
}
