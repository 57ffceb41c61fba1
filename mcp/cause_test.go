package mcp_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestErrorsMatchCauseAndErr cancels contexts with a cause, before and during each
// operation: the error matches the cause and context.Canceled.
func TestErrorsMatchCauseAndErr(t *testing.T) {
	cause := errors.New("the user has left")
	slow := &mcp.ToolCall{Name: "slow", Arguments: map[string]any{"seconds": 60}}
	observed := *slow
	observed.Progress = func(mcp.Progress) {}
	for name, f := range map[string]func(context.Context, *mcp.Client) error{
		"Do":           func(ctx context.Context, c *mcp.Client) error { _, err := c.Do(ctx, slow); return err },
		"Progress":     func(ctx context.Context, c *mcp.Client) error { _, err := c.Do(ctx, &observed); return err },
		"KeepAlive":    func(ctx context.Context, c *mcp.Client) error { return c.KeepAlive(ctx, time.Hour, 1) },
		"Subscription": nextChange,
	} {
		for _, version := range eras {
			for _, before := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					o := onlyVersion(version)
					c := connect(t, testserver.New(&o), nil)
					ctx, cancel := context.WithCancelCause(t.Context())
					if before {
						cancel(cause)
					} else {
						time.AfterFunc(time.Second, func() { cancel(cause) })
					}
					err := f(ctx, c)
					if !errors.Is(err, cause) || !errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("%s in %s, canceled before: %v: %v does not match the cause and context.Canceled alone", name, version, before, err)
					}
				})
			}
		}
	}
}

func nextChange(ctx context.Context, c *mcp.Client) error {
	s, err := c.Subscribe(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Next(ctx)
	return err
}

// TestTimeoutIsNotCanceled: only a context of the program is canceled.
func TestTimeoutIsNotCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, testserver.New(nil), nil)
		_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "slow", Arguments: map[string]any{"seconds": 60}, Timeout: time.Second, Progress: func(mcp.Progress) {}})
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			t.Errorf("%v matches context.Canceled", err)
		}
	})
}

// TestConnectMatchesCauseAndErr cancels Connect.
func TestConnectMatchesCauseAndErr(t *testing.T) {
	cause := errors.New("the user has left")
	for _, after := range []time.Duration{0, 100 * time.Millisecond, 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer time.AfterFunc(after, func() { cancel(cause) }).Stop()
			if after == 0 {
				cancel(cause)
			}
			pipe := testserver.New(&testserver.Options{Fault: "mute"}).Pipe()
			defer pipe.Close()
			_, err := mcp.Connect(ctx, overStream(pipe), nil)
			if !errors.Is(err, cause) || !errors.Is(err, context.Canceled) {
				t.Errorf("canceled after %v: %v does not match the cause and context.Canceled", after, err)
			}
		})
	}
}
