package testutil

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// common are the functions and methods that programs call most. Each has an example
// under its own name, which its documentation shows.
var common = map[string][]string{
	"mcp": {"Connect", "Client_CallTool", "Client_Do", "Client_ListTools", "Client_Tools", "Client_ReadResource",
		"Client_GetPrompt", "Client_Subscribe", "Client_Complete", "Client_Server"},
	"mcp/stdio":      {"Command", "Stream", "Dial"},
	"mcp/streamhttp": {"New"},
	"mcp/typed":      {"Call", "Decode", "Args"},
	"mcp/mcptest": {"New", "Server_Tool", "Server_Connect", "Server_StartHTTP", "Server_WantCall", "Server_Inject", "Command", "Record", "Replay",
		"TestServer"},
	"mcp/sse":     {"New"},
	"mcp/httperr": {"StatusError"},
	"mcp/oauth": {"New", "Transport_Login", "NewFile", "Bearer", "StaticHeader", "Loopback", "Paste", "Device", "ClientCredentials",
		"NewKey"},
	"mcp/jsonrpc": {"NewConn", "Pipe", "Parse", "AppendRequest", "OutcomeUnknown", "Dispatcher"},
	"mcp/host": {"New", "Host_SetServers", "Host_AddServer", "Host_Tools", "Host_CallTool", "Host_Execute", "Host_Updates",
		"Host_View", "Host_Status", "Tool_Execute"},
	"mcp/jsonschema": {"Compile", "Schema_Validate"},
}

func TestCommonFunctionsHaveExamples(t *testing.T) {
	for dir, names := range common {
		paths, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
		Must(t, err)
		var all []byte
		for _, path := range paths {
			src, err := os.ReadFile(path)
			Must(t, err)
			all = append(all, src...)
		}
		for _, name := range names {
			if !regexp.MustCompile(`(?m)^func Example` + name + `\(\)`).Match(all) {
				t.Errorf("%s: there is no Example%s", dir, name)
			}
		}
	}
}
