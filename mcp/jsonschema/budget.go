package jsonschema

import (
	"context"
	"fmt"

	"github.com/stdmcp/stdmcp/internal/retry"
)

// Work is counted in bytes: those that are compared, hashed or resolved, and for
// everything else as many as take about as long.
const (
	// maxSteps limits compiling a schema, and validating a value. It is one to two
	// seconds.
	maxSteps = 4_000_000

	// perStep is what it costs to compile a schema, or to apply one to a value.
	perStep = 64

	// perPart is what it costs to look at a member, an item or a name.
	perPart = 16

	// perSearch is what it costs to find a member by its name.
	perSearch = 48

	// perLook is the work between two looks at the context: below a millisecond.
	perLook = 64 << 10
)

// A budget limits the work for one schema or one value.
type budget struct {
	doing string
	ctx   context.Context // of the one call
	left  int             // in bytes
	look  int             // what is left when the context is looked at again
	err   error           // why the work stopped, if it did
}

func newBudget(ctx context.Context, doing string) budget {
	return budget{doing: doing, ctx: ctx, left: maxSteps * perStep, look: maxSteps * perStep}
}

// spend takes bytes from the budget. It reports whether the work may go on, which
// it may not if there are none left or the context has ended.
func (b *budget) spend(n int) bool {
	if b.left -= n; b.left < b.look {
		b.look = b.left - perLook
		if b.left < 0 {
			b.stop(fmt.Errorf("%s takes too many steps: more than %d", b.doing, maxSteps))
		}
		b.seeContext()
	}
	return b.err == nil
}

// seeContext stops the work if the context has ended.
func (b *budget) seeContext() {
	if b.err == nil && b.ctx.Err() != nil {
		b.stop(fmt.Errorf("%s stopped: %w", b.doing, retry.Cause(b.ctx)))
	}
}

// stop ends the work with an error, unless it has ended before.
func (b *budget) stop(err error) {
	if b.err == nil {
		b.err = err
	}
}
