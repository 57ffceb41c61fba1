package config_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func ExampleParse() {
	c := config.Parse([]byte(`{
		"mcpServers": {
			"files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "~/work"]},
			"docs":  {"url": "https://example.com/mcp", "timeout": "2m"}, // a comment
			"wrong": {"command": 7},
		},
	}`), "servers.json", "user")
	for _, s := range c.Servers {
		fmt.Printf("%s: %q %s%s %v\n", s.Name, s.Type, s.Command, s.URL, s.Timeout)
	}
	for _, p := range c.Problems {
		fmt.Println(p)
	}
	// Output:
	// docs: "" https://example.com/mcp 2m0s
	// files: "stdio" npx 0s
	// servers.json:5: server "wrong": "command" must be a string or a list of strings, not a number
}

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "servers.json")
	if err := os.WriteFile(file, []byte(`{"servers": {"docs": {"url": "https://example.com/mcp"}}}`), 0o600); err != nil {
		log.Fatal(err)
	}
	// Load reads ~/.mcp.json, .mcp.json in dir, and the other files.
	c := config.Load(dir, file)
	fmt.Println(c.Server("docs").URL, len(c.Problems))
	// Output: https://example.com/mcp 0
}

// A project's own file could run any program, so its servers start only after an answer.
func ExampleConfig_Trust() {
	c := config.Parse([]byte(`{"mcpServers": {"files": {"command": "./run"}}}`), ".mcp.json", "project")
	c.Trust(func(s *config.Server) bool {
		fmt.Println(s.Name, s.Effects(), "trust it? yes")
		return true
	})
	fmt.Println(c.Server("files").Trusted())
	// Output:
	// files [runs ./run] trust it? yes
	// true
}

func ExampleServer_Expand() {
	s := config.Parse([]byte(`{"docs": {"url": "https://${HOST:-example.com}/mcp", "headers": {"X-Key": "${KEY}"}}}`), "", "").Server("docs")
	vars := map[string]string{"KEY": "secret"}
	expanded, err := s.Expand(context.Background(), &config.Vars{
		Lookup: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }, // default: the environment
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(expanded.URL, expanded.Headers["X-Key"])
	fmt.Println(expanded.Hide("the server refused secret"))
	fmt.Println(s.Public().Headers["X-Key"])
	// Output:
	// https://example.com/mcp secret
	// the server refused ***
	// ${KEY}
}

func ExampleFilter_Allows() {
	f := config.Filter{Allow: []string{"*_file"}, Deny: []string{"delete_*"}}
	fmt.Println(f.Allows("read_file"), f.Allows("delete_file"))
	// Output: true false
}

func ExampleLoadFile() {
	c := config.LoadFile("testdata/absent.json")
	fmt.Println(len(c.Servers), len(c.Problems))
	// Output: 0 1
}

// A program shows what an entry of a project's file would do before it starts
// anything.
func ExampleServer_Effects() {
	c := config.Parse([]byte(`{"mcpServers": {"files": {
		"command": "npx", "args": ["-y", "files"], "env": {"NODE_OPTIONS": "--require ./x.js", "API_KEY": "abcdefgh"}
	}}}`), ".mcp.json", "project")
	for _, effect := range c.Server("files").Effects() {
		fmt.Println(effect)
	}
	// Output:
	// runs npx -y files
	// sets API_KEY=***
	// sets NODE_OPTIONS=--require ./x.js
}

func ExampleServers_Validate() {
	var servers config.Servers
	_ = json.Unmarshal([]byte(`{"docs": {"url": "https://example.com/mcp"}, "files": {"command": 7}}`), &servers)
	servers["mine"] = &config.Server{}
	fmt.Println(servers.Validate()) // starts nothing
	fmt.Println(servers["docs"].Validate())
	// Output:
	// configuration: server "files": "command" must be a string or a list of strings, not a number
	// configuration: server "mine": "command" or a URL is required
	// <nil>
}

func ExampleServer_Unmatched() {
	s := &config.Server{Tools: config.Filter{Deny: []string{"delete_*", "rmdir"}}}
	fmt.Println(s.Unmatched([]string{"read", "delete_file"}))
	// Output: ["excludeTools" names "rmdir", which matches none of the server's tools]
}
