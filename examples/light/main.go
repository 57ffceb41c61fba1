// Command light gives a model the tools of several servers without package host,
// in sixty lines and a program of 2.4 MB. A server that cannot be started is left out,
// and a failure of a tool is text for the model. It does not restart servers that crash:
// use package host for that, for permissions, and for tools that change.
//
//	$ light echo="mcpecho serve" gone=/no/such/program
//	connect: start server "/no/such/program": no such file or directory
//	{"message":"hi"}: hi
//	{"message":"now"}: the tool failed: now
//	{}: unknown tool gone_echo
package main

import (
	"context"
	"os"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A Tool is a tool of one of the servers.
type Tool struct {
	*mcp.Tool
	client *mcp.Client
}

// Tools are the tools of all servers, by their names for the model.
type Tools map[string]Tool

// Add starts a server and adds its tools, whose names begin with prefix.
func (t Tools) Add(ctx context.Context, prefix string, command ...string) error {
	client, err := mcp.Connect(ctx, stdio.Command(command[0], command[1:]...), nil)
	if err != nil {
		return err
	}
	tools, err := client.ListTools(ctx)
	if err != nil || len(tools) == 0 {
		client.Close()
		return err
	}
	for _, tool := range tools {
		t[prefix+tool.Name] = Tool{tool, client}
	}
	return nil
}

// Call calls the tool that the model has chosen, with JSON that the model has
// written, and returns text for the model.
func (t Tools) Call(ctx context.Context, name string, args []byte) string {
	tool, ok := t[name]
	if !ok {
		return "unknown tool " + name
	}
	res, err := tool.client.CallTool(ctx, tool.Name, args)
	switch {
	case err != nil:
		return err.Error()
	case res.IsError:
		return "the tool failed: " + res.Text()
	}
	return res.Text()
}

// Close ends the servers.
func (t Tools) Close() {
	for _, tool := range t {
		tool.client.Close()
	}
}

func main() {
	ctx, tools := context.Background(), Tools{}
	defer tools.Close()
	for _, arg := range os.Args[1:] {
		name, command, _ := strings.Cut(arg, "=")
		if err := tools.Add(ctx, name+"_", strings.Fields(command)...); err != nil {
			print(err.Error()) // the agent works without it
		}
	}
	for _, call := range [][2]string{{"echo_echo", `{"message":"hi"}`}, {"echo_fail", `{"message":"now"}`}, {"gone_echo", "{}"}} {
		print(call[1] + ": " + tools.Call(ctx, call[0], []byte(call[1])))
	}
}

// print is fmt.Println, which would add 0.16 MB.
func print(line string) { os.Stdout.WriteString(line + "\n") }
