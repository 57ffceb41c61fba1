package main

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
)

type misuse struct{ line, says string }

// misuses are command lines that are wrong, each with what a line of standard
// error must tell the user to type, or to change in a file.
var misuses = []misuse{
	// What is missing.
	{"tools", "mcpecho tools https://example.com/mcp"},
	{"tools --", "mcpecho tools -- npx"},
	{"call", "mcpecho call https://example.com/mcp"},
	{"call everything", "mcpecho tools everything"},
	{"call -- SERVER", "mcpecho tools -- SERVER"},
	{"read everything", "mcpecho resources everything"},
	{"prompt everything", "mcpecho prompts everything"},
	{"complete everything", "mcpecho complete everything prompt NAME ARG"},
	{"complete everything prompt", "mcpecho prompts everything"},
	{"complete everything resource", "mcpecho templates everything"},
	{"login", "mcpecho login https://example.com/mcp"},
	{"completion", "mcpecho completion bash"},
	{"watch", "mcpecho watch https://example.com/mcp"},
	// Misspelled words.
	{"tols everything", "mcpecho tools everything"},
	{"cal everything echo message=hi", "mcpecho call everything echo message=hi"},
	{"tools/lsit everything", "mcpecho tools/list everything"},
	{"frobnicate everything", "mcpecho help"},
	{"help cal", "mcpecho help call"},
	{"tools everythign", "mcpecho tools everything"},
	{"tools everything --jsn", "mcpecho tools everything --json"},
	{"tools everything -json", "mcpecho tools everything --json"},
	{"tools everything --no-colour", "mcpecho tools everything --no-color"},
	{"tools everything --time-out 5s", "mcpecho tools everything --timeout 5s"},
	{"call everything ehco message=hi", "mcpecho call everything echo message=hi"},
	{"call everything Echo message=hi", "mcpecho call everything echo message=hi"},
	{"call everything frobnicate", "mcpecho tools everything"},
	{"info everything addd", "mcpecho info everything add"},
	{"read everything echo://tetx", "mcpecho read everything echo://text"},
	{"prompt everything reviwe language=go", "mcpecho prompt everything review language=go"},
	{"complete everything prompt revew language g", "mcpecho complete everything prompt review language g"},
	{"completion fihs", "mcpecho completion fish"},
	{"completion tcsh", "mcpecho completion bash"},
	// URLs.
	{"tools HOST/mcp", "mcpecho tools URL"},
	{"tools HOST", "mcpecho tools BASE"},
	{"tools localhost/mcp", "mcpecho tools http://localhost/mcp"},
	{"tools example.com/mcp", "mcpecho tools https://example.com/mcp"},
	{"tools https://HOST/mcp", "mcpecho tools URL"},
	{"tools http://TLSHOST/mcp", "mcpecho tools https://TLSHOST/mcp"},
	{"tools BASE", "mcpecho tools URL"},
	{"tools BASE/", "mcpecho tools URL"},
	{"tools BASE/mpc", "mcpecho tools URL"},
	{"tools OLDBASE", "mcpecho tools OLDSSE"},
	{"tools OLDURL", "mcpecho tools OLDSSE"},
	{"tools URL -t sse", "mcpecho tools URL"},
	{"tools OLDSSE -t http", "mcpecho tools OLDSSE"},
	{"tools http://CLOSED/mcp", "correct the port"},
	{"tools ftp://HOST/mcp", "mcpecho tools URL"},
	{"tools ws://HOST/mcp", "mcpecho tools URL"},
	{"tools http:/HOST/mcp", "mcpecho tools URL"},
	{"tools htp://HOST/mcp", "mcpecho tools URL"},
	{"tools http://", "mcpecho tools https://example.com/mcp"},
	{"call URL/echo message=hi", "mcpecho call URL echo message=hi"},
	{"tools BASE mcp", "mcpecho info BASE mcp"},
	{"tools URL -- SERVER", "mcpecho tools -- SERVER"},
	{"call echo URL message=hi", "mcpecho call URL echo message=hi"},
	{"call URL echo message=hello wide world", "mcpecho call URL echo 'message=hello wide world'"},
	{"call URL echo message = hello world", "mcpecho call URL echo 'message=hello world'"},
	{"call URL echo hello world", "mcpecho call URL echo 'message=hello world'"},
	{"call URL echo message: hello world", "mcpecho call URL echo 'message=hello world'"},
	{"call URL add a=1 2", "mcpecho call URL add a=1 b=2"},
	{"read echo://text", "mcpecho read everything echo://text"},
	{"read echo://text URL", "mcpecho read URL echo://text"},
	// Commands of servers.
	{"tools go run ./server", "mcpecho tools -- go run ./server"},
	{"tools 'go run ./server'", "mcpecho tools -- go run ./server"},
	{"tools -- 'go run ./server'", "mcpecho tools -- go run ./server"},
	{"call 'go run ./server' echo message=hi", "mcpecho call echo message=hi -- go run ./server"},
	{"tools - SERVER", "mcpecho tools -- SERVER"},
	{"tools --stdio 'go run ./server'", "mcpecho tools -- go run ./server"},
	{"tools --command 'go run ./server'", "mcpecho tools -- go run ./server"},
	{"tools -- SERVER --json", "mcpecho tools --json -- SERVER"},
	{"tools -- SERVER --trace f", "mcpecho tools --trace f -- SERVER"},
	{"call -- SERVER echo message=hi", "mcpecho call echo message=hi -- SERVER"},
	{"tools ./server.py", "mcpecho tools -- python3 ./server.py"},
	{"tools server.js", "mcpecho tools -- node server.js"},
	{"tools -- ./server.py", "mcpecho tools -- python3 ./server.py"},
	{"tools -- server.js", "mcpecho tools -- node server.js"},
	{"tools @modelcontextprotocol/server-everything", "mcpecho tools -- npx -y @modelcontextprotocol/server-everything"},
	{"tools -- @modelcontextprotocol/server-everything", "mcpecho tools -- npx -y @modelcontextprotocol/server-everything"},
	{"tools -- nxp -y server", "mcpecho tools -- npx -y server"},
	{"tools -- https://example.com/mcp", "mcpecho tools https://example.com/mcp"},
	{"tools -t http -- SERVER", "mcpecho tools -- SERVER"},
	{"tools -t stdio -- SERVER", "mcpecho tools -- SERVER"},
	{"tools -H 'X-Key: 1' -- SERVER", "mcpecho tools -- SERVER"},
	{"tools -e A=b URL", "mcpecho tools URL"},
	{"tools -e A -- SERVER", "-e A="},
	{"version -- SERVER", "mcpecho version"},
	{"login -- SERVER", "mcpecho login https://example.com/mcp"},
	// Arguments of tools and prompts.
	{"call everything add 2 40", "mcpecho call everything add a=2 b=40"},
	{"call everything add a 2 b 40", "mcpecho call everything add a=2 b=40"},
	{"call everything add a=2", "mcpecho call everything add a=2 b="},
	{"call everything add a=2 b=two", "b=…"},
	{"call everything add a=1 a=2 b=3", "mcpecho call everything add a=1 b=3"},
	{"call everything add a: 2 b: 40", "mcpecho call everything add a=2 b=40"},
	{"call everything add a=1 b=2 c=3", "mcpecho call everything add a=1 b=2"},
	{"call everything add a:=x b=1", "mcpecho call everything add a=… b=1"},
	{"call everything echo hi", "mcpecho call everything echo message=hi"},
	{"call everything echo mesage=hi", "mcpecho call everything echo message=hi"},
	{"call everything echo --message=hi", "mcpecho call everything echo message=hi"},
	{"call everything echo message = hi", "mcpecho call everything echo message=hi"},
	{"call everything echo '{message: \"hi\"}'", `'{"message":"hi"}'`},
	{"call everything echo \"{'message': 'hi'}\"", `'{"message":"hi"}'`},
	{"call everything echo @args.json", "mcpecho call everything echo - < args.json"},
	{"call everything echo args.json", "mcpecho call everything echo - < args.json"},
	{"call everything echo message=@missing.txt", "missing.txt"},
	{"call everything echo '[\"hi\"]'", "mcpecho call everything echo message=hi"},
	{"call everything echo -", "mcpecho call everything echo message=…"},
	{"call everything echo '{}' message=hi", `mcpecho call everything echo message=hi`},
	{"prompt everything review go", "mcpecho prompt everything review language=go"},
	{"prompt everything review", "mcpecho prompt everything review language="},
	{"prompt everything review language:='\"go\"'", "mcpecho prompt everything review language=go"},
	{"prompt everything review --language go", "mcpecho prompt everything review language=go"},
	{"read everything text", "mcpecho read everything echo://text"},
	{"complete everything review langage g", "mcpecho complete everything review language g"},
	// Flags.
	{"tools everything --timeout 5min", "--timeout 5m"},
	{"tools everything --protocol 2025", "--protocol 2025-11-25"},
	{"tools web -H 'Authorization=Bearer x'", "-H 'Authorization: Bearer …'"},
	{"tools web --bearer x", "-H 'Authorization: Bearer …'"},
	{"tools web --transport streamable-http", "mcpecho tools web -t http"},
	{"tools everything -k", "mcpecho tools everything"},
	{"serve 3001", "mcpecho serve --http 127.0.0.1:3001"},
	{"serve --http http://127.0.0.1:3001", "mcpecho serve --http 127.0.0.1:3001"},
	// Configuration.
	{"tools theirs", "mcpecho trust theirs"},
	{"tools hidden", "mcpecho tools hidden -c mcp.json"},
	{"tools joined.json:x", `"args": ["serve"]`},
	{"tools bare.json:x", "http://localhost:3001/mcp"},
	{"tools wrongtype.json:x", "mcpecho tools wrongtype.json:x -t auto"},
	{"tools unset.json:x", "MCPECHO_UNSET=… mcpecho tools unset.json:x"},
}

// TestFlagsForURLsStayInTheCommand: many servers have such flags, and mcpecho refuses
// its own ones with a command.
func TestFlagsForURLsStayInTheCommand(t *testing.T) {
	lines := []string{"tools -- SERVER --transport stdio", "tools -- SERVER --transport=stdio", "tools -- SERVER -t sse", "tools -- SERVER --header 'X: y'"}
	folder := newFolder(t)
	for i, o := range folder.runAll(t, len(lines), func(i int) string { return lines[i] }) {
		if o.status != failure.Unreachable || strings.Contains(o.stderr, "type:") {
			t.Errorf("mcpecho %s: status %d\n%s", lines[i], o.status, o.stderr)
		}
	}
}

// TestMisuses tries each of them in a folder with configured servers. The line
// that says what to type is the only one, or follows what a server has said.
func TestMisuses(t *testing.T) { testMisuses(t, misuses, wantMisuses) }

func testMisuses(t *testing.T, misuses []misuse, want int) {
	folder := newFolder(t)
	helpful := 0
	for i, o := range folder.runAll(t, len(misuses), func(i int) string { return misuses[i].line }) {
		m := misuses[i]
		if o.status != 0 && saysInALine(o.stderr, folder.shown.Replace(m.says)) &&
			(o.status != failure.Usage || strings.Count(strings.ReplaceAll(o.stderr, "\n\t", ""), "\n") == 1) {
			helpful++
		} else {
			t.Logf("mcpecho %s\nwant %s\nstatus %d\n%s%s", m.line, m.says, o.status, o.stdout, o.stderr)
		}
	}
	t.Logf("%d of %d misuses are told what to type", helpful, len(misuses))
	if helpful < want {
		t.Errorf("%d of %d misuses are told what to type, want %d", helpful, len(misuses), want)
	}
}
