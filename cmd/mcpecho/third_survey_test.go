package main

import "testing"

// The third survey was written down after the lines of the second one had been dealt
// with, and changed nothing.

var thirdGuesses = []firstGuess{
	{line: "list-tools everything", does: "echo\t"},
	{line: "show everything", does: "stdmcp-echo"},
	{line: "cat everything echo://text", does: "\n"},
	{line: "call web echo message=hi --insecure", does: "hi\n"},
	{line: "call web.echo message=hi", does: "hi\n"},
	{line: "web.add a=1 b=2", does: "3"},
	{line: "URL add a=1 b=2 --json", does: "3"},
	{line: `raw web prompts/get '{"name":"review","arguments":{"language":"go"}}'`, does: "go"},
	{line: "raw everything server/discover", does: "capabilities"},
	{line: "tasks/list everything --json", does: `{"tasks":[]}`},
	{line: "call everything log --log-level info", does: anything},
	{line: "check everything --json", does: `"checks"`},
	{line: "search ech*", does: "everything/echo"},
	{line: "ping web --timeout 2s", does: "responded"},
	{line: "info everything add --json", does: "inputSchema"},
	{line: "complete everything review language ru", does: "rust"},
	{line: "complete everything 'echo://greeting/{name}' name A", does: anything},
	{line: "skills everything", does: "greet"},
	{line: "schema everything add", does: "number"},
	{line: "everything subscribe echo://text", names: "mcpecho watch everything"},
	{line: "everything doctor", names: "mcpecho check everything"},
	{line: "invoke everything echo message=hi", names: "mcpecho call everything echo message=hi"},
	{line: "get prompts everything", names: "mcpecho prompts everything"},
	{line: "config remove old", names: "mcpecho remove old"},
	{line: "mcp get everything", names: "mcpecho info everything"},
	{line: "call everything echo --json-args '{\"message\":\"hi\"}'", does: "hi\n"},
	{line: "logs web", names: "mcpecho watch web"},
	{line: "tail web", names: "mcpecho watch web"},
	{line: "uninstall old", names: "mcpecho remove old"},
	{line: "serve --port=0", does: "/mcp\n"},
	{line: "tools web --quiet", does: "echo\t"},
	{line: "call web echo 'message=a b c'", does: "a b c\n"},
}

var thirdMisuses = []misuse{
	{"call web ech message=hi", "mcpecho call web echo message=hi"},
	{"call web.ehco message=hi", "mcpecho call web.echo message=hi"},
	{"tools -c=nosuch.json everything", "nosuch.json"},
	{"tools --config brokn.json x", "mcpecho tools --config broken.json x"},
	{"read brokn.json:x echo://text", "mcpecho read broken.json:x echo://text"},
	{"raw everything", "METHOD"},
	{"raw everything tool/list", "mcpecho raw everything tools/list"},
	{"raw everything prompts/get name=review", `mcpecho raw everything prompts/get '{"name":"review"}'`},
	{"raw everything tools/list '{'", "mcpecho raw everything tools/list"},
	{"task cancel everything", "mcpecho task list everything"},
	{"task lst everything", "mcpecho task list everything"},
	{"task list everything 7", "mcpecho task get everything 7"},
	{"watch everything --log-level warnings", "--log-level warning"},
	{"watch web --log-level WARN", "--log-level warning"},
	{"check web --watch", "mcpecho check web --watch ."},
	{"check --watch", "mcpecho check --watch https://example.com/mcp"},
	{"prompts --insecure everything", "mcpecho prompts everything"},
	{"call theirs/echo message=hi --json", "mcpecho trust theirs"},
	{"read theirs echo://text", "mcpecho trust theirs"},
	{"resources web -o missing/dir/x", "missing/dir/x"},
	{"call everything image -o missing/x", "missing/x"},
	{"tools http://localhost:123456/mcp", "65535"},
	{"tools --cwd /etc/passwd -- SERVER", "not a folder"},
	{"tools web -H 'X Y: z'", "name of a header"},
	{"call everything add a=1 -- b=2", "mcpecho call everything add a=1 b=2"},
	{"call everything add(1,2)", "mcpecho call everything add a=1 b=2"},
	{"call everything add a=1;b=2", "a=1"},
	{"call everything big bytes=1.5", "whole number"},
	{"call everything slow steps=many", "steps="},
	{"complete everything reviw language g", "mcpecho complete everything review language g"},
	{"complete everything prompt review langage g", "mcpecho complete everything prompt review language g"},
	{"add 'a/b/c' URL", "mcpecho add a-b-c URL"},
	{"add weather URL tols", "mcpecho add weather URL"},
	{"remove olde", "mcpecho remove old"},
	{"login https://HOST/mcp", "http"},
	{"tools broken.json", "broken.json"},
	{"tools servers.yaml", "servers.yaml"},
	{"info list.json:x", "list.json"},
	{"help everything", "mcpecho help"},
	{"gen-cli everything", "unknown command"},
	{"make everything", "unknown command"},
}

func TestThirdSurvey(t *testing.T) {
	testGuesses(t, thirdGuesses, wantThirdGuesses)
	testMisuses(t, thirdMisuses, wantThirdMisuses)
}

const wantThirdGuesses, wantThirdMisuses = 32, 39
