package eventstream

import (
	"bytes"
	"io"

	"github.com/stdmcp/stdmcp/internal/buffers"
)

const (
	// smallBuffer is the size of the buffer that an idle stream holds.
	smallBuffer = 2 << 10

	// maxRead is the limit of one read. It bounds what has to be moved when an
	// event ends in the middle of a large buffer.
	maxRead = 256 << 10
)

// A window is the buffered part of a stream: the data of the current event,
// collected at the front, followed by bytes that have not been parsed.
type window struct {
	r   io.Reader
	max int // longest line, with the data that precedes it

	small            []byte // smallBuffer bytes
	buf              []byte // small or a big buffer
	dataFrom, dataTo int    // buf[dataFrom:dataTo] is the event's data; both 0 when there is none
	from, to         int    // buf[from:to] has been read and not parsed
	searched         int    // the first bytes of that hold no line end
	readErr          error  // the error of r, which follows what is in buf
}

// lineEnd returns the index of the next CR or LF. It searches block by block:
// in a stream that uses only one of them, the search for the other stays short.
func (w *window) lineEnd() (int, bool) {
	const block = 1 << 10
	for at := w.from + w.searched; at < w.to; at += block {
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
	w.searched = w.to - w.from
	return 0, false
}

// fits reports whether a line of n bytes may follow the data of the event.
func (w *window) fits(n int) bool { return w.dataTo-w.dataFrom+n <= w.max }

// more reads from the stream, as the buffer holds no complete line.
func (w *window) more() error {
	if !w.fits(w.searched) {
		return tooLarge("a line or event", w.max)
	}
	if w.readErr != nil {
		return w.readErr
	}
	w.makeRoom()
	n, err := buffers.Read(w.r, w.buf[w.to:min(len(w.buf), w.to+maxRead)])
	w.to += n
	w.readErr = err
	return nil
}

// makeRoom makes room at the end of buf: it moves the contents to the front if
// that frees half of the buffer, and otherwise to a larger buffer.
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
	// Half of the buffer becomes free if possible. Otherwise each of many short
	// lines would move a long event.
	if most := w.max + maxRead; held > len(old)/2 && len(old) < most {
		w.buf = buffers.Get(len(old), 0, most)
	}
	w.moveFrom(old)
}

// moveFrom moves the contents of old to the front of buf.
func (w *window) moveFrom(old []byte) {
	n := copy(w.buf, old[w.dataFrom:w.dataTo])
	m := copy(w.buf[n:], old[w.from:w.to])
	w.dataFrom, w.dataTo, w.from, w.to = 0, n, n, n+m
	if len(old) != len(w.buf) {
		buffers.Put(old)
	}
}

// shrink returns to the small buffer after an event, if the rest fits there.
func (w *window) shrink() {
	if len(w.buf) == smallBuffer || w.to-w.from >= smallBuffer {
		return
	}
	old := w.buf
	w.buf = w.small
	w.moveFrom(old)
}
