package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// asked returns the text of a tool that asks the client for something.
func asked(t *testing.T, tool string, args any, revision string, handlers ...mcp.Handler) (string, error) {
	t.Helper()
	server := testserver.New(nil)
	c, err := mcp.Connect(t.Context(), stdio.Stream(server.Pipe()), &mcp.Options{Versions: []string{revision}, Handlers: handlers})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		c.Close()
		if v := server.Violations(); v != nil {
			t.Errorf("%s, %s: %q", tool, revision, v)
		}
	}()
	res, err := c.CallTool(t.Context(), tool, args)
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}

var (
	someRoots = mcp.Roots(func(context.Context) ([]mcp.Root, error) {
		return []mcp.Root{{URI: "file:///work", Name: "Work"}}, nil
	})
	someModel = mcp.Sampling{CreateMessage: func(_ context.Context, p *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
		return &mcp.CreateMessageResult{Model: "parrot", Content: p.Messages[0].Content}, nil
	}}
	someUser = mcp.Elicitation{Form: func(_ context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		fields, err := p.Fields()
		if err != nil {
			return nil, err
		}
		return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: map[string]any{fields[0].Name: "Ada"}}, nil
	}}
)

func TestServersAreAnsweredInBothEras(t *testing.T) {
	for _, revision := range []string{mcp.Revision20251125, mcp.Revision20260728} {
		for _, tool := range []string{"ask_roots", "ask_sampling", "ask_elicitation", "ask_everything", "ask_in_turn", "ask_stateless"} {
			text, err := asked(t, tool, nil, revision, someRoots, someModel, someUser)
			t.Logf("%s %s: %s %v", revision, tool, text, err)
			if err != nil || text == "" {
				t.Errorf("%s, %s: %q, %v", tool, revision, text, err)
			}
		}
	}
}

func TestTimeStandsStillWhileTheUserThinks(t *testing.T) {
	slow := mcp.Elicitation{Form: func(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		time.Sleep(10 * time.Minute)
		return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
	}}
	for _, revision := range eras {
		synctest.Test(t, func(t *testing.T) {
			if _, err := asked(t, "ask_elicitation", nil, revision, slow); err != nil {
				t.Errorf("%s: %v", revision, err)
			}
		})
	}
}

func TestServersAreRefusedWhatTheProgramHasNoHandlerFor(t *testing.T) {
	for _, revision := range []string{mcp.Revision20251125, mcp.Revision20260728} {
		text, err := asked(t, "ask_roots", nil, revision)
		if err == nil && !strings.Contains(text, "not") {
			t.Errorf("%s: %q", revision, text)
		}
	}
}

func TestAFailingHandlerFailsTheRequest(t *testing.T) {
	secret := errors.New("the password is 12345")
	failing := mcp.Roots(func(context.Context) ([]mcp.Root, error) { return nil, secret })
	for _, revision := range []string{mcp.Revision20251125, mcp.Revision20260728} {
		text, err := asked(t, "ask_roots", nil, revision, failing)
		if strings.Contains(text, "12345") {
			t.Errorf("%s: the server learned %q", revision, text)
		}
		if revision == mcp.Revision20260728 && !errors.Is(err, mcp.ErrInputRequired) {
			t.Errorf("%s: %v", revision, err)
		}
	}
}
