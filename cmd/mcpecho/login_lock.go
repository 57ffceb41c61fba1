package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

const (
	lockDelay   = 500 * time.Millisecond // after which the user learns why nothing happens
	maxLockTime = 6 * time.Minute        // a login in a browser takes at most five
)

// A patientStore is the file of tokens. If another mcpecho logs in to the same server, it
// says that it waits for it, and does not wait forever.
type patientStore struct {
	*oauth.File
	c           *invocation
	delay, most time.Duration
	found       atomic.Bool // whether Load has returned an entry of the server
}

// Load is like that of the file.
func (f *patientStore) Load(ctx context.Context, key oauth.StoreKey) ([]byte, error) {
	data, err := f.File.Load(ctx, key)
	if data != nil && key.Resource != "" {
		f.found.Store(true)
	}
	return data, err
}

// Lock is like that of the file.
func (f *patientStore) Lock(ctx context.Context, key oauth.StoreKey) (func(), error) {
	name := f.c.targetName()
	late := time.AfterFunc(f.delay, func() {
		f.c.console().Line("Waiting for another mcpecho that is logging in to " + name + ". Ctrl-C ends this.")
	})
	defer late.Stop()
	waiting, cancel := context.WithTimeoutCause(ctx, f.most, &failure.Error{
		Status: failure.Unreachable, Kind: "timeout", Message: "another mcpecho has not ended its login to " + name + " within " + f.most.String(),
		Hint: "end it, and try again",
	})
	defer cancel()
	unlock, err := f.File.Lock(waiting, key)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		err = context.Cause(waiting)
	}
	return unlock, err
}
