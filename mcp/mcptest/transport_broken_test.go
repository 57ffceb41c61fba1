package mcptest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// envBroken makes TestBrokenTransports run the tests that must fail.
const envBroken = "MCPTEST_TEST_BROKEN"

// A brokenConn is a connection with a method that is wrong.
type brokenConn struct {
	jsonrpc.Conn
	call  func(context.Context, *jsonrpc.Request) (jsonrpc.RawMessage, error)
	close func() error
	done  chan struct{}
}

func (c *brokenConn) Call(ctx context.Context, r *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	if c.call != nil {
		return c.call(ctx, r)
	}
	return c.Conn.Call(ctx, r)
}

func (c *brokenConn) Close() error {
	if c.close != nil {
		return c.close()
	}
	return c.Conn.Close()
}

func (c *brokenConn) Done() <-chan struct{} {
	if c.done != nil {
		return c.done
	}
	return c.Conn.Done()
}

// An opening is what a fault may change while a connection is opened.
type opening struct {
	ctx    context.Context
	before int // connections
	h      jsonrpc.Handler
	c      *brokenConn
}

// A brokenTransport opens connections that change has made wrong.
type brokenTransport struct {
	mcp.Transport
	opened atomic.Int32
	change func(*opening) error
}

func (b *brokenTransport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	o := &opening{ctx, int(b.opened.Add(1) - 1), h, &brokenConn{}}
	if err := b.change(o); err != nil {
		return nil, err
	}
	conn, err := b.Transport.Open(context.WithoutCancel(ctx), o.h)
	if err != nil {
		return nil, err
	}
	o.c.Conn = conn
	return o.c, nil
}

// after returns the call of c with its result changed.
func after(c *brokenConn, change func(jsonrpc.RawMessage, error) (jsonrpc.RawMessage, error)) {
	c.call = func(ctx context.Context, r *jsonrpc.Request) (jsonrpc.RawMessage, error) {
		return change(c.Conn.Call(ctx, r))
	}
}

// inErrors changes the errors of the calls of c.
func inErrors(c *brokenConn, change func(error) error) {
	after(c, func(res jsonrpc.RawMessage, err error) (jsonrpc.RawMessage, error) { return res, change(err) })
}

var brokenTransports = map[string]struct {
	finds  string // the test that must fail
	change func(*opening) error
}{
	"opens once": {"OpensAgain", func(o *opening) error {
		if o.before > 0 {
			return errors.New("used before")
		}
		return nil
	}},
	"second Close fails": {"OpensAgain", func(o *opening) error {
		closed := false
		o.c.close = func() error {
			if closed {
				return errors.New("closed before")
			}
			closed = true
			return o.c.Conn.Close()
		}
		return nil
	}},
	"ended at once": {"OpensAgain", func(o *opening) error {
		o.c.done = make(chan struct{})
		close(o.c.done)
		return nil
	}},
	"calls after Close have another error": {"OpensAgain", func(o *opening) error {
		inErrors(o.c, func(err error) error {
			if errors.Is(err, jsonrpc.ErrClosed) {
				err = io.ErrClosedPipe
			}
			return err
		})
		return nil
	}},
	"ends with the context of Open": {"OpenContext", func(o *opening) error {
		o.c.call = func(ctx context.Context, r *jsonrpc.Request) (jsonrpc.RawMessage, error) {
			if o.ctx.Err() != nil && r.Method == "tools/call" {
				return nil, jsonrpc.ErrClosed
			}
			return o.c.Conn.Call(ctx, r)
		}
		return nil
	}},
	"cuts long messages": {"Messages", func(o *opening) error {
		after(o.c, func(res jsonrpc.RawMessage, err error) (jsonrpc.RawMessage, error) {
			if len(res) > 1<<16 {
				return nil, jsonrpc.ErrTooLarge
			}
			return res, err
		})
		return nil
	}},
	"changes line breaks": {"Messages", func(o *opening) error {
		after(o.c, func(res jsonrpc.RawMessage, err error) (jsonrpc.RawMessage, error) {
			return jsonrpc.RawMessage(strings.ReplaceAll(string(res), `\r\n`, `\n`)), err
		})
		return nil
	}},
	"mixes up responses": {"Concurrency", func(o *opening) error {
		var mu sync.Mutex
		var held jsonrpc.RawMessage // the result of the call before
		after(o.c, func(res jsonrpc.RawMessage, err error) (jsonrpc.RawMessage, error) {
			mu.Lock()
			defer mu.Unlock()
			if strings.Contains(string(res), "call ") {
				if held == nil {
					held = res
				}
				res = held
			}
			return res, err
		})
		return nil
	}},
	"a canceled call ends the connection": {"Cancellation", func(o *opening) error {
		o.c.call = func(ctx context.Context, r *jsonrpc.Request) (jsonrpc.RawMessage, error) {
			res, err := o.c.Conn.Call(ctx, r)
			if ctx.Err() != nil {
				_ = o.c.Conn.Close()
			}
			return res, err
		}
		return nil
	}},
	"notifications out of order": {"Notifications", func(o *opening) error {
		message := o.h.Message
		var held *jsonrpc.Message
		o.h.Message = func(conn jsonrpc.Conn, m *jsonrpc.Message) {
			if strings.Contains(string(m.Params), `"1"`) {
				copied := *m
				copied.Params = append(jsonrpc.RawMessage{}, m.Params...)
				held = &copied
				return
			}
			message(conn, m)
			if held != nil {
				message(conn, held)
				held = nil
			}
		}
		return nil
	}},
	"loses the server's requests": {"ServerRequests", func(o *opening) error {
		message := o.h.Message
		o.h.Message = func(conn jsonrpc.Conn, m *jsonrpc.Message) {
			if m.IsRequest() {
				go conn.Reply(context.Background(), m.ID, nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound}) // ends with the connection
				return
			}
			message(conn, m)
		}
		return nil
	}},
	"errors are text": {"Errors", func(o *opening) error {
		inErrors(o.c, func(err error) error {
			if refused := new(jsonrpc.Error); errors.As(err, &refused) && refused.Code == 1234 {
				err = errors.New(err.Error())
			}
			return err
		})
		return nil
	}},
	"Close fails pending calls with another error": {"CloseDuringCall", func(o *opening) error {
		inErrors(o.c, func(err error) error {
			if errors.Is(err, jsonrpc.ErrClosed) {
				err = context.Canceled
			}
			return err
		})
		return nil
	}},
}

// TestBrokenTransports: TestTransport finds what is wrong. Another process runs the
// tests that fail.
func TestBrokenTransports(t *testing.T) {
	if os.Getenv(envBroken) != "" {
		for name, broken := range brokenTransports {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := mcptest.New(t)
				s.ProtocolVersions = []string{mcp.ProtocolVersion20251125}
				mcptest.TransportServer(s)
				tr := &brokenTransport{Transport: s, change: broken.change}
				mcptest.TestTransport(t, func() mcp.Transport { return tr })
			})
		}
		return
	}
	t.Parallel()
	this, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var others []string // do not need the long messages
	for name, broken := range brokenTransports {
		if broken.finds != "Messages" {
			others = append(others, regexp.QuoteMeta(strings.ReplaceAll(name, " ", "_")))
		}
	}
	cmd := exec.CommandContext(t.Context(), this, "-test.run=^TestBrokenTransports$", "-test.v",
		"-test.skip=/^("+strings.Join(others, "|")+")$/^Messages$")
	cmd.Env = append(os.Environ(), envBroken+"=1", "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		t.Fatalf("%v, want tests that fail:\n%s", err, out)
	}
	for name, broken := range brokenTransports {
		want := fmt.Sprintf("--- FAIL: TestBrokenTransports/%s/%s ", strings.ReplaceAll(name, " ", "_"), broken.finds)
		if !strings.Contains(string(out), want) {
			t.Errorf("%s: %s does not fail", name, broken.finds)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}
