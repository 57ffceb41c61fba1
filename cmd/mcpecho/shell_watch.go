package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// watch prints changes of resources from now on, and does not wait for them.
func (sh *shell) watch(ctx context.Context, c *invocation) error {
	return sh.with(ctx, func(s *conversation) error {
		sh.asJSON.Store(c.flags.JSON)
		logs := c.enableLogs(ctx, s)
		if len(c.args) == 0 {
			if !logs {
				c.note(s, "Changes of lists are printed anyway. Add a URI to watch a resource.")
			}
			return nil
		}
		if err := checkSubscribable(s); err != nil {
			return err
		}
		sub, err := s.Subscribe(ctx, &mcp.SubscriptionFilter{ResourceSubscriptions: c.args})
		if errors.Is(err, mcp.ErrNoChanges) {
			return &failure.Error{Status: failure.Refused, Kind: "not_found", Message: "the server will not report changes of " + strings.Join(c.args, ", ")}
		}
		if err != nil {
			return err
		}
		sh.mu.Lock()
		sh.watched = append(sh.watched, sub)
		sh.mu.Unlock()
		go sh.follow(sub) // ends with the subscription
		for _, uri := range c.args {
			if agreed := sub.Honored().ResourceSubscriptions; s.Server().Modern() && !hasWord(agreed, uri) {
				c.note(s, "The server will not report changes of "+uri+".")
			} else if sh.editor != nil {
				c.note(s, "Watching "+uri+`. "unwatch" ends that.`)
			}
		}
		return nil
	})
}

func (sh *shell) unwatch() {
	sh.mu.Lock()
	watched := sh.watched
	sh.watched = nil
	sh.asJSON.Store(sh.c.flags.JSON)
	sh.mu.Unlock()
	for _, sub := range watched {
		sub.Close()
	}
}

// defaultWait is how long wait waits.
const defaultWait = 10 * time.Second

// wait waits for a notification after the command before it began.
func (sh *shell) wait(ctx context.Context, c *invocation, args []string, before int) error {
	d := defaultWait
	if len(args) > 1 {
		return c.usageHint("too many arguments: wait does not accept "+wire.Quote(args[1]), "usage: wait [TIME]")
	}
	if len(args) == 1 {
		var err error
		if d, err = flags.ParseWait(args[0]); err != nil {
			return c.usageHint("wait: "+err.Error(), "usage: wait [TIME]")
		}
	}
	limit := make(<-chan time.Time)
	if d > 0 {
		limit = time.After(d)
	}
	for {
		total, more := sh.notices.Seen()
		if total > before {
			return nil
		}
		select {
		case <-more:
		case <-limit:
			return &failure.Error{Status: failure.Unreachable, Kind: "timeout", Message: "no notification within " + d.String()}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
