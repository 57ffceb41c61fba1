package faulttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

// TestEveryReadAndWriteFails injects each fault into the k-th Read or Write of a
// client, for every k, while it connects, lists, calls, subscribes and closes.
func TestEveryReadAndWriteFails(t *testing.T) {
	var places atomic.Int64
	t.Cleanup(func() {
		figures.add("each Read and Write while a client connects, lists, calls, subscribes and closes, with each of 4 injected faults",
			"each step ends in time, with success or a documented error", "%d times", places.Load())
	})
	for _, transport := range []byte("SEH") {
		for _, version := range versionsOf[transport] {
			if version == batches {
				continue // reads and writes as its neighbors do
			}
			for _, what := range ioFaults {
				t.Run(fmt.Sprintf("%c/%s/%s", transport, version, what), func(t *testing.T) {
					t.Parallel()
					const most = 2000
					for k := 1; k < most; k++ {
						f := &faultInjector{k: k, fault: what}
						synctest.Test(t, func(t *testing.T) {
							s := lifecycle{env: &env{transport: transport, version: version, injector: f, anyViolation: true}}
							s.play(t)
						})
						if t.Failed() {
							t.Fatalf("with the fault at %d", k)
						}
						if !f.injected() {
							if k < 10 {
								t.Errorf("only %d reads and writes", k-1)
							}
							places.Add(int64(k - 1))
							return
						}
					}
					t.Errorf("still reads and writes after %d times", most)
				})
			}
		}
	}
}

// A lifecycle is a client from Connect to Close.
type lifecycle struct {
	*env
	client *mcp.Client
}

// stepTime is how long each step may take.
const stepTime = 20 * time.Second

// play runs every step, also after one that failed.
func (s *lifecycle) play(t *testing.T) {
	tr := s.start(t)
	s.step(t, "connect", func(ctx context.Context) (err error) {
		s.client, err = mcp.Connect(ctx, tr, s.options())
		return err
	})
	if s.client == nil {
		return
	}
	s.step(t, "list", func(ctx context.Context) error {
		tools, err := s.client.ListTools(ctx)
		if err == nil && len(tools) == 0 {
			return errors.New("no tools")
		}
		return err
	})
	s.step(t, "call", s.call)
	s.step(t, "subscribe", s.subscribe)
	s.step(t, "call again", s.call)
	s.close(t, s.client)
}

// step runs a step, which must end in time, with success or a documented error.
func (s *lifecycle) step(t *testing.T, name string, do func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stepTime)
	defer cancel()
	start := time.Now()
	err := do(ctx)
	if took := time.Since(start); took > stepTime+lateness {
		t.Errorf("%s took %v", name, took)
	}
	if err != nil && !isDocumented(err) {
		t.Errorf("%s: %v (%T) is not documented", name, err, err)
	}
	if err != nil && !s.injector.injected() {
		t.Errorf("%s: %v, without an injected fault", name, err)
	}
}

// call calls a tool that reports progress. If the request arrived and the response
// did not, the error must match ErrOutcomeUnknown.
func (s *lifecycle) call(ctx context.Context) error {
	synctest.Wait() // what was sent before has arrived
	before := s.received("tools/call")
	res, err := s.client.Do(ctx, &mcp.ToolCall{
		Name: "slow", Arguments: map[string]any{"seconds": 0.5, "steps": 3}, Progress: func(mcp.Progress) {},
	})
	synctest.Wait()
	arrived := s.received("tools/call") > before
	switch {
	case err == nil && !strings.HasPrefix(res.Text(), "Done"):
		return fmt.Errorf("slow returned %+v", res)
	case err != nil && arrived && !unknown.in(err) && !deadline.in(err):
		return fmt.Errorf("the request arrived: %s", err)
	}
	return err
}

// subscribe subscribes, changes the list of tools and waits for the notification,
// which the fault may hold back.
func (s *lifecycle) subscribe(ctx context.Context) error {
	sub, err := s.client.Subscribe(ctx, &mcp.SubscriptionFilter{ToolsListChanged: true})
	if err != nil {
		return err
	}
	defer sub.Close()
	if _, err := s.client.CallTool(ctx, "add_tool", nil); err != nil {
		return err
	}
	if _, err := sub.Next(ctx); err != io.EOF {
		return err
	}
	return nil
}
