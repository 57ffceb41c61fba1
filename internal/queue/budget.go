package queue

import (
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/buffers"
)

// A Budget limits the bytes that the queues and tables of one connection hold
// together: as many as a message may have. The zero Budget permits 64 MiB. Its
// methods may be used concurrently; a nil Budget has no limit.
type Budget struct{ max, used atomic.Int64 }

// itemCost is what an item costs beside its text.
const itemCost = 128

// Max returns the limit in bytes.
func (b *Budget) Max() int { return buffers.MessageLimit(int(b.max.Load())) }

// SetMax sets the limit in bytes.
func (b *Budget) SetMax(n int) { b.max.Store(int64(n)) }

// Take takes what an item of n bytes costs, and reports whether the budget
// permits it.
func (b *Budget) Take(n int) bool {
	if b == nil {
		return true
	}
	cost := int64(n) + itemCost
	if b.used.Add(cost) > int64(b.Max()) {
		b.used.Add(-cost)
		return false
	}
	return true
}

// Return returns what Take has taken for an item of n bytes.
func (b *Budget) Return(n int) {
	if b != nil {
		b.used.Add(-int64(n) - itemCost)
	}
}
