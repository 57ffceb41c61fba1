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

// TestEveryReadAndWriteFails has the k-th Read or Write of a client go wrong,
// for every k, in every way, while it connects, lists, calls, subscribes and
// closes.
func TestEveryReadAndWriteFails(t *testing.T) {
	var places atomic.Int64
	t.Cleanup(func() {
		figures.add("each Read and Write of a client that connects, lists, calls, subscribes and closes goes wrong, in each of 4 ways",
			"steps end in time, with success or an error that is documented", "%d times", places.Load())
	})
	for _, transport := range []byte("SEH") {
		for _, version := range versionsOf[transport] {
			if version == batches {
				continue // reads and writes as its neighbours do
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
							t.Fatalf("with the mishap at %d", k)
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

// A scenario is a client's life in short.
type lifecycle struct {
	*env
	client *mcp.Client
}

// stepTime is how long each step may take.
const stepTime = 20 * time.Second

// play plays every step, whatever became of those before.
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

// step makes a step. It must end in time, rightly or with an error that is
// documented.
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
		t.Errorf("%s: %v (%T) is no error that is documented", name, err, err)
	}
	if err != nil && !s.injector.injected() {
		t.Errorf("%s: %v, without a mishap", name, err)
	}
}

// call calls a tool that reports progress. If the server got the request and
// the client not the answer, the error must say that nobody knows.
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

// subscribe subscribes, has something change and waits for the news, which a
// mishap may keep away.
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
