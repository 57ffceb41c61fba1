package main

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
)

// A placeholder that a user pastes and does not fill in is not data of a tool.
func TestPlaceholdersAreRefused(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, nil)
	for line, mark := range map[string]string{
		"call URL echo message=…":                      "…",
		"call URL echo message:=…":                     "…",
		`call URL echo {"message":"…"}`:                "…",
		"call URL echo message=hi --sampling COMMAND":  "COMMAND",
		"call URL TOOL":                                "TOOL",
		"read URL URI":                                 "URI",
		"tools URL --record FILE":                      "FILE",
		"call https://example.com/mcp echo message=hi": "https://example.com/mcp",
		"diff URL https://example.com/mcp":             "https://example.com/mcp",
		"tools -e KEY=… -- mcpecho serve":              "…",
	} {
		o := runCommand(t, strings.Fields(strings.ReplaceAll(line, "URL", web.URL))...)
		o.want(t, failure.Usage, "", " is a placeholder; put your own value in place of "+mark+"\n")
	}
	for _, header := range []string{"Authorization: Basic …", "Cookie: …"} {
		runCommand(t, "tools", web.URL, "-H", header).want(t, failure.Usage, "", "put your own value in place of …\n")
	}
	// A text may end like this.
	runCommand(t, "call", web.URL, "echo", "message=wait …").want(t, 0, "wait …\n", "")
	runCommand(t, "call", web.URL, "echo", "message=FILE").want(t, 0, "FILE\n", "")
	runCommandWithInput(t, "call echo message=…\n", "shell", web.URL).want(t, failure.Usage, "", "put your own value in place of …\n")
}
