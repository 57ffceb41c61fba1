package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestAcceptedWords: words that other programs have are accepted where their meaning is
// certain, and otherwise an error says what is wrong, with a line to type only if that is
// the user's own words in another order.
func TestAcceptedWords(t *testing.T) {
	if !apart(t) {
		return
	}
	inProject(t, map[string]string{"c.json": `{"mcpServers":{"demo":SERVER}}`})
	testutil.Must(t, os.WriteFile("args.json", []byte(`{"message":"hi"}`), 0o600))
	testutil.Must(t, os.WriteFile("srv", []byte("#!/bin/sh\nexec "+mcpechoPath(t)+" serve\n"), 0o700))
	testutil.Must(t, os.WriteFile("file", []byte("hi"), 0o600))
	for _, line := range []string{
		"call demo echo --message hi", "call demo echo --message=hi", "call demo --message hi echo", "call demo echo -d @args.json", "call demo echo @args.json",
		"call demo --tool echo message=hi", "call --server demo --tool-name echo --tool-arg message=hi", "tools call demo echo message=hi",
		"--cli --server demo --method tools/call --tool-name echo --tool-arg message=hi",
	} {
		runCommand(t, append(strings.Fields(line), "-c", "c.json")...).want(t, 0, "hi\n", "")
	}
	runCommandWithInput(t, `{"message":"hi"}`, "call", "demo", "echo", "-d", "@-", "-c", "c.json").want(t, 0, "hi\n", "")
	runCommand(t, "call", "demo", "add", "--a", "2", "--b=3", "-c", "c.json").want(t, 0, "5\n", "")
	runCommand(t, "raw", "demo", "tools/call", "@args.json", "-c", "c.json").want(t, failure.Refused, "", "params.name: missing")
	for line, want := range map[string]string{
		"tools ./srv":                        "type: mcpecho tools -- ./srv",
		"./srv":                              "type: mcpecho tools -- ./srv",
		"./srv call echo message=hi":         "type: mcpecho call echo message=hi -- ./srv",
		"call ./srv echo message=hi":         "type: mcpecho call echo message=hi -- ./srv",
		"tools ./srv --json":                 "type: mcpecho tools --json -- ./srv",
		"tools ./file":                       "the file of this name is not a program",
		"tools ./none":                       "there is no file of this name",
		"tools http:/127.0.0.1:1/mcp":        "type: mcpecho tools http://127.0.0.1:1/mcp",
		"call demo echo --mesage hi":         `has no argument "mesage" (did you mean "message"?); type: mcpecho call demo echo --message hi -c c.json`,
		"call demo echo --nothing hi":        `call has no flag "--nothing", and the tool "echo" no such argument`,
		"call demo echo --jsn message=hi":    `type: mcpecho call demo echo --json message=hi -c c.json`,
		"call demo echo message:=hi":         "for a text, leave out the colon",
		"demo call echo message:=hi":         "a command is missing before",
		"call demo echo -d @":                "@ needs the name of a file",
		"call demo echo -d @none.json":       "none.json",
		"call demo echo {\"message\":\"hi\"": `write '{"name":"value"}'`,
		"tools demo --protocol 2020-01-01":   "usage: ",
	} {
		args := append(strings.Fields(line), "-c", "c.json")
		if strings.HasPrefix(line, "./") || strings.Contains(line, " ./") || strings.Contains(line, "http:") {
			args = args[:len(args)-2]
		}
		if o := runCommand(t, args...); o.status == 0 || !strings.Contains(o.stderr, want) || strings.Contains(want, "missing before") && strings.Contains(o.stderr, "type: mcpecho call") {
			t.Errorf("%s: %+v\nwant %s", line, o, want)
		}
	}
}
