package host_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
)

func TestCalledReportsEachCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		var reports []*host.CallReport
		h := fakes{"x": newFake(nil)}.start(t, host.Options{
			Approve: func(_ context.Context, c *host.Call) (host.Decision, error) {
				asked = append(asked, c.ID)
				time.Sleep(time.Minute) // the user is thinking
				if c.Tool == "fail" {
					return host.Deny, nil
				}
				return host.Allow, nil
			},
			Called: func(_ context.Context, r *host.CallReport) { reports = append(reports, r) },
		})
		began := time.Now()
		h.Execute(t.Context(), "mcp__x__slow", raw(`{"seconds":2,"steps":1}`))
		h.Execute(t.Context(), "mcp__x__fail", nil)
		for _, tool := range h.ResourceTools() {
			if tool.Name() == "ListMcpResources" {
				tool.Execute(t.Context(), nil)
			}
		}
		if len(reports) != 3 || len(asked) < 3 {
			t.Fatalf("%d reports, asked for %q", len(reports), asked)
		}
		for i, r := range reports {
			if r.ID != asked[i] || i > 0 && r.ID == reports[0].ID {
				t.Errorf("call %d has the ID %q, approval was for %q", i, r.ID, asked[i])
			}
		}
		slow, refused, local := reports[0], reports[1], reports[2]
		if slow.Server != "x" || slow.Tool != "slow" || slow.Name != "mcp__x__slow" || string(slow.Arguments) != `{"seconds":2,"steps":1}` || slow.Err != nil || slow.Result == nil {
			t.Errorf("%+v", slow)
		}
		if !slow.Time.Equal(began) || slow.ResponseTime != 2*time.Second || slow.Duration != time.Minute+2*time.Second || slow.Requests != 1 {
			t.Errorf("began %v, took %v of %v, %d requests", slow.Time, slow.ResponseTime, slow.Duration, slow.Requests)
		}
		if !errors.Is(refused.Err, host.ErrDenied) || refused.Requests != 0 || refused.ResponseTime != 0 || refused.Result != nil {
			t.Errorf("%+v", refused)
		}
		if local.Server != "" || local.Name != "ListMcpResources" {
			t.Errorf("%+v", local)
		}
		if s, _ := h.ServerStatus("x"); s.Metrics.ResponseTime != 2*time.Second || s.Metrics.Calls != 1 || s.Metrics.Failures != 0 { // the server has nothing to do with the refusal
			t.Errorf("%+v", s.Metrics)
		}
	})
}

// A program keeps an audit log of all calls.
func Example_audit() {
	ctx := context.Background()
	servers := fakes{"sqlite": newFake(nil)}
	h := host.New(servers.with(host.Options{
		Approve: host.Rules(host.Rule{Tool: "mcp__sqlite__*", Action: host.Allow}),
		Called: func(_ context.Context, r *host.CallReport) {
			fmt.Println(r.ID, r.Server, r.Tool, string(r.Arguments), r.ResponseTime < time.Minute, r.Err)
		},
	}))
	defer h.Shutdown(ctx)
	h.SetServers(ctx, servers.servers())

	h.Execute(ctx, "mcp__sqlite__echo", mcp.RawMessage(`{"message":"hi"}`)) // Called prints the error
	// Output:
	// 1 sqlite echo {"message":"hi"} true <nil>
}
