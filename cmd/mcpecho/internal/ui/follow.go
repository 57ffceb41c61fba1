package ui

import (
	"context"
	"errors"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

const (
	maxURI     = 8 << 10                // bytes of the URI of a followed resource
	updateWait = 300 * time.Millisecond // between updates, as the page reads the resource at each
)

// A followed resource is one whose updates the page shows.
type followed struct {
	URI     string  // empty means none
	Active  bool    // the server has accepted the subscription
	Updates int     // those that come within updateWait count as one
	At      float64 // of the latest
	Problem string  // why there are no updates
}

// chooseFollowed follows a resource in place of the earlier one. An empty URI means
// none.
func (b *Bench) chooseFollowed(uri string) error {
	if len(uri) > maxURI {
		return errors.New("a URI may be up to 8 KiB")
	}
	b.update(partFollowed, func() { b.followed = followed{URI: uri} })
	select {
	case b.refollow <- struct{}{}:
	default: // has been asked for
	}
	return nil
}

// follow subscribes to the chosen resource of a connection, and to the next one that the
// user chooses, until ctx ends.
func (b *Bench) follow(ctx context.Context, client *mcp.Client) {
	for ctx.Err() == nil {
		b.mu.Lock()
		uri := b.followed.URI
		b.mu.Unlock()
		chosen, cancel := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() { // ends with chosen
			defer close(ended)
			if uri != "" {
				b.updates(chosen, client, uri)
			}
		}()
		select {
		case <-b.refollow:
		case <-ctx.Done():
		}
		cancel()
		<-ended
	}
}

// updates counts the updates of a resource until ctx ends.
func (b *Bench) updates(ctx context.Context, client *mcp.Client, uri string) {
	sub, err := client.Subscribe(ctx, &mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}})
	if err == nil {
		defer sub.Close()
		b.updateFollowed(uri, func(f *followed) { f.Active, f.Problem = true, "" })
		for err == nil {
			if _, err = sub.Next(ctx); err == nil {
				b.updateFollowed(uri, func(f *followed) { f.Updates++; f.At = now() })
				select {
				case <-ctx.Done():
				case <-time.After(updateWait):
				}
			}
		}
	}
	problem := ""
	if ctx.Err() == nil {
		problem = b.config.Explain(err)
	}
	b.updateFollowed(uri, func(f *followed) { f.Active, f.Problem = false, problem })
}

// updateFollowed changes the followed resource, unless the user has chosen another one.
func (b *Bench) updateFollowed(uri string, f func(*followed)) {
	b.update(partFollowed, func() {
		if b.followed.URI == uri {
			f(&b.followed)
		}
	})
}
