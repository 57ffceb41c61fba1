package mcp_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

func TestCloseFailsPendingCalls(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			o := onlyVersion(version)
			c := connect(t, testserver.New(&o), nil)
			results := make(chan error, 20)
			for i := range cap(results) {
				call := &mcp.ToolCall{Name: "slow", Arguments: map[string]any{"seconds": 60}}
				if i%2 == 0 {
					call.Progress = func(mcp.Progress) {}
				}
				go func() { // ends when the call returns
					_, err := c.Do(t.Context(), call)
					results <- err
				}()
			}
			synctest.Wait()
			select {
			case <-c.Done():
				t.Error("Done is closed before the client")
			default:
			}
			wantDuration(t, 0, func() { c.Close() })
			for range cap(results) {
				err := <-results
				wantError(t, err, mcp.ErrClosed, `server "stdmcp-echo": tools/call "slow"`)
				wantError(t, err, mcp.ErrOutcomeUnknown)
			}
			<-c.Done()
			wantError(t, c.Err(), mcp.ErrClosed)
			_, err := c.ListTools(t.Context())
			wantError(t, err, mcp.ErrClosed, "tools/list")
			if errors.Is(err, mcp.ErrOutcomeUnknown) {
				t.Errorf("%v: but nothing was sent", err)
			}
			wantError(t, c.Notify(t.Context(), "notifications/x", nil), mcp.ErrClosed)
			wantError(t, c.Ping(t.Context()), mcp.ErrClosed)
		})
	}
}

// TestStreamClosedDuringConnect: there is no client to close before Connect
// returns.
func TestStreamClosedDuringConnect(t *testing.T) {
	for _, after := range []time.Duration{0, time.Second, 4 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			pipe := testserver.New(&testserver.Options{Fault: "mute"}).Pipe()
			time.AfterFunc(after, func() { pipe.Close() })
			wantDuration(t, after, func() {
				_, err := mcp.Connect(t.Context(), overStream(pipe), nil)
				wantError(t, err, mcp.ErrClosed)
			})
		})
	}
}

func TestCloseFromHandler(t *testing.T) {
	for _, version := range eras {
		t.Run("Log/"+version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := onlyVersion(version)
				var c *mcp.Client
				done := make(chan error, 1)
				ready := make(chan struct{})
				c = connect(t, testserver.New(&o), &mcp.Options{
					LogLevel: mcp.LevelEmergency,
					Log: func(ctx context.Context, _ *mcp.LogMessage) {
						<-ready
						c.Close()
						select {
						case done <- ctx.Err():
						default:
						}
					},
				})
				close(ready)
				start := time.Now()
				_, _ = c.CallTool(t.Context(), "log", nil)
				wantError(t, <-done, context.Canceled)
				if took := time.Since(start); took > time.Second {
					t.Errorf("took %v", took)
				}
			})
		})
		t.Run("Progress/"+version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := onlyVersion(version)
				c := connect(t, testserver.New(&o), nil)
				wantDuration(t, 100*time.Millisecond, func() { // the first report
					_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "slow", Progress: func(mcp.Progress) { c.Close() }})
					wantError(t, err, mcp.ErrClosed)
				})
			})
		})
	}
}

// TestCloseWaitsForHandlers for a limited time.
func TestCloseWaitsForHandlers(t *testing.T) {
	for _, tt := range []struct{ takes, want time.Duration }{
		{100 * time.Millisecond, 100 * time.Millisecond},
		{time.Hour, 500 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			p, c := connectPeer(t, legacy, &mcp.Options{Log: func(ctx context.Context, _ *mcp.LogMessage) {
				<-ctx.Done()
				time.Sleep(tt.takes)
			}})
			p.notify("notifications/message", `{"level":"info","data":1}`)
			synctest.Wait()
			wantDuration(t, tt.want, func() { c.Close() })
			time.Sleep(tt.takes)
		})
	}
}

// TestCloseWhileServerNeverReads: writes block, Close does not.
func TestCloseWhileServerNeverReads(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			s := testserver.New(&testserver.Options{Fault: "stops-reading", ProtocolVersions: []string{version}})
			c := connectStream(t, s.Pipe(), nil) // the server may report a truncated message
			results := make(chan error, 8)
			big := make([]byte, 200<<10)
			for range cap(results) {
				go func() { // ends when the call returns
					_, err := c.CallTool(t.Context(), "echo", map[string]any{"message": string(big)})
					results <- err
				}()
			}
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			wantDuration(t, time.Second, func() {
				_, err := c.CallTool(ctx, "add", nil)
				wantError(t, err, context.DeadlineExceeded)
			})
			start := time.Now()
			c.Close()
			if took := time.Since(start); took > 100*time.Millisecond {
				t.Errorf("Close took %v", took)
			}
			for range cap(results) {
				wantError(t, <-results, mcp.ErrClosed)
			}
		})
	}
}

// TestServerClosesConnection: pending calls fail immediately, and Err returns the reason.
func TestServerClosesConnection(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			p, rwc := newPeer(t, version, nil)
			c := connectStream(t, rwc, nil)
			result := make(chan error, 1)
			go func() { // ends when the call returns
				_, err := c.CallTool(t.Context(), "any", nil)
				result <- err
			}()
			synctest.Wait()
			wantDuration(t, 0, func() {
				p.conn.Close()
				err := <-result
				wantError(t, err, mcp.ErrClosed, io.EOF.Error())
				wantError(t, err, mcp.ErrOutcomeUnknown)
				<-c.Done()
			})
			wantError(t, c.Err(), io.EOF)
		})
	}
}

// TestEveryCallHasOneOutcome, with concurrent calls, cancellations and the end of the connection.
// With several hundred deadlines in one synctest bubble the race detector itself
// fails sometimes (probably golang/go#78156).
func TestEveryCallHasOneOutcome(t *testing.T) {
	const n = 100
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, testserver.New(nil), nil)
		outcomes := make(chan error, n)
		for i := range n {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7)*time.Millisecond)
			go func() { // ends when the call returns
				defer cancel()
				res, err := c.Do(ctx, &mcp.ToolCall{
					Name: "slow", Arguments: map[string]any{"seconds": float64(i%5) / 1000, "steps": 2}, Progress: func(mcp.Progress) {},
				})
				if (res == nil) == (err == nil) {
					t.Errorf("%v beside %v", res, err)
				}
				outcomes <- err
			}()
		}
		time.AfterFunc(5*time.Millisecond, func() { c.Close() })
		answers := 0
		for range n {
			err := <-outcomes
			switch {
			case err == nil:
				answers++
			case errors.Is(err, context.DeadlineExceeded), errors.Is(err, mcp.ErrClosed):
			default:
				t.Error(err)
			}
		}
		if answers == 0 || answers == n {
			t.Errorf("%d answers of %d", answers, n)
		}
	})
}
