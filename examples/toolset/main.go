// Command toolset offers some of a server's tools to an agent. Its tests port those
// of adk-go's mcptoolset to package mcptest.
//
//	$ toolset mcpecho serve
//	echo
//	Hello!
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"sync"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A Toolset connects when it is first used, and again after the connection ends.
type Toolset struct {
	Transport mcp.Transport
	Filter    func(*mcp.Tool) bool // nil means all tools

	mu     sync.Mutex // guards client
	client *mcp.Client
}

func (s *Toolset) connect(ctx context.Context) (*mcp.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil {
		select {
		case <-s.client.Done():
			s.client.Close()
		default:
			return s.client, nil
		}
	}
	var err error
	s.client, err = mcp.Connect(ctx, s.Transport, nil)
	return s.client, err
}

// Tools lists the tools that pass the filter. It repeats a request whose connection
// has ended.
func (s *Toolset) Tools(ctx context.Context) (list []*mcp.Tool, err error) {
	var all []*mcp.Tool
	for try := 0; ; try++ {
		client, err := s.connect(ctx)
		if err != nil {
			return nil, err
		}
		if all, err = client.ListTools(ctx); err == nil {
			break
		} else if try > 0 || !errors.Is(err, mcp.ErrClosed) {
			return nil, err
		}
	}
	for _, t := range all {
		if s.Filter == nil || s.Filter(t) {
			list = append(list, t)
		}
	}
	return list, nil
}

// Run calls a tool. It does not repeat a call that may have been executed.
func (s *Toolset) Run(ctx context.Context, tool string, args map[string]any) (string, error) {
	client, err := s.connect(ctx)
	if err != nil {
		return "", err
	}
	res, err := client.CallTool(ctx, tool, args)
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}

// Close ends the connection.
func (s *Toolset) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		return nil
	}
	return s.client.Close()
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: toolset COMMAND [ARG...]")
	}
	s := &Toolset{Transport: stdio.Command(os.Args[1], os.Args[2:]...), Filter: func(t *mcp.Tool) bool { return t.Name == "echo" }}
	defer s.Close()
	tools, err := s.Tools(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range tools {
		fmt.Println(t.Name)
	}
	text, err := s.Run(context.Background(), "echo", map[string]any{"message": "Hello!"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
}
