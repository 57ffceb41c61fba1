package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// A point is what one process holds with N clients, calls or servers.
type point struct {
	N           int
	Memory      int64 // bytes of the heap and of stacks
	Resident    int64 // bytes of the process
	Goroutines  int
	Descriptors int
	Took        time.Duration // to make this many
	Call        time.Duration // the median of a small call then
	Ended       time.Duration // to end all; 0 except in the last point
	Left        int           // goroutines afterwards, beside those before
}

// measure waits until the goroutines are steady and returns what the process
// holds.
func measure(n int) point {
	for steady, last := 0, 0; steady < 5; time.Sleep(20 * time.Millisecond) {
		if now := runtime.NumGoroutine(); now == last {
			steady++
		} else {
			steady, last = 0, now
		}
	}
	debug.FreeOSMemory()
	debug.FreeOSMemory() // the first run of the collector empties pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	p := point{N: n, Memory: int64(m.HeapAlloc + m.StackInuse), Goroutines: runtime.NumGoroutine()}
	status, _ := os.ReadFile("/proc/self/status")
	if _, rest, ok := strings.Cut(string(status), "VmRSS:"); ok {
		kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		p.Resident = kb << 10
	}
	files, _ := os.ReadDir("/proc/self/fd")
	p.Descriptors = len(files) - 1 // that of the folder
	return p
}

// A target is how a worker reaches the server.
type target struct {
	Kind   string // of kinds
	Socket string // of the server
	Host   string // its host and port
}

var modern = &mcp.Options{ProtocolVersions: []string{mcp.ProtocolVersion20260728}}
var legacy = &mcp.Options{ProtocolVersions: []string{mcp.ProtocolVersion20251125}}

// options returns the options that all clients share.
func (t *target) options() *mcp.Options {
	if strings.Contains(t.Kind, "modern") {
		return modern
	}
	return legacy
}

// transport returns the transport of one client.
func (t *target) transport() mcp.Transport {
	switch {
	case strings.HasPrefix(t.Kind, "processes"):
		return stdio.Command(self(), "-serve", "stdio")
	case strings.HasPrefix(t.Kind, "sse"):
		return sse.New("http://"+t.Host+"/sse", nil)
	case strings.HasPrefix(t.Kind, "http"):
		return streamhttp.New("http://"+t.Host+"/mcp", nil)
	}
	return stdio.Dial(func(ctx context.Context) (io.ReadWriteCloser, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", t.Socket)
	})
}

// each runs f for each index below n, on up to 16 goroutines, and returns an error.
func each(n int, f func(int) error) (err error) {
	var mu sync.Mutex
	var running sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range n {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			if e := f(i); e != nil {
				mu.Lock()
				err = e
				mu.Unlock()
			}
		})
	}
	running.Wait()
	return err
}

// idle connects clients in steps and prints what they hold.
func (t *target) idle(ctx context.Context, sizes []int, out *json.Encoder) error {
	before := measure(0)
	if err := out.Encode(before); err != nil {
		return err
	}
	var clients []*mcp.Client
	for i, size := range sizes {
		began := time.Now()
		have := len(clients)
		clients = append(clients, make([]*mcp.Client, size-have)...)
		err := each(size-have, func(i int) (err error) {
			clients[have+i], err = mcp.Connect(ctx, t.transport(), t.options())
			return err
		})
		if err != nil {
			return fmt.Errorf("connect %d clients: %w", size, err)
		}
		took := time.Since(began)
		p := measure(size)
		p.Took = took
		p.Call, err = callTime(func(i int) error {
			_, err := clients[i*size/100].CallTool(ctx, "tool1", nil)
			return err
		})
		if err != nil {
			return err
		}
		if i == len(sizes)-1 {
			if err := p.end(before, func() error {
				return each(size, func(i int) error { return clients[i].Close() })
			}); err != nil {
				return err
			}
		}
		if err := out.Encode(p); err != nil {
			return err
		}
	}
	return nil
}

// callTime returns the median time of a hundred calls. call makes the one with a
// number from 0 on.
func callTime(call func(i int) error) (time.Duration, error) {
	var times []time.Duration
	for i := range 100 {
		began := time.Now()
		if err := call(i); err != nil {
			return 0, err
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times[50], nil
}

// end ends all with a function, and stores how long that took and what is left
// beside what was there before.
func (p *point) end(before point, all func() error) error {
	began := time.Now()
	if err := all(); err != nil {
		return err
	}
	p.Ended = time.Since(began)
	p.Left = measure(0).Goroutines - before.Goroutines
	return nil
}

// calls begins calls on one client in steps and prints what they hold while all
// are pending.
func (t *target) calls(ctx context.Context, sizes []int, out *json.Encoder) error {
	options := *t.options()
	options.Timeout = -1
	client, err := mcp.Connect(ctx, t.transport(), &options)
	if err != nil {
		return err
	}
	defer client.Close()
	before := measure(0)
	if err := out.Encode(before); err != nil {
		return err
	}
	for _, size := range sizes {
		began := time.Now()
		failed := make(chan error, size)
		var running sync.WaitGroup
		for range size {
			running.Go(func() { // ends with its call
				if _, err := client.CallTool(ctx, "hold", nil); err != nil {
					failed <- err
				}
			})
		}
		if _, err := client.CallTool(ctx, "held", map[string]any{"calls": size}); err != nil {
			return err
		}
		took := time.Since(began)
		p := measure(size)
		p.Took = took
		began = time.Now()
		if _, err := client.CallTool(ctx, "release", nil); err != nil {
			return err
		}
		running.Wait()
		p.Ended = time.Since(began)
		select {
		case err := <-failed:
			return fmt.Errorf("%d calls: %w", size, err)
		default:
		}
		if err := out.Encode(p); err != nil {
			return err
		}
	}
	return nil
}

// descriptors limits the descriptors of this process and connects until they
// run out. It prints the error, and how many of the clients still work.
func (t *target) descriptors(ctx context.Context, limit int, out *json.Encoder) error {
	if err := limitDescriptors(limit); err != nil {
		return err
	}
	var clients []*mcp.Client
	for {
		client, err := mcp.Connect(ctx, t.transport(), t.options())
		if err == nil {
			clients = append(clients, client)
			continue
		}
		working := 0
		for _, c := range clients {
			if _, err := c.CallTool(ctx, "tool1", nil); err == nil {
				working++
			}
			_ = c.Close()
		}
		text := strings.NewReplacer(t.Socket, "/run/server.sock", t.Host, "127.0.0.1:8080", self(), "server").Replace(err.Error())
		return out.Encode(exhausted{limit, len(clients), working, text})
	}
}

// exhausted is what happens when the descriptors run out.
type exhausted struct {
	Limit, Connected, Working int
	Err                       string
}
