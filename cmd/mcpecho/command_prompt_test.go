package main

import (
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestPromptArgumentsAreChecked before they are sent, as servers ignore what they do not
// know.
func TestPromptArgumentsAreChecked(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	required := true
	p := s.Prompt("review", func(c *mcptest.Call) (any, error) { return c.Text("language"), nil })
	p.Arguments = []mcp.PromptArgument{{Name: "language", Required: &required}, {Name: "style"}}
	s.Prompt("hello", func(*mcptest.Call) (any, error) { return "hello", nil })
	url := s.StartHTTP(nil).URL
	prompt := func(args ...string) result { return runCommand(t, append([]string{"prompt", url}, args...)...) }
	prompt("review", "language=go", "stile=short").want(t, failure.Usage, "",
		`the prompt "review" has no argument "stile" (did you mean "style"?); type: mcpecho prompt `+url+` review language=go style=short`+"\n")
	prompt("review", "style=short").want(t, failure.Usage, "", `the prompt "review" requires language`)
	prompt("hello", "name=Ada").want(t, failure.Usage, "", `the prompt "hello" has no argument "name"`)
	if n := len(s.Requests("prompts/get")); n != 0 {
		t.Errorf("%d requests", n)
	}
	prompt("review", "language=go", "style=short").want(t, 0, "go\n", "")
	prompt("hello").want(t, 0, "hello\n", "")
	runCommandWithInput(t, "prompt review language=go x=1", "shell", url).want(t, failure.Usage, "", `the prompt "review" has no argument "x"`)
}
