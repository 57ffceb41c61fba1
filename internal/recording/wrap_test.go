package recording_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A program writes a text and fails.
type program struct{ io.Reader }

func (program) Write(b []byte) (int, error) { return len(b), nil }
func (program) Close() error                { return nil }

var errCrash = errors.New("exited with status 2: opensesame")

// TestWrapRecordsMoreThanMessages: what a server writes beside messages, and its end.
func TestWrapRecordsMoreThanMessages(t *testing.T) {
	var b bytes.Buffer
	w := recording.NewWriter(&b, "opensesame")
	server := io.MultiReader(strings.NewReader("Listening\n"+`{"jsonrpc":"2.0","method":"a"}`+"\n"), failing{})
	tr := w.Wrap(stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) { return program{server}, nil }))
	var dropped []string // by the goroutine that reads, which ends before Done
	conn, err := tr.Open(t.Context(), jsonrpc.Handler{Dropped: func(_ error, data []byte) { dropped = append(dropped, string(data)) }})
	if err != nil {
		t.Fatal(err)
	}
	<-conn.Done()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	entries, err := recording.Read(&b)
	if err != nil || len(entries) != 3 || len(dropped) != 1 {
		t.Fatalf("%+v, %v; dropped %q", entries, err, dropped)
	}
	if e := entries[0]; e.Kind != recording.Text || e.Text != "Listening" || e.Sent {
		t.Errorf("%+v", e)
	}
	if e := entries[2]; e.Kind != recording.Connection || !strings.Contains(e.Text, "exited with status 2: ***") {
		t.Errorf("%+v", e)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errCrash }
