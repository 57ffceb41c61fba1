package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// hosts connects a host to more and more servers and prints what it holds.
func (t *target) hosts(ctx context.Context, sizes []int, out *json.Encoder) error {
	before := measure(0)
	if err := out.Encode(before); err != nil {
		return err
	}
	dial := func(context.Context, *host.DialParams) (mcp.Transport, error) { return t.transport(), nil }
	h := host.New(&host.Options{
		Dialers: host.Dialers{config.Stdio: dial, config.HTTP: dial}, Parallel: 16,
		Client: t.options(), MaxServers: -1,
	})
	for i, size := range sizes {
		var servers []*host.Server
		for i := range size {
			s := &host.Server{Name: fmt.Sprint("server", i), Type: config.Stdio, Command: "server"}
			servers = append(servers, s)
		}
		began := time.Now()
		if diff := h.SetServers(ctx, servers); diff.Err() != nil || len(diff.Errors) > 0 {
			return fmt.Errorf("%d servers: %v %v", size, diff.Err(), diff.Errors)
		}
		took := time.Since(began)
		if n := len(h.Tools()); n != size*toolsPerServer {
			return fmt.Errorf("%d servers: %d tools", size, n)
		}
		p := measure(size)
		p.Took = took
		var err error
		p.Call, err = callTime(func(i int) error {
			_, err := h.CallTool(ctx, fmt.Sprint("server", i*size/100), "tool1", nil)
			return err
		})
		if err != nil {
			return err
		}
		if i == len(sizes)-1 {
			if err := p.end(before, func() error { return h.Shutdown(ctx) }); err != nil {
				return err
			}
		}
		if err := out.Encode(p); err != nil {
			return err
		}
	}
	return nil
}
