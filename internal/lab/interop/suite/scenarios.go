package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

// scenarios are what the connected client does in each scenario.
var scenarios = map[string]func(context.Context, *mcp.Client) error{
	"initialize":                          listTools,
	"request-metadata":                    listTools,
	"json-schema-ref-no-deref":            listTools,
	"tools_call":                          callEach(map[string]any{"a": 5, "b": 3}),
	"http-invalid-tool-headers":           callEach(map[string]any{"region": "us-west1"}),
	"elicitation-sep1034-client-defaults": callEach(nil),
	"sse-retry":                           callEach(nil),
	"sep-2322-client-request-state":       callEach(nil),
	"http-standard-headers":               useEverything,
	"http-custom-headers":                 callAsRequested,
	"json-schema-2020-12-preservation":    echoSchema,

	"sep-2640-client-no-prefetch":        listSkills,
	"sep-2640-client-verify-digest":      loadSkills(skills.ErrDigest),
	"sep-2640-client-verify-size":        loadSkills(skills.ErrSize),
	"sep-2640-client-verify-frontmatter": loadSkills(skills.ErrFrontmatter),
}

// listSkills lists the skills and their files, and reads none.
func listSkills(ctx context.Context, c *mcp.Client) error {
	list, err := skills.NewReader(c, nil).List(ctx)
	if err != nil {
		return err
	}
	for _, skill := range list {
		if err := fs.WalkDir(skill.FS(ctx), ".", func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
			return err
		}
	}
	return nil
}

// loadSkills reads SKILL.md of each skill and, if it is accepted, the other files.
// It fails if a skill is not refused with want.
func loadSkills(want error) func(context.Context, *mcp.Client) error {
	return func(ctx context.Context, c *mcp.Client) error {
		for skill, err := range skills.NewReader(c, nil).Skills(ctx) {
			if err != nil {
				return err
			}
			err := load(ctx, skill)
			if !errors.Is(err, want) {
				return fmt.Errorf("load %s: %v, want %q", skill.URI, err, want)
			}
		}
		return nil
	}
}

func load(ctx context.Context, skill *skills.Skill) error {
	if _, err := skill.Read(ctx, "SKILL.md"); err != nil {
		return err
	}
	for _, f := range skill.Files {
		if _, err := skill.Read(ctx, f.Name); err != nil {
			return err
		}
	}
	return nil
}

func listTools(ctx context.Context, c *mcp.Client) error {
	_, err := c.ListTools(ctx)
	return err
}

// callEach calls every tool that the library lists.
func callEach(args any) func(context.Context, *mcp.Client) error {
	return func(ctx context.Context, c *mcp.Client) error {
		for tool, err := range c.Tools(ctx) {
			if err != nil {
				return err
			}
			if _, err := c.CallTool(ctx, tool.Name, args); err != nil {
				return err
			}
		}
		return nil
	}
}

// useEverything uses each tool, resource and prompt.
func useEverything(ctx context.Context, c *mcp.Client) error {
	if err := callEach(nil)(ctx, c); err != nil {
		return err
	}
	for resource, err := range c.Resources(ctx) {
		if err != nil {
			return err
		}
		if _, err := c.ReadResource(ctx, resource.URI); err != nil {
			return err
		}
	}
	for prompt, err := range c.Prompts(ctx) {
		if err != nil {
			return err
		}
		if _, err := c.GetPrompt(ctx, prompt.Name, nil); err != nil {
			return err
		}
	}
	return nil
}

// callAsRequested calls the tools of the context with its arguments.
func callAsRequested(ctx context.Context, c *mcp.Client) error {
	requested, err := readContext()
	if err != nil {
		return err
	}
	if err := listTools(ctx, c); err != nil {
		return err
	}
	for _, call := range requested.ToolCalls {
		if _, err := c.CallTool(ctx, call.Name, call.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// echoSchema sends the schema of one tool as an argument of another.
func echoSchema(ctx context.Context, c *mcp.Client) error {
	tools, err := c.ListTools(ctx)
	if err != nil {
		return err
	}
	for _, tool := range tools {
		if tool.Name == "json_schema_2020_12_tool" {
			_, err := c.CallTool(ctx, "json_schema_echo", map[string]any{"schema": tool.InputSchema})
			return err
		}
	}
	return fmt.Errorf("the tool is not among the %d listed", len(tools))
}
