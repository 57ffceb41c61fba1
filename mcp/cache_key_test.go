package mcp_test

import (
	"context"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// userKey is the context key of the user of a call.
type userKey struct{}

// Calls of several users share a client, and each has a token of its own: what the server
// answered one of them is not what it answers another.
func TestCacheIsKeptApartByCredential(t *testing.T) {
	o := onlyVersion(modern)
	server := testserver.New(&o)
	c := connect(t, server, &mcp.Options{Cache: mcp.CacheSize(0), CacheKey: func(ctx context.Context) string {
		user, _ := ctx.Value(userKey{}).(string)
		return user
	}})
	for i, want := range []struct {
		user string
		read int
	}{{"ann", 1}, {"bob", 2}, {"ann", 2}, {"", 3}, {"bob", 3}} {
		ctx := context.WithValue(t.Context(), userKey{}, want.user)
		if _, err := c.ReadResource(ctx, "echo://text"); err != nil || countRequests(server, "resources/read") != want.read {
			t.Errorf("%d, %s: %d requests, want %d; %v", i, want.user, countRequests(server, "resources/read"), want.read, err)
		}
	}
}
