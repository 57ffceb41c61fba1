// Command adapter makes a server's tools those of a framework that passes text to
// tools and gets text. Its tests port those of an adapter for langchaingo to
// package mcptest.
//
//	$ adapter echo '{"message": "Hello!"}' mcpecho serve
//	Hello!
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A Tool is what langchaingo calls one.
type Tool struct {
	client *mcp.Client
	def    *mcp.Tool
}

func (t *Tool) Name() string { return t.def.Name }

// Description includes the schema, as the framework has no other place for it.
func (t *Tool) Description() string {
	return t.def.Description + "\nThe input is JSON of this schema: " + string(t.def.InputSchema)
}

// Call calls the tool with the JSON that the model wrote.
func (t *Tool) Call(ctx context.Context, input string) (string, error) {
	if !json.Valid([]byte(input)) {
		return "", fmt.Errorf("the input of %s is not JSON: %q", t.Name(), input)
	}
	res, err := t.client.CallTool(ctx, t.Name(), json.RawMessage(input))
	if err != nil {
		return "", err
	}
	if res.IsError {
		return "", errors.New(res.Text())
	}
	return res.Text(), nil
}

// Tools returns the tools of a server.
func Tools(ctx context.Context, client *mcp.Client) (list []*Tool, err error) {
	for def, err := range client.Tools(ctx) {
		if err != nil {
			return nil, err
		}
		list = append(list, &Tool{client, def})
	}
	return list, nil
}

func main() {
	if len(os.Args) < 4 {
		log.Fatal("usage: adapter TOOL INPUT COMMAND [ARG...]")
	}
	ctx := context.Background()
	client, err := mcp.Connect(ctx, stdio.Command(os.Args[3], os.Args[4:]...), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	tools, err := Tools(ctx, client)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range tools {
		if t.Name() != os.Args[1] {
			continue
		}
		text, err := t.Call(ctx, os.Args[2])
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(text)
	}
}
