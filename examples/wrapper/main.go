// Command wrapper has six ways in which agents use the tools of servers behind their
// own interface of a tool, and calls the tool add through each of them.
//
//	$ wrapper servers.json
//	a map: 42
//	JSON: 42
//	a function: 42
//	a struct: map[sum:42]
//	two names: 42
//	a registry: 42
//	$ wrapper missing.json || echo failed
//	failed
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: wrapper FILE")
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// run calls add in all six ways. The file is the user's own, so its servers start
// without a question.
func run(ctx context.Context, file string) error {
	h := host.New(nil)
	defer h.Shutdown(ctx)
	registry := &Registry{tools: make(map[string]RawTool)}
	follower := registry.Follow(ctx, h)
	if err := h.SetServers(ctx, config.LoadFile(file).All()).Err(); err != nil {
		return err
	}
	if len(h.Tools()) == 0 {
		return errors.New("the servers of " + file + " have no tools")
	}
	if err := follower.Sync(ctx); err != nil {
		return err
	}

	const name = "mcp__calculator__add"
	args, input := map[string]any{"a": 2, "b": 40}, json.RawMessage(`{"a":2,"b":40}`)
	registerMapTools(h, func(t MapTool) {
		if t.Name() == name {
			res := t.Execute(ctx, args)
			show("a map", res.ForModel, res.Err)
		}
	})
	registerRawTools(h, func(t RawTool) {
		if t.Name() == name {
			text, err := t.Execute(ctx, input)
			show("JSON", text, err)
		}
	})
	text, err := functions(h)[name](ctx, args)
	show("a function", text, err)
	registerOutputTools(h, func(t OutputTool) {
		if t.Name() == name && t.CanExecute(&Agent{[]string{"mcp_calculator"}}) {
			out, err := t.Execute(ctx, &Input{Params: args})
			show("a struct", fmt.Sprint(out.Result, out.Error), err)
		}
	})
	res, err := h.CallTool(ctx, "calculator", "add", args)
	if err != nil {
		return err
	}
	show("two names", host.Text(res), nil)
	text, err = registry.Get(name).Execute(ctx, input)
	show("a registry", text, err)
	return nil
}

func show(how, text string, err error) {
	if err != nil {
		log.Fatal(how, ": ", err)
	}
	fmt.Println(how+":", text)
}
