// Command inprocess has its server in the same program, at the other end of a pipe.
//
//	$ inprocess
//	greeter says: Hello, Ada!
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A request holds the members of a request that this server needs.
type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		Arguments map[string]string
	}
}

// serve is a server with one tool.
func serve(conn io.ReadWriteCloser) {
	defer conn.Close()
	in, out := json.NewDecoder(conn), json.NewEncoder(conn) // which ends each message with a line break
	for {
		var r request
		if in.Decode(&r) != nil {
			return
		}
		if r.ID == nil {
			continue // a notification
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": r.ID}
		if result := answerTo(&r); result != nil {
			answer["result"] = result
		} else {
			answer["error"] = map[string]any{"code": -32601, "message": "no such method: " + r.Method}
		}
		if out.Encode(answer) != nil {
			return
		}
	}
}

// answerTo returns the result of a request, or nil if its method isn't known.
func answerTo(r *request) any {
	type object map[string]any
	switch r.Method {
	case "initialize":
		return object{"protocolVersion": mcp.ProtocolVersion20251125, "capabilities": object{"tools": object{}},
			"serverInfo": object{"name": "greeter", "version": "1.0.0"}}
	case "tools/list":
		return object{"tools": []object{{"name": "greet", "description": "Greets a person.", "inputSchema": object{
			"type": "object", "properties": object{"name": object{"type": "string"}}, "required": []string{"name"}}}}}
	case "tools/call":
		return object{"content": []object{{"type": "text", "text": "Hello, " + r.Params.Arguments["name"] + "!"}}}
	}
	return nil
}

func main() {
	ours, theirs := net.Pipe()
	go serve(theirs) // ends with client.Close

	ctx := context.Background()
	client, err := mcp.Connect(ctx, stdio.Stream(ours), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	res, err := client.CallTool(ctx, "greet", map[string]any{"name": "Ada"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Server().Name, "says:", res.Text())
}
