package testserver

import "sync"

const (
	// maxAhead is how many messages the engine may be ahead of a stream.
	maxAhead = 256

	// maxKept is how many are kept for a stream that nobody reads.
	maxKept = 10_000
)

// An item is a message on its way to the client.
type item struct {
	msg    []byte
	struck *exchange // the request that it answers, when the fault strikes that
}

// An outbox holds the messages of one stream until they are sent and, if the
// stream can be resumed, after that.
type outbox struct {
	name string // begins the ids of events; empty for a stream that can't be resumed

	mu      sync.Mutex // guards what follows
	items   []item
	first   int           // the number of items[0], which begins with 0
	sent    int           // the number of the next to be sent
	reader  int           // numbers those that have read it; the last one may
	reading bool          // there is one now
	ended   bool          // no message comes any more
	dropped bool          // no message is wanted any more
	changed chan struct{} // closed at each change
}

func newOutbox(name string) *outbox { return &outbox{name: name, changed: make(chan struct{})} }

// change wakes whoever waits. The caller holds mu.
func (o *outbox) change() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// put adds a message. It waits for a reader that is slow.
func (o *outbox) put(it item) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.reading && !o.ended && !o.dropped && o.first+len(o.items)-o.sent >= maxAhead {
		changed := o.changed
		o.mu.Unlock()
		<-changed
		o.mu.Lock()
	}
	if o.ended || o.dropped {
		return
	}
	if len(o.items) == maxKept {
		o.items[0] = item{}
		o.items = o.items[1:]
		o.first++
	}
	o.items = append(o.items, it)
	o.change()
}

// end says that the last message has been put.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.change()
}

// drop says that nobody wants the messages any more.
func (o *outbox) drop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dropped, o.items = true, nil
	o.change()
}

// attach makes the caller the reader, from a message on.
func (o *outbox) attach(from int) (reader int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reader++
	o.reading, o.sent = true, from
	o.change()
	return o.reader
}

// detach ends the reading, unless somebody else reads.
func (o *outbox) detach(reader int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reader == reader {
		o.reading = false
		o.change()
	}
}

// next returns the next message for a reader and its number. Without one it
// returns a channel that is closed when there may be one, or nil when none
// comes any more for this reader.
func (o *outbox) next(reader int) (it item, n int, changed <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dropped || o.reader != reader {
		return it, 0, nil
	}
	n = max(o.sent, o.first)
	if i := n - o.first; i < len(o.items) {
		it = o.items[i]
		o.sent = n + 1
		if o.name == "" {
			o.items[i] = item{}
			o.items = o.items[i+1:]
			o.first = o.sent
		}
		if o.first+len(o.items)-o.sent == maxAhead-1 {
			o.change()
		}
		return it, n, nil
	}
	if o.ended {
		return it, 0, nil
	}
	return it, 0, o.changed
}

// peek returns the messages that wait, and whether they are all.
func (o *outbox) peek() (items []item, ended bool, changed <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.items, o.ended || o.dropped, o.changed
}

// state returns the numbers of the first message that is kept, of the next to
// come and of the next to be sent.
func (o *outbox) state() (first, next, sent int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.first, o.first + len(o.items), o.sent
}
