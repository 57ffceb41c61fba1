package oauth

import (
	"context"
	"fmt"
	"testing"
)

// noScreen is an Authorizer of a program that finds out that it has no browser.
type noScreen struct{ *Loopback }

func (noScreen) Listen(context.Context, string) (Receiver, error) {
	return nil, fmt.Errorf("no screen: %w", ErrNoBrowser)
}

// TestErrNoBrowserOfAProgram: the error leads to the user like any other if there is no
// device authorization.
func TestErrNoBrowserOfAProgram(t *testing.T) {
	e := newEnv(t)
	e.mustFail(e.transport(func(o *Options) { o.Authorizer = noScreen{&Loopback{}} }), ErrNoBrowser.Error())
}
