package main

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
)

// shellServer returns the words of a server that is a script. cases are those of a shell by
// line: each sets answer to the members of the response, and may set id.
func shellServer(cases string) []string {
	return []string{"--protocol", "2025-11-25", "--", "/bin/sh", "-c", `while read -r line; do
	id=${line#*\"id\":}; id=${id%%[,\}]*}
	case "$line" in
` + cases + `
	*'"tools/list"'*) answer='"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}' ;;
	*'"initialize"'*) answer='"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
	*'"id"'*) answer='"result":{}' ;;
	*) continue ;;
	esac
	echo '{"jsonrpc":"2.0","id":'"$id,$answer}"
done`}
}

// withIDs runs mcpecho with a server whose responses to tools/call have the id that is
// given as a word of a shell, where $id is the right one.
func withIDs(t *testing.T, stdin, id string, args ...string) result {
	t.Helper()
	return runCommandWithInput(t, stdin, append(args, shellServer(`	*'"tools/call"'*) id=`+id+`; answer='"result":{"content":[{"type":"text","text":"hi"}]}' ;;`)...)...)
}

// TestStringIDs: mcpecho accepts the text of an id in place of its number, which most
// clients refuse, and says so.
func TestStringIDs(t *testing.T) {
	t.Parallel()
	const warning = "mcpecho: tools/call: the id of the response is not that of the request: it is a string, and the request has a number, so that most clients wait forever\n"
	withIDs(t, "", `'"'$id'"'`, "call", "t").want(t, 0, "hi\n", warning)
	withIDs(t, "", `'"'$id'"'`, "call", "t", "-q").want(t, 0, "hi\n", "")
	withIDs(t, "", `$id`, "call", "t").want(t, 0, "hi\n", "")
}

// TestOtherIDs: a response that belongs to no request may be the one that is missing.
func TestOtherIDs(t *testing.T) {
	t.Parallel()
	const late = "no response within 1s; the server sent a response with the id 99, which no call has\n"
	withIDs(t, "", "99", "call", "t", "--timeout", "1s").want(t, failure.Unreachable, "", late)
	o := withIDs(t, "", ":", "call", "t", "--timeout", "1s")
	if o.want(t, failure.Unreachable, "", "no response within 1s\n"); strings.Contains(o.stderr, "the id") {
		t.Error(o.stderr)
	}
	o = withIDs(t, "call t --timeout 1s\n", "99", "shell")
	if o.want(t, failure.Unreachable, "", late); strings.Contains(o.stderr, "context deadline") {
		t.Error(o.stderr)
	}
}

// TestWrongResponses: a line says what the client has discarded, and which member of a
// result is wrong.
func TestWrongResponses(t *testing.T) {
	t.Parallel()
	const second = `$id; echo '{"jsonrpc":"2.0","id":'$id',"result":{}}'; id=$id`
	junk := `$id; printf 'junk \033[2J \342\200\213 hunter2hunter2 %0300d\n' 0`
	wrong := func(result string) string {
		return `$id; echo '{"jsonrpc":"2.0","id":'$id',"result":` + result + `}'; id=99`
	}
	for _, test := range []struct {
		id, stdout, stderr string
		status             int
	}{
		{second, "", `mcpecho: discarded what the server sent: response to no pending call: {"jsonrpc":"2.0",`, 0},
		{junk, "hi\n", `mcpecho: discarded what the server sent: text that is not JSON: junk \u001b[2J \u200b *** 000`, 0},
		{wrong(`{"content":"hi"}`), "", "in the result, /content: want array, got string\n", failure.Unreachable},
		{wrong(`{"isError":3}`), "", "in the result, /isError: want boolean, got number\n", failure.Unreachable},
		{wrong(`{"content":[{"type":"image"}]}`), "", `the result is malformed: /content/0: "data" is missing`, 0},
	} {
		o := withIDs(t, "", test.id, "call", "t", "--env", "API_KEY=hunter2hunter2")
		o.want(t, test.status, test.stdout, test.stderr)
		if strings.Count(o.stderr, "\n") > 2 || strings.Contains(o.stderr, "hunter2") || len(o.stderr) > 400 {
			t.Errorf("%q", o.stderr)
		}
		withIDs(t, "", test.id, "call", "t", "-v").want(t, test.status, test.stdout, "discarded: ")
	}
	withIDs(t, "", junk, "call", "t", "-q").want(t, 0, "hi\n", "")
	withIDs(t, "call t\n", junk, "shell").want(t, 0, "hi\n", "discarded what the server sent: text that is not JSON: junk")
}

// TestCheckNamesTheTimeOfConnecting: the error says what was waited for, and which flag
// changes it.
func TestCheckNamesTheTimeOfConnecting(t *testing.T) {
	t.Parallel()
	o := runCommand(t, "check", "--connect-timeout", "1s", "--", "/bin/sh", "-c", "cat >/dev/null")
	o.want(t, failure.Unreachable, "", "no response within 1s\nuse --connect-timeout to wait longer\n")
}
