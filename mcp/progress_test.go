package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// sendProgress returns a handler that responds to each call with progress notifications,
// in whose params it replaces $token by the token of the call, and then the result.
func sendProgress(params ...string) func(*peer, request) {
	return func(p *peer, m request) {
		for _, text := range params {
			p.notify("notifications/progress", strings.ReplaceAll(text, "$token", m.token()))
		}
		p.answer(m, done)
	}
}

func TestProgressInOrderBeforeDoReturns(t *testing.T) {
	const n = 200
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			var params []string
			for i := range n {
				params = append(params, fmt.Sprintf(`{"progressToken":$token,"progress":%d}`, i))
			}
			_, rwc := newPeer(t, version, sendProgress(params...))
			c := connectStream(t, rwc, nil)
			var got []float64 // the race detector checks that calls are sequential and not after Do
			_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "any", Progress: func(p mcp.Progress) {
				time.Sleep(time.Millisecond)
				got = append(got, p.Progress)
			}})
			if err != nil || len(got) != n || !slices.IsSorted(got) {
				t.Errorf("%d reports, want %d in order: %v, %v", len(got), n, got, err)
			}
		})
	}
}

// TestInvalidProgressIsDropped: the client delivers the valid reports.
func TestInvalidProgressIsDropped(t *testing.T) {
	for _, tt := range []struct {
		name    string
		params  []string
		want    []float64
		dropped []string // texts of the errors
	}{
		{"decreases", []string{`{"progressToken":$token,"progress":3}`, `{"progressToken":$token,"progress":2}`,
			`{"progressToken":$token,"progress":3}`, `{"progressToken":$token,"progress":3.5}`},
			[]float64{3, 3.5}, []string{"does not increase", "does not increase"}},
		{"below zero", []string{`{"progressToken":$token,"progress":-2}`, `{"progressToken":$token,"progress":-1}`}, []float64{-2, -1}, nil},
		{"unknown token", []string{`{"progressToken":99,"progress":1}`, `{"progressToken":"unknown","progress":1}`,
			`{"progressToken":null,"progress":1}`, `{"progress":1}`, `{"progressToken":-$token,"progress":1}`},
			nil, []string{"no pending call", "no pending call", "no pending call", "no pending call", "no pending call"}},
		{"the token as a string", []string{`{"progressToken":"$token","progress":1}`}, []float64{1}, nil},
		{"no number", []string{`{"progressToken":$token,"progress":"1"}`, `{"progressToken":$token,"progress":[]}`, `[]`, `1`},
			nil, []string{"malformed", "malformed", "", "malformed"}},
		{"two tokens", []string{`{"progressToken":$token,"progressToken":$token,"progress":1}`}, nil, []string{"malformed"}},
		{"extras", []string{`{"progressToken":$token,"progress":1e-3,"total":null,"message":null,"x":{}}`}, []float64{0.001}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var j dropLog
				_, rwc := newPeer(t, modern, sendProgress(tt.params...))
				c := connectStream(t, rwc, &mcp.Options{Trace: j.trace()})
				var got []float64
				res, err := c.Do(t.Context(), &mcp.ToolCall{Name: "any", Progress: func(p mcp.Progress) { got = append(got, p.Progress) }})
				if err != nil || res.Text() != "done" {
					t.Errorf("%+v, %v", res, err)
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("reports are %v, want %v", got, tt.want)
				}
				reasons := j.all()
				if len(reasons) != len(tt.dropped) {
					t.Fatalf("dropped for %v, want %q", reasons, tt.dropped)
				}
				for i, text := range tt.dropped {
					if !strings.Contains(reasons[i].Error(), text) {
						t.Errorf("dropped for %v, want %q", reasons[i], text)
					}
				}
			})
		})
	}
}

func TestProgressAfterResponseIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j dropLog
		_, rwc := newPeer(t, modern, func(p *peer, m request) {
			p.answer(m, done)
			p.notify("notifications/progress", `{"progressToken":`+m.token()+`,"progress":1}`)
		})
		c := connectStream(t, rwc, &mcp.Options{Trace: j.trace()})
		called := false
		_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "any", Progress: func(mcp.Progress) { called = true }})
		synctest.Wait()
		if err != nil {
			t.Error(err)
		}
		// The client may read both before Do returns; then the report is in time.
		if !called && !j.contains("no pending call") {
			t.Error("the late report was neither delivered nor reported")
		}
	})
}

// TestProgressOfConcurrentCalls: calls without Progress have no token.
func TestProgressOfConcurrentCalls(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			o := onlyVersion(version)
			c := connect(t, testserver.New(&o), nil)
			results := make(chan []string)
			for i := range 10 {
				go func() { // ends when the call returns
					var got []string
					_, err := c.Do(t.Context(), &mcp.ToolCall{
						Name:      "slow",
						Arguments: map[string]any{"steps": i + 1},
						Progress:  func(p mcp.Progress) { got = append(got, p.Message) },
					})
					if err != nil {
						t.Error(err)
					}
					results <- got
				}()
			}
			for range 10 {
				got := <-results
				for i, message := range got {
					if want := fmt.Sprintf("step %d of %d", i+1, len(got)); message != want {
						t.Errorf("report %d is %q, want %q", i, message, want)
					}
				}
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, legacy, sendProgress())
		if _, err := connectStream(t, rwc, nil).CallTool(t.Context(), "any", nil); err != nil {
			t.Error(err)
		}
		if m := p.messages("tools/call")[0]; m.token() != "" {
			t.Errorf("sent %s, want no token", m.line)
		}
	})
}

// TestProgressFunctionBlocks: it delays only its own call, within its timeout.
func TestProgressFunctionBlocks(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			o := onlyVersion(version)
			c := connect(t, testserver.New(&o), nil)
			release := make(chan struct{})
			slow := make(chan error, 1)
			go func() { // ends when the call returns
				_, err := c.Do(t.Context(), &mcp.ToolCall{
					Name:      "slow",
					Arguments: map[string]any{"seconds": 1, "steps": 2},
					Progress:  func(mcp.Progress) { <-release },
				})
				slow <- err
			}()
			time.Sleep(2 * time.Second)
			if _, err := c.CallTool(t.Context(), "add", map[string]any{"a": 1, "b": 2}); err != nil {
				t.Error(err)
			}
			select {
			case err := <-slow:
				t.Errorf("Do returned %v before its function did", err)
			default:
			}
			close(release)
			if err := <-slow; err != nil {
				t.Error(err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, testserver.New(nil), nil)
		release := make(chan struct{})
		defer close(release)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		wantDuration(t, 5*time.Second, func() {
			_, _ = c.Do(ctx, &mcp.ToolCall{Name: "slow", Progress: func(mcp.Progress) { <-release }})
		})
	})
}

// TestProgressFlood: the client drops reports that exceed the queue, and delivers
// the queued ones before Do returns.
func TestProgressFlood(t *testing.T) {
	const n = 1000
	synctest.Test(t, func(t *testing.T) {
		var params []string
		for i := range n {
			params = append(params, fmt.Sprintf(`{"progressToken":$token,"progress":%d}`, i))
		}
		var j dropLog
		_, rwc := newPeer(t, modern, sendProgress(params...))
		c := connectStream(t, rwc, &mcp.Options{Trace: j.trace()})
		var got []float64
		release := time.After(time.Second) // after the last report
		_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "any", Progress: func(p mcp.Progress) {
			if len(got) == 0 {
				<-release
			}
			got = append(got, p.Progress)
		}})
		floods := 0
		for _, err := range j.all() {
			if errors.Is(err, mcp.ErrOverloaded) {
				floods++
			}
		}
		if err != nil || len(got) < 100 || len(got)+floods != n || !slices.IsSorted(got) {
			t.Errorf("%d delivered and %d dropped of %d, %v", len(got), floods, n, err)
		}
	})
}

func TestTimeouts(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options mcp.Options
		call    mcp.ToolCall
		want    time.Duration
		says    string
	}{
		{"by default", mcp.Options{}, mcp.ToolCall{}, time.Minute, "no response within 1m0s"},
		{"of the client", mcp.Options{Timeout: 7 * time.Second}, mcp.ToolCall{}, 7 * time.Second, "no response within 7s"},
		{"of the call", mcp.Options{Timeout: 7 * time.Second}, mcp.ToolCall{Timeout: 2 * time.Minute}, 2 * time.Minute, "2m0s"},
		{"none", mcp.Options{Timeout: -1}, mcp.ToolCall{}, time.Hour, "1h0m0s"},
		{"none for the call", mcp.Options{}, mcp.ToolCall{Timeout: -1}, time.Hour, "1h0m0s"},
		{"in total", mcp.Options{Timeout: -1, MaxTimeout: time.Second}, mcp.ToolCall{}, time.Second, "1s"},
		{"more than in all", mcp.Options{MaxTimeout: time.Second}, mcp.ToolCall{Timeout: time.Minute}, time.Second, "1s"},
		{"without progress", mcp.Options{}, mcp.ToolCall{Progress: func(mcp.Progress) {}}, time.Minute, "no response within 1m0s"},
		{"none, without progress", mcp.Options{Timeout: -1}, mcp.ToolCall{Progress: func(mcp.Progress) {}}, time.Hour, "in total"},
	} {
		for _, version := range eras {
			t.Run(tt.name+"/"+version, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := testserver.New(&testserver.Options{Fault: "never-answers", ProtocolVersions: []string{version}})
					c := connect(t, s, &tt.options)
					call := tt.call
					call.Name, call.Arguments = "echo", map[string]any{"message": "x"}
					wantDuration(t, tt.want, func() {
						_, err := c.Do(t.Context(), &call)
						wantError(t, err, context.DeadlineExceeded, `tools/call "echo"`, tt.says)
						var timeout interface{ Timeout() bool }
						if !errors.As(err, &timeout) || !timeout.Timeout() {
							t.Errorf("package net does not see %v as a timeout", err)
						}
						wantNoCode(t, err)
					})
					if err := c.Ping(t.Context()); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

func TestNegativeTimeoutMeansNoLimit(t *testing.T) {
	for _, progress := range []func(mcp.Progress){nil, func(mcp.Progress) {}} {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, testserver.New(&testserver.Options{Fault: "never-answers"}), &mcp.Options{Timeout: -1, MaxTimeout: -1})
			ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Hour)
			defer cancel()
			wantDuration(t, 1000*time.Hour, func() {
				_, err := c.Do(ctx, &mcp.ToolCall{Name: "echo", Arguments: map[string]any{"message": ""}, Progress: progress})
				wantError(t, err, context.DeadlineExceeded)
			})
		})
	}
}

func TestProgressRestartsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, testserver.New(nil), &mcp.Options{Timeout: 10 * time.Second})
		call := &mcp.ToolCall{Name: "slow", Arguments: map[string]any{"seconds": 60, "steps": 10}}
		wantDuration(t, 10*time.Second, func() {
			_, err := c.Do(t.Context(), call) // without progress, as the call has no token
			wantError(t, err, context.DeadlineExceeded)
		})
		call.Progress = func(mcp.Progress) {}
		wantDuration(t, time.Minute, func() {
			if _, err := c.Do(t.Context(), call); err != nil {
				t.Error(err)
			}
		})
	})
}

func TestMaxTimeoutDespiteProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New(&testserver.Options{Fault: "endless-progress", Delay: time.Second})
		c := connect(t, s, &mcp.Options{Timeout: 5 * time.Second, MaxTimeout: 32 * time.Second})
		n := 0
		wantDuration(t, 32*time.Second, func() {
			_, err := c.Do(t.Context(), &mcp.ToolCall{
				Name: "echo", Arguments: map[string]any{"message": "x"}, Progress: func(mcp.Progress) { n++ },
			})
			wantError(t, err, context.DeadlineExceeded, "32s in total, despite progress")
		})
		if n < 30 {
			t.Errorf("%d reports", n)
		}
	})
}

// TestInvalidProgressDoesNotRestartTimeout: reports that do not increase, and those
// of other calls.
func TestInvalidProgressDoesNotRestartTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, rwc := newPeer(t, modern, func(p *peer, m request) {
			if m.Method != "tools/call" {
				return
			}
			for range 20 {
				p.notify("notifications/progress", `{"progressToken":`+m.token()+`,"progress":1}`)
				p.notify("notifications/progress", `{"progressToken":77,"progress":1}`)
				time.Sleep(time.Second)
			}
		})
		c := connectStream(t, rwc, &mcp.Options{Timeout: 5 * time.Second})
		wantDuration(t, 5*time.Second, func() {
			_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "any", Progress: func(mcp.Progress) {}})
			wantError(t, err, context.DeadlineExceeded)
		})
	})
}

// TestCancelNotification: the client cancels an abandoned call in the way of each
// era, with the id of the call, and drops a late response.
func TestCancelNotification(t *testing.T) {
	cause := errors.New("the user pressed escape")
	for _, version := range eras {
		for _, tt := range []struct {
			name   string
			is     error
			giveUp func(*testing.T) (context.Context, context.CancelFunc)
		}{
			{"cancelled with a cause", cause, func(t *testing.T) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(cause) })
				return ctx, func() { cancel(nil) }
			}},
			{"the caller's deadline", context.DeadlineExceeded, func(t *testing.T) (context.Context, context.CancelFunc) {
				return context.WithTimeout(t.Context(), time.Second)
			}},
			{"the caller's deadline with a cause", cause, func(t *testing.T) (context.Context, context.CancelFunc) {
				return context.WithTimeoutCause(t.Context(), time.Second, cause)
			}},
		} {
			t.Run(tt.name+"/"+version, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var j dropLog
					var calls []request
					p, rwc := newPeer(t, version, func(p *peer, m request) {
						if m.Method == "tools/call" {
							calls = append(calls, m)
						}
						if m.Method == "notifications/cancelled" {
							time.Sleep(time.Millisecond)
							for _, m := range calls { // too late
								p.answer(m, done)
							}
						}
					})
					c := connectStream(t, rwc, &mcp.Options{Trace: j.trace()})
					other := make(chan error, 1)
					go func() { // ends when the call returns
						_, err := c.CallTool(t.Context(), "other", nil)
						other <- err
					}()
					synctest.Wait()
					ctx, cancel := tt.giveUp(t)
					defer cancel()
					wantDuration(t, time.Second, func() {
						_, err := c.Do(ctx, &mcp.ToolCall{Name: "any", Progress: func(mcp.Progress) {}})
						wantError(t, err, tt.is, `tools/call "any"`)
					})
					if err := <-other; err != nil {
						t.Error(err)
					}
					synctest.Wait()
					notices := p.messages("notifications/cancelled")
					if len(notices) != 1 || string(notices[0].Params.RequestID) != string(calls[1].ID) {
						t.Errorf("notices are %+v, want one for the id %s", notices, calls[1].ID)
					}
					if !j.matches(jsonrpc.ErrUnknownID) || len(j.all()) != 1 {
						t.Errorf("dropped %v, want the late answer", j.all())
					}
				})
			})
		}
	}
}

func TestCallWithCanceledContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New(nil)
		c := connect(t, s, nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := c.CallTool(ctx, "add", nil)
		wantError(t, err, context.Canceled, `tools/call "add"`)
		wantError(t, c.Notify(ctx, "notifications/x", nil), context.Canceled, "notifications/x")
		synctest.Wait()
		if got := receivedMethods(s); len(got) != 1 {
			t.Errorf("sent %q, want the probe only", got)
		}
	})
}
