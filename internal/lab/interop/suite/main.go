// Suite is the client that the official conformance suite runs against the
// servers of its scenarios. It uses the library as any program does.
//
//	scripts/interop conformance FOLDER
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil/wrapped"
	"github.com/stdmcp/stdmcp/mcp"
)

// The environment variables of the suite. Its last argument is the URL. The client
// ignores the protocol version that the suite announces and negotiates one.
const (
	scenarioEnv = "MCP_CONFORMANCE_SCENARIO"
	contextEnv  = "MCP_CONFORMANCE_CONTEXT"
)

// timeLimit is shorter than the suite's, so that the client reports an error.
const timeLimit = 110 * time.Second

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	scenario := os.Getenv(scenarioEnv)
	err := run(ctx, os.Args[len(os.Args)-1], scenario)
	if refused[scenario] {
		err = refuse(err)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, scenario string) error {
	act, ok := scenarios[scenario]
	if isAuth(scenario) {
		act, ok = callEach(map[string]any{}), true
	}
	if !ok {
		return fmt.Errorf("no such scenario: %q", scenario)
	}
	server, err := transport(url, scenario)
	if err != nil {
		return err
	}
	client, err := mcp.Connect(ctx, wrapped.Again(server), &mcp.Options{
		Info: mcp.Implementation{Name: "stdmcp-conformance", Version: mcp.Version},
		// The servers respond to server/discover, on a busy machine late. Scenarios of
		// modern servers count an initialize beside it as a fault.
		ProbeTimeout: -1,
		Handlers:     []mcp.Handler{mcp.Roots{List: roots}, mcp.Sampling{CreateMessage: sample}, mcp.Elicitation{Form: accept}},
		Trace: &mcp.Trace{
			Discarded: func(_ context.Context, reason error, _ []byte) { fmt.Println("discarded:", reason) },
			Message: func(_ context.Context, sent bool, data []byte) {
				fmt.Printf("%s %s %s\n", time.Now().Format("05.000"), map[bool]string{true: "->", false: "<-"}[sent], data)
			},
		},
	})
	if err != nil {
		return err
	}
	defer client.Close()
	if err := act(ctx, client); err != nil {
		return err
	}
	return client.Close()
}

// accept accepts every form with the defaults of its fields.
func accept(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	return &mcp.ElicitResult{Action: mcp.ElicitAccept}, nil
}

func roots(context.Context) ([]mcp.Root, error) {
	return []mcp.Root{{URI: "file:///project", Name: "project"}}, nil
}

func sample(_ context.Context, p *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
	return &mcp.CreateMessageResult{
		Role: mcp.RoleAssistant, Content: []mcp.Content{{Type: "text", Text: "hello"}}, Model: "none",
	}, nil
}

// scenarioContext is the context of scenarios that are not about authorization.
type scenarioContext struct {
	ToolCalls []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

func readContext() (c scenarioContext, err error) {
	err = json.Unmarshal([]byte(os.Getenv(contextEnv)), &c)
	return c, err
}
