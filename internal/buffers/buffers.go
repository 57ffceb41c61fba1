// Package buffers has the pool of the buffers for long messages. Connections share
// it because few of them at a time are in the middle of a long message. It also has
// the default limit of a message.
package buffers

import (
	"io"
	"math"
	"sync"
)

const (
	// MaxMessage is the default limit of the length of a message, in bytes.
	MaxMessage = 64 << 20

	// Min is the size of the smallest buffer in the pool: what a pipe of Linux
	// transfers at once.
	Min = 64 << 10

	// maxPooled is the size of the largest buffer in the pool.
	maxPooled = 8 << 20
)

// pool holds *[]byte. A sync.Pool keeps one item of each processor from the others,
// so each Put adds a filler, which takes that place: a goroutine that has moved to
// another processor finds its buffer. The garbage collector frees what is not in use.
var (
	pool   sync.Pool
	filler = new([]byte)
)

// Get returns a buffer that is longer than size, which is less than max: hint bytes
// if that is enough, else twice size, or max. Apart from the hint, no buffer but the
// last is longer than half of max, because both are held while one is copied into
// the other.
func Get(size, hint, max int) []byte {
	for b := taken(); b != nil; b = taken() {
		if size < len(*b) && len(*b) <= max {
			return *b
		}
	}
	n := 2 * size
	if n < Min {
		n = Min
	}
	if hint > size {
		n = hint
	}
	if n > max/2 {
		n = max
	}
	return make([]byte, n)
}

// taken returns a buffer or a filler, or nil if the pool has none.
func taken() *[]byte {
	b, _ := pool.Get().(*[]byte)
	return b
}

// Grow returns p with room for n more bytes. If it becomes large it moves to a buffer
// from the pool, or one of twice the size, so that it does not move each time.
func Grow(p []byte, n int) []byte {
	size := len(p) + n
	if size <= cap(p) || size < Min {
		return p
	}
	return append(Get(size, max(size+1, 2*cap(p)), math.MaxInt)[:0], p...)
}

// Put returns a buffer to the pool, unless it is shorter than Min or too long.
func Put(b []byte) {
	if Min <= len(b) && len(b) <= maxPooled {
		pool.Put(filler)
		pool.Put(&b)
	}
}

// Read reads from r until there are data or an error. It returns
// io.ErrNoProgress if r returns neither many times.
func Read(r io.Reader, b []byte) (int, error) {
	for range 100 {
		if n, err := r.Read(b); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// MessageLimit returns the limit of the length of messages for a setting of max bytes:
// MaxMessage if that is not positive.
func MessageLimit(max int) int {
	if max <= 0 {
		return MaxMessage
	}
	return max
}

// ReadUpTo reads r to its end, but max bytes at most. It is
// io.ReadAll(io.LimitReader(r, max)), which is four times as long.
func ReadUpTo(r io.Reader, max int) ([]byte, error) {
	b, n := make([]byte, 0, 4<<10), 0
	var err error
	for err == nil && len(b) < max {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err = r.Read(b[len(b):min(cap(b), max)])
		b = b[:len(b)+n]
	}
	if err == io.EOF {
		err = nil
	}
	return b, err
}
