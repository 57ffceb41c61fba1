package stdio_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// TestTimeoutSaysWhatWasRead has servers whose output is not what the transport expects.
func TestTimeoutSaysWhatWasRead(t *testing.T) {
	for fault, want := range map[string]string{
		"content-length": "; the server writes Content-Length before each message, as language servers do; in MCP each message is a line",
		"no-line-break":  `; the server wrote no line break after {"`,
		"serves-http":    "; the program printed http://127.0.0.1:8000/mcp: if it serves MCP there, connect to that URL, or start it with its option for stdio",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // before the server ends
				defer cancel()
				_, err := mcp.Connect(ctx, stdio.Stream(testserver.New(&testserver.Options{Fault: fault}).Pipe()), nil)
				if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nwant %s", err, want)
				}
			})
			args, env := childserver.Command(&testserver.Options{Fault: fault})
			tr := stdio.Command(args[0], args[1:]...)
			tr.Env, tr.CloseWait = env, time.Millisecond
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // the server writes at once
			defer cancel()
			if _, err := mcp.Connect(ctx, tr, nil); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), want) {
				t.Errorf("of a process: %v\nwant %s", err, want)
			}
		})
	}
}

func TestTimeoutAfterOutput(t *testing.T) {
	const initialized = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}` + "\n"
	for output, want := range map[string]string{
		"listening on http://localhost:3000.":                  "printed http://localhost:3000: if",
		"see https://example.com/ and (https://[::1]:1/a?b=c)": "printed https://[::1]:1/a: if",
		"at http://u:pw@127.0.0.1:2":                           "printed http://***@127.0.0.1:2: if",
		"see https://example.com/":                             "",
		"CONTENT-LENGTH: 10\r":                                 "writes Content-Length",
		`{"half`:                                               "",
	} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			defer theirs.Close()
			go func() { _, _ = theirs.Write([]byte(output + "\n" + "half of a l")) }()
			go func() { // ends with the pipe
				for b := make([]byte, 1024); ; {
					if _, err := theirs.Read(b); err != nil {
						return
					}
				}
			}()
			_, err := mcp.Connect(t.Context(), stdio.Stream(ours), nil)
			if want == "" {
				want = "wrote no line break after half of a l"
			}
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pw") {
				t.Errorf("%q: %v\nwant %s", output, err, want)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // what was written before a message is not the reason
		ours, theirs := net.Pipe()
		defer theirs.Close()
		go func() {
			b := make([]byte, 4096)
			for {
				n, err := theirs.Read(b)
				if err != nil {
					return
				}
				if strings.Contains(string(b[:n]), `"initialize"`) {
					_, _ = theirs.Write([]byte("http://localhost:1\n" + initialized))
				}
			}
		}()
		c, err := mcp.Connect(t.Context(), stdio.Stream(ours), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.Ping(t.Context()); !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "printed") {
			t.Error(err)
		}
	})
}
