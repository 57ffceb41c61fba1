package main

import (
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	runWithServer(t, "complete", "prompt", "review", "language", "g").want(t, 0, "go\n", "")
	runWithServer(t, "complete", "ref/resource", "echo://greeting/{name}", "name", "A").want(t, 0, "Ada\nAlan\n", "")
	runWithServer(t, "completion/complete", "template", "echo://greeting/{name}", "name").want(t, 0, "Ada\nAlan\nBarbara\nEdsger\nGrace\n", "")
	runWithServer(t, "complete", "prompt", "review", "language", "x").want(t, 0, "", "The server has no completions.")
	runWithServer(t, "complete", "prompt", "review", "language", "x", "-q").want(t, 0, "", "")
	runWithServer(t, "complete", "prompt", "review", "language", "g", "other=1", "--protocol", "2025-11-25", "--json").
		want(t, 0, `{"completion":{"values":["go"],"total":1,"hasMore":false}}`+"\n", "")
	runWithFault(t, &testserver.Options{Without: []string{"completions"}}, "complete", "prompt", "review", "language", "g").
		want(t, failure.Refused, "", "completion/complete")
}
