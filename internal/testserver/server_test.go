package testserver

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// modernMeta is what a request of the modern era says about itself.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{"roots":{},"sampling":{},"elicitation":{}}}`

const echoCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",` +
	`"arguments":{"message":"hi"},` + modernMeta + `}}`

func TestPipeEndsWithItsClient(t *testing.T) {
	s := New(nil)
	conn := s.Pipe()
	go io.WriteString(conn, strings.Replace(echoCall, `"echo"`, `"slow"`, 1)+"\n"+strings.Replace(echoCall, ":1,", ":2,", 1)+"\n")
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.Contains(line, `"id":2`) || !strings.Contains(line, `"text":"hi"`) {
		t.Errorf("got %q, %v", line, err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if v := s.Violations(); v != nil {
		t.Error(v)
	}
	if got := s.Received(); len(got) != 2 || got[1].Method != "tools/call" {
		t.Errorf("received %v", got)
	}
}

func TestChildProcess(t *testing.T) {
	args, env := Command(&Options{ProtocolVersions: []string{"2025-11-25"}})
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"1.0","id":2,"method":"ping"}` + "\n")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err, stderr.String())
	}
	if lines := strings.Split(string(out), "\n"); lines[0] != `{"jsonrpc":"2.0","id":1,"result":{}}` || len(lines) != 3 {
		t.Errorf("got %q", lines)
	}
	if !strings.Contains(stderr.String(), `violation: message.jsonrpc: want "2.0"`) {
		t.Errorf("stderr: %q", stderr.String())
	}
}
