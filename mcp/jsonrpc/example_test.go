package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func ExampleNewConn() {
	here, there := jsonrpc.Pipe()
	client := jsonrpc.NewConn(here, jsonrpc.Handler{})
	defer client.Close()

	// The server replies on another goroutine, as a handler must not wait.
	server := jsonrpc.NewConn(there, jsonrpc.Handler{Message: func(c jsonrpc.Conn, m *jsonrpc.Message) {
		go func() {
			result := fmt.Appendf(nil, `{"greeting":"hello","to":%s}`, m.Params)
			_ = c.Reply(context.Background(), m.ID, result, nil) // fails only if the connection has ended
		}()
	}})
	defer server.Close()

	result, err := client.Call(context.Background(), &jsonrpc.Request{Method: "greet", Params: []byte(`{"name":"Ada"}`)})
	fmt.Println(string(result), err)
	// Output: {"greeting":"hello","to":{"name":"Ada"}} <nil>
}

func ExampleParse() {
	m, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":1e3,"method":"ping"}`))
	fmt.Println(m.ID, m.Method, m.IsRequest(), err)

	// The call with the id 7 can be failed, though its response is malformed.
	m, err = jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":7}`))
	fmt.Println(m.ID, errors.Is(err, jsonrpc.ErrMalformed))
	// Output:
	// 1e3 ping true <nil>
	// 7 true
}

func ExampleError() {
	here, there := jsonrpc.Pipe()
	client := jsonrpc.NewConn(here, jsonrpc.Handler{})
	defer client.Close()
	server := jsonrpc.NewConn(there, jsonrpc.Handler{Message: func(c jsonrpc.Conn, m *jsonrpc.Message) {
		refusal := &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no method " + m.Method}
		_ = c.Reply(context.Background(), m.ID, nil, refusal) // fails only if the connection has ended
	}})
	defer server.Close()

	_, err := client.Call(context.Background(), &jsonrpc.Request{Method: "dance"})
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Code, refused.Message)
	}
	// Output: -32601 no method dance
}

func ExamplePipe() {
	here, there := jsonrpc.Pipe()
	_, _ = here.Write([]byte("{\"first\":1}\n{\"second\":2}\n")) // a pipe in memory
	here.Close()
	for {
		message, err := there.Read()
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(string(message))
	}
	// Output:
	// {"first":1}
	// {"second":2}
	// EOF
}
