package stdio_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// The server of this example is the test binary itself, which answers every
// request with its params on request.
func ExampleCommand() {
	server := stdio.Command(os.Args[0])
	server.Env = []string{"STDIO_TEST_CHILD=echo"}

	ctx := context.Background()
	conn, err := server.Open(ctx, jsonrpc.Handler{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	result, err := conn.Call(ctx, &jsonrpc.Request{Method: "echo", Params: []byte(`{"message":"hi"}`)})
	fmt.Println(string(result), err)
	// Output: {"message":"hi"} <nil>
}

// A program that relays lines reads and writes messages without their ids.
func ExampleTransport_OpenStream() {
	server := stdio.Command(os.Args[0])
	server.Env = []string{"STDIO_TEST_CHILD=echo"}

	stream, err := server.OpenStream(context.Background(), jsonrpc.Handler{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stream.Close()
	fmt.Fprintln(stream, `{"jsonrpc":"2.0","id":"a","method":"echo","params":{"message":"hi"}}`)
	message, err := stream.Read()
	fmt.Println(string(message), err)
	// Output: {"jsonrpc":"2.0","id":"a","result":{"message":"hi"}} <nil>
}

func ExampleStream() {
	ours, theirs := net.Pipe()
	go func() { // a server that knows one answer
		bufio.NewReader(theirs).ReadString('\n')
		fmt.Fprintln(theirs, `{"jsonrpc":"2.0","id":1,"result":{"ok":true}}`)
	}()

	ctx := context.Background()
	conn, err := stdio.Stream(ours).Open(ctx, jsonrpc.Handler{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	result, err := conn.Call(ctx, &jsonrpc.Request{Method: "ping"})
	fmt.Println(string(result), err)
	// Output: {"ok":true} <nil>
}

// A server in the same program that clients can connect to again, such as one
// that package host restarts.
func ExampleDial() {
	server := stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) {
		ours, theirs := net.Pipe()
		go func() { // a server that knows one answer
			bufio.NewReader(theirs).ReadString('\n')
			fmt.Fprintln(theirs, `{"jsonrpc":"2.0","id":1,"result":{"ok":true}}`)
		}()
		return ours, nil
	})

	ctx := context.Background()
	for range 2 {
		conn, err := server.Open(ctx, jsonrpc.Handler{})
		if err != nil {
			fmt.Println(err)
			return
		}
		result, err := conn.Call(ctx, &jsonrpc.Request{Method: "ping"})
		fmt.Println(string(result), err)
		conn.Close()
	}
	// Output:
	// {"ok":true} <nil>
	// {"ok":true} <nil>
}

func ExampleExitError() {
	server := stdio.Command(os.Args[0], "4", "config.json: no such file")
	server.Env = []string{"STDIO_TEST_CHILD=exit"}

	ctx := context.Background()
	conn, err := server.Open(ctx, jsonrpc.Handler{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	_, err = conn.Call(ctx, &jsonrpc.Request{Method: "ping"})
	var exit *stdio.ExitError
	if errors.As(err, &exit) {
		fmt.Printf("%d %q\n", exit.State.ExitCode(), exit.Stderr)
	}
	// Output: 4 "config.json: no such file\n"
}
