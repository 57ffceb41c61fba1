package main

import (
	"context"
	"encoding/json"
)

// This file has what the agents have already: their interfaces of a tool, and the
// registries that they keep tools in.

// A MapTool gets a map and returns a result of its own.
type MapTool interface {
	Name() string
	Description() string
	Parameters() map[string]any
	Execute(ctx context.Context, args map[string]any) *Result
}

type Result struct {
	ForModel string
	IsError  bool
	Err      error
}

// A RawTool gets JSON and returns text.
type RawTool interface {
	Name() string
	Description() string
	InputSchema() json.RawMessage
	Execute(ctx context.Context, input json.RawMessage) (string, error)
	RequiresPermission(input json.RawMessage) bool
}

// A Function is a tool that is a function with a name.
type Function func(ctx context.Context, args map[string]any) (string, error)

// An OutputTool gets and returns a struct, and says which agents may use it.
type OutputTool interface {
	Name() string
	Description() string
	Execute(ctx context.Context, input *Input) (*Output, error)
	CanExecute(agent *Agent) bool
}

type Input struct{ Params map[string]any }

type Output struct {
	ToolName string
	Success  bool
	Result   any
	Error    string
}

type Agent struct{ Capabilities []string }

// A NamedRegistry has tools under the names of a server and of a tool.
type NamedRegistry interface {
	RegisterMCPTool(server, tool, description string, schema json.RawMessage)
	UnregisterMCPTools(server string)
}
