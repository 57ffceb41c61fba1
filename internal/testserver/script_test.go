package testserver_test

import (
	"bufio"
	"fmt"
	"io"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

func TestScript(t *testing.T) {
	script := testserver.Script(func(line string) []string {
		if line == "" {
			return []string{"welcome\n"}
		}
		return []string{"received ", line, "\n"}
	})
	conn := script.Pipe()
	defer conn.Close()
	r := bufio.NewReader(conn)
	if got, err := r.ReadString('\n'); got != "welcome\n" {
		t.Error(got, err)
	}
	go io.WriteString(conn, "hello\r\n")
	if got, err := r.ReadString('\n'); got != "received hello\n" {
		t.Error(got, err)
	}
}

func ExampleReplies() {
	script := testserver.Replies(map[string]string{
		"ping": `{"jsonrpc":"2.0","id":$id,"result":{}}`,
	})
	conn := script.Pipe()
	defer conn.Close()
	fmt.Fprintln(conn, `{"jsonrpc":"2.0","id":7,"method":"ping"}`)
	line, _ := bufio.NewReader(conn).ReadString('\n')
	fmt.Print(line)
	// Output: {"jsonrpc":"2.0","id":7,"result":{}}
}

func Example() {
	server := testserver.New(nil)
	conn := server.Pipe()
	defer conn.Close()
	go fmt.Fprintln(conn, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	_, _ = bufio.NewReader(conn).ReadString('\n')
	fmt.Println(server.Violations())
	// Output: [tools/list: params._meta.io.modelcontextprotocol/protocolVersion: missing]
}
