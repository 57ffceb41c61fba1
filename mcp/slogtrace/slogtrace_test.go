package slogtrace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/slogtrace"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// logger returns a logger without times.
func logger(w *bytes.Buffer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func ExampleNew() {
	var out bytes.Buffer
	opts := &mcp.Options{Trace: slogtrace.New(logger(&out, slog.LevelDebug))}
	opts.Trace.Message = nil // a line for each message is too much
	client, err := mcp.Connect(context.Background(), stdio.Stream(testserver.New(nil).Pipe()), opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	client.Close()
	_, _ = out.WriteTo(os.Stdout)
	// Output: level=DEBUG msg="MCP connected" name=stdmcp-echo protocol=2025-11-25
}

// TestEachFunctionOfTrace is called with a secret as data, which no line has.
func TestEachFunctionOfTrace(t *testing.T) {
	var out bytes.Buffer
	ctx, err, secret := t.Context(), errors.New("broken pipe"), []byte("sesame")
	trace := slogtrace.New(logger(&out, slog.LevelDebug))
	v := reflect.ValueOf(trace).Elem()
	for i := range v.NumField() {
		if v.Field(i).IsNil() {
			t.Errorf("Trace.%s is nil", v.Type().Field(i).Name)
		}
	}
	trace.Message(ctx, true, secret)
	trace.Discarded(ctx, err, secret)
	trace.Odd(ctx, err, secret)
	trace.Retry(ctx, "ping", nil)
	trace.Reconnect(ctx, err, time.Second)
	trace.SessionLost(ctx, err)
	trace.StreamLost(ctx, err)
	trace.HandlerPanic(ctx, "oops", []byte("stack"))
	want := `level=DEBUG msg="MCP message" sent=true bytes=6
level=WARN msg="MCP data discarded" error="broken pipe" bytes=6
level=INFO msg="MCP data breaks the protocol" error="broken pipe" bytes=6
level=INFO msg="MCP request sent again" method=ping
level=WARN msg="MCP connection lost" error="broken pipe" wait=1s
level=WARN msg="MCP session lost" error="broken pipe"
level=WARN msg="MCP stream lost" error="broken pipe"
level=ERROR msg="MCP handler panicked" panic=oops stack=stack
`
	if got := out.String(); got != want || strings.Contains(got, "sesame") {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
