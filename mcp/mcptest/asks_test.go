package mcptest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// pages answers requests to open pages and stores their URLs.
func pages(opened chan<- *mcp.URLRequest) *mcp.Options {
	return &mcp.Options{Handlers: []mcp.Handler{mcp.Elicitation{
		OpenURL: func(_ context.Context, r *mcp.URLRequest) (mcp.ElicitAction, error) {
			opened <- r
			return mcp.ElicitAccept, nil
		}}}}
}

// TestOpenURL in both eras that have it.
func TestOpenURL(t *testing.T) {
	for version, id := range map[string]string{mcp.ProtocolVersion20251125: "p1", mcp.ProtocolVersion20260728: ""} {
		t.Run(version, func(t *testing.T) {
			s := mcptest.New(t)
			s.ProtocolVersions = []string{version}
			s.Tool("login", nil, func(c *mcptest.Call) (any, error) {
				res, err := c.OpenURL("Log in, please.", "https://example.com/login", "p1")
				if err != nil {
					return nil, err
				}
				return res.Action, nil
			})
			s.Tool("form", nil, func(c *mcptest.Call) (any, error) { return c.Elicit("Who?", nil) })
			opened := make(chan *mcp.URLRequest, 1)
			client := s.Connect(pages(opened))
			res, err := client.CallTool(t.Context(), "login", nil)
			if err != nil || res.Text() != string(mcp.ElicitAccept) {
				t.Fatalf("%v, %v", res, err)
			}
			if r := <-opened; r.URL != "https://example.com/login" || r.Message != "Log in, please." || r.ID != id {
				t.Errorf("opened %+v", r)
			}
			res, err = client.CallTool(t.Context(), "form", nil)
			if err != nil || !res.IsError || !strings.Contains(res.Text(), "elicitation.form") {
				t.Errorf("a form for a client that opens pages only: %v, %v", res, err)
			}
			res, err = s.Connect(nil).CallTool(t.Context(), "login", nil)
			if err != nil || !res.IsError || !strings.Contains(res.Text(), "elicitation.url") {
				t.Errorf("a page for a client without elicitation: %v, %v", res, err)
			}
		})
	}
}

// TestRequireURL: the client repeats the call when the page is done.
func TestRequireURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcptest.New(t)
		s.ProtocolVersions = []string{mcp.ProtocolVersion20251125}
		loggedIn := false
		s.Tool("mail", nil, func(c *mcptest.Call) (any, error) {
			if !loggedIn {
				return nil, c.RequireURL("Log in first.", "https://example.com/login", "p1")
			}
			return "no mail", nil
		})
		opened := make(chan *mcp.URLRequest, 1)
		client := s.Connect(pages(opened))
		go func() { // ends when the page is opened
			<-opened
			synctest.Wait()
			loggedIn = true
			s.PageDone("p1")
		}()
		res, err := client.CallTool(t.Context(), "mail", nil)
		if err != nil || res.Text() != "no mail" {
			t.Errorf("%v, %v", res, err)
		}
		s.WantCalls("mail", 2)
	})
}

// TestMetaOfTasks: a result keeps its _meta when the call has become a task.
func TestMetaOfTasks(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
		t.Run(version, func(t *testing.T) {
			s := mcptest.New(t)
			s.ProtocolVersions = []string{version}
			s.Tool("research", nil, func(*mcptest.Call) (any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent("done")}, Result: mcp.Result{Meta: mcp.RawMessage(`{"example.com/cost":3}`)}}, nil
			}).Execution = &mcp.ToolExecution{TaskSupport: "required"}
			client := s.Connect(&mcp.Options{Handlers: []mcp.Handler{mcp.Tasks{}}})
			if _, err := client.ListTools(t.Context()); err != nil {
				t.Fatal(err)
			}
			res, err := client.CallTool(t.Context(), "research", nil)
			if err != nil || res.Text() != "done" || !strings.Contains(string(res.Meta), `"example.com/cost":3`) {
				t.Errorf("%v, %v, _meta %s", res, err, res.Meta)
			}
		})
	}
}

// TestUpdated: subscribers of a resource are told, and others are not.
func TestUpdated(t *testing.T) {
	for _, version := range mcp.ProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			s := mcptest.New(t)
			s.ProtocolVersions = []string{version}
			text := "first"
			s.Resource("note://1", "text/plain", func(*mcptest.Call) (any, error) { return text, nil })
			s.Resource("note://2", "text/plain", "other")
			client := s.Connect(nil)
			sub, err := client.Subscribe(t.Context(), &mcp.SubscriptionFilter{ResourceSubscriptions: []string{"note://1"}})
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Close()
			text = "second"
			s.Updated("note://2")
			s.Updated("note://1")
			change, err := sub.Next(t.Context())
			if err != nil || change.Kind != mcp.ResourceUpdated || change.URI != "note://1" {
				t.Fatalf("%v, %v", change, err)
			}
			res, err := client.ReadResource(t.Context(), change.URI)
			if err != nil || res.Contents[0].Text != "second" {
				t.Errorf("%v, %v", res, err)
			}
		})
	}
}

// TestServe: a stream of any kind is a connection, until it ends.
func TestServe(t *testing.T) {
	s := mcptest.New(t)
	greeter(s)
	ours, theirs := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(theirs) }() // ends with the client
	client, err := mcp.Connect(t.Context(), stdio.Stream(ours), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.CallTool(t.Context(), "greet", map[string]any{"name": "Ada"})
	if err != nil || res.Text() != "Hello, Ada!" {
		t.Errorf("%v, %v", res, err)
	}
	client.Close()
	if err := <-ended; err != nil && !errors.Is(err, io.EOF) {
		t.Errorf("Serve returns %v", err)
	}
	s.WantCall("greet", `{"name":"Ada"}`)
}

func ExampleCall_RequireURL() {
	t := &fakeTest{} // in a test: t *testing.T
	defer t.end()
	server := mcptest.New(t)
	server.ProtocolVersions = []string{mcp.ProtocolVersion20251125}
	server.Tool("mail", nil, func(c *mcptest.Call) (any, error) {
		return nil, c.RequireURL("Log in first.", "https://example.com/login", "page-1")
	})
	_, err := server.Connect(nil).CallTool(context.Background(), "mail", nil)
	var refused *jsonrpc.Error
	fmt.Println(errors.As(err, &refused), refused.Code == mcp.CodeURLElicitationRequired)
	server.PageDone("page-1") // a client that opens pages repeats the call
	// Output: true true
}
