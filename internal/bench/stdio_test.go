package bench

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

const (
	smallCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}` + "\n"
	bigCall   = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big"}}` + "\n"
)

// connect starts the server and connects to it.
func connect(tb testing.TB, era string) *mcp.Client {
	tr := stdio.Command(os.Args[0])
	tr.Env = []string{serverEnv + "=" + era}
	c, err := mcp.Connect(context.Background(), tr, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	return c
}

// bare starts the server and returns the ends of its pipes.
func bare(tb testing.TB) (io.Writer, *bufio.Reader) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverEnv+"=legacy")
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return in, bufio.NewReaderSize(out, 64<<10)
}

// exchange is the floor: it sends the line and reads one, parsing nothing.
func exchange(b *testing.B, line string) {
	w, r := bare(b)
	msg := []byte(line)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Write(msg); err != nil {
			b.Fatal(err)
		}
		for {
			_, err := r.ReadSlice('\n')
			if err == nil {
				break
			}
			if err != bufio.ErrBufferFull {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkFloorSmall(b *testing.B) { exchange(b, smallCall) }

func BenchmarkFloorBig(b *testing.B) {
	b.SetBytes(bigSize)
	exchange(b, bigCall)
}

func BenchmarkCallLegacy(b *testing.B) { callSmall(b, "legacy") }

func BenchmarkCallModern(b *testing.B) { callSmall(b, "modern") }

func callSmall(b *testing.B, era string) {
	c := connect(b, era)
	ctx := context.Background()
	args := map[string]any{"message": "hello"}
	b.ReportAllocs()
	for b.Loop() {
		res, err := c.CallTool(ctx, "echo", args)
		if err != nil || res.Text() != "Echo: hello" {
			b.Fatal(res, err)
		}
	}
}

func BenchmarkCallBig(b *testing.B) {
	c := connect(b, "legacy")
	ctx := context.Background()
	b.SetBytes(bigSize)
	b.ReportAllocs()
	for b.Loop() {
		res, err := c.CallTool(ctx, "big", nil)
		if err != nil || len(res.Text()) < bigSize-22 {
			b.Fatal(err)
		}
	}
}

func BenchmarkListTools(b *testing.B) {
	c := connect(b, "legacy")
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		tools, err := c.ListTools(ctx)
		if err != nil || len(tools) != 50 {
			b.Fatal(len(tools), err)
		}
	}
}

func BenchmarkCallParallel(b *testing.B) {
	c := connect(b, "legacy")
	args := map[string]any{"message": "hello"}
	b.ReportAllocs()
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		ctx := context.Background()
		for pb.Next() {
			if _, err := c.CallTool(ctx, "echo", args); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
