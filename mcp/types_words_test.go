package mcp_test

import (
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
)

// TestWordsOfTheProtocol compares constants with the words of the specification.
func TestWordsOfTheProtocol(t *testing.T) {
	for got, want := range map[string]string{
		string(mcp.RefPrompt): "ref/prompt", string(mcp.PromptRef("x").Type): "ref/prompt", string(mcp.TemplateRef("x").Type): "ref/resource",
		string(mcp.LevelNotice): "notice", string(mcp.LevelCritical): "critical",
		string(mcp.TaskInputRequired): "input_required", string(mcp.TaskFailed): "failed",
		string(mcp.TaskForbidden): "forbidden", string(mcp.TaskOptional): "optional", string(mcp.TaskRequired): "required",
		mcp.TasksExtension: "io.modelcontextprotocol/tasks",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if mcp.CodeUnsupportedVersion != -32022 {
		t.Error(mcp.CodeUnsupportedVersion)
	}
	// Untyped literals are values of the types of words.
	for _, status := range []mcp.TaskStatus{"working", mcp.TaskInputRequired} {
		if status.Done() {
			t.Errorf("%s is done", status)
		}
	}
	var ref mcp.ReferenceType = "ref/prompt"
	caps := mcp.ServerCapabilities{Tools: &mcp.ToolsCapability{}, Prompts: &mcp.PromptsCapability{}}
	if ref != mcp.RefPrompt || caps.Tools.ListChanged != nil || caps.Prompts.ListChanged != nil {
		t.Error(ref, caps)
	}
}
