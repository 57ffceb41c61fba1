package sse

import (
	"bytes"
	"io"
	"sync"
)

const (
	// smallBuffer is what an idle stream holds.
	smallBuffer = 2 << 10

	// bigBuffer is the least that an event is read into which doesn't fit there.
	bigBuffer = 64 << 10

	// maxPooled is the largest buffer that is kept for other events.
	maxPooled = 8 << 20

	// maxRead is how much is read at once, so that little of a buffer is read
	// in vain when an event in it is over.
	maxRead = 256 << 10
)

// bigBuffers holds buffers that long events were read into, as *[]byte. They
// are shared because few streams at a time are in the middle of a long event.
var bigBuffers sync.Pool

// A window is the part of a stream that is being looked at: the data of an
// event, gathered at its front, and behind that what was not looked at yet.
type window struct {
	r   io.Reader
	max int // longest line, with the data that precedes it

	small            []byte // smallBuffer bytes
	buf              []byte // small or a big one
	dataFrom, dataTo int    // data of the event; both 0 when there is none
	from, to         int    // buf[from:to] has been read and not looked at
	seen             int    // so many bytes from there on hold no line end
	readErr          error  // what the stream returned; follows what is in buf
}

// lineEnd returns the index of the next CR or LF. It looks block by block, so
// that a stream which uses only one of them isn't searched far for the other.
func (w *window) lineEnd() (int, bool) {
	const block = 1 << 10
	for at := w.from + w.seen; at < w.to; at += block {
		part := w.buf[at:min(at+block, w.to)]
		i := bytes.IndexByte(part, '\n')
		if i >= 0 {
			part = part[:i]
		}
		if j := bytes.IndexByte(part, '\r'); j >= 0 {
			i = j
		}
		if i >= 0 && w.fits(at+i-w.from) {
			return at + i, true
		}
		if i >= 0 {
			break
		}
	}
	w.seen = w.to - w.from
	return 0, false
}

// fits reports whether a line of n bytes may follow the data of the event.
func (w *window) fits(n int) bool { return w.dataTo-w.dataFrom+n <= w.max }

// more reads on in the middle of a line.
func (w *window) more() error {
	if !w.fits(w.seen) {
		return tooLarge("a line or event", w.max)
	}
	if w.readErr != nil {
		return w.readErr
	}
	w.makeRoom()
	for range 100 {
		n, err := w.r.Read(w.buf[w.to:min(len(w.buf), w.to+maxRead)])
		w.to += n
		w.readErr = err
		if n > 0 || err != nil {
			return nil
		}
	}
	return io.ErrNoProgress
}

// makeRoom sees to it that buf has room behind what it holds: at its end if
// there is some, else by dropping what isn't needed, else in a larger buffer.
func (w *window) makeRoom() {
	if w.buf == nil {
		w.small = make([]byte, smallBuffer)
		w.buf = w.small
	}
	if w.from == w.to && w.dataTo == 0 {
		w.from, w.to = 0, 0
	}
	if w.to < len(w.buf) {
		return
	}
	held := w.dataTo - w.dataFrom + w.to - w.from
	old := w.buf
	// If possible half of it becomes free, so that a long event isn't moved
	// for each of many short lines.
	if most := w.max + maxRead; held > len(old)/2 && len(old) < most {
		w.buf = getBuffer(len(old), most)
	}
	w.moveFrom(old)
}

// moveFrom moves what is held to the front of buf.
func (w *window) moveFrom(old []byte) {
	n := copy(w.buf, old[w.dataFrom:w.dataTo])
	m := copy(w.buf[n:], old[w.from:w.to])
	w.dataFrom, w.dataTo, w.from, w.to = 0, n, n, n+m
	if len(old) != len(w.buf) {
		putBuffer(old)
	}
}

// shrink goes back to the small buffer when an event is over and what is left
// fits there.
func (w *window) shrink() {
	if len(w.buf) == smallBuffer || w.to-w.from >= smallBuffer {
		return
	}
	old := w.buf
	w.buf = w.small
	w.moveFrom(old)
}

// getBuffer returns a buffer that is longer than size. It doubles, up to most.
// There are no two buffers of more than half of that: while one is copied into
// the other, both are held.
func getBuffer(size, most int) []byte {
	if b, _ := bigBuffers.Get().(*[]byte); b != nil && size < len(*b) && len(*b) <= most {
		return *b
	}
	next := max(bigBuffer, 2*size)
	if next > most/2 {
		next = most
	}
	return make([]byte, next)
}

func putBuffer(b []byte) {
	if bigBuffer <= len(b) && len(b) <= maxPooled {
		bigBuffers.Put(&b)
	}
}
