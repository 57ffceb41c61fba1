package host_test

import (
	"context"
	"fmt"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
)

// An interceptor measures each call and gives it a request ID, which the server
// receives in _meta. The host measures the average: see Metrics.
func Example_measureCalls() {
	type requestID struct{}
	ctx := context.Background()
	servers := fakes{"sqlite": newFake(nil)}
	h := host.New(servers.with(host.Options{Client: &mcp.Options{
		Interceptors: []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			id, ok := ctx.Value(requestID{}).(string)
			if !ok {
				return call.Send(ctx) // a request of the host's own
			}
			call.SetMeta("example.com/request-id", id)
			began := time.Now()
			result, err := call.Send(ctx)
			fmt.Println(id, call.Server, call.Name, time.Since(began) < time.Minute, err)
			return result, err
		}},
	}}))
	defer h.Shutdown(ctx)
	h.SetServers(ctx, servers.servers())

	text, err := h.Execute(context.WithValue(ctx, requestID{}, "request-7"), "mcp__sqlite__echo", mcp.RawMessage(`{"message":"hi"}`))
	fmt.Println(text, err)
	// Output:
	// request-7 sqlite echo true <nil>
	// hi <nil>
}
