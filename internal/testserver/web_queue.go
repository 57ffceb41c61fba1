package testserver

import "github.com/stdmcp/stdmcp/internal/lock"

const (
	maxUnread  = 256    // messages that put adds before it waits for a slow reader
	maxMessage = 10_000 // messages kept for a stream without a reader
)

// An outgoing is a message on its way to the client.
type outgoing struct {
	msg    []byte
	answer *exchange // the request that it answers, if the fault affects that
}

// A messageQueue holds the messages of one stream until they are sent and, if
// the stream can be resumed, after that.
type messageQueue struct {
	name string // begins the ids of events; empty if the stream can't be resumed

	mu      lock.Mutex // guards what follows
	items   []outgoing
	first   int           // the number of items[0]; the first message is 0
	sent    int           // the number of the next message to be sent
	reader  int           // the number of the last reader, the only one that may read
	reading bool          // that reader is still attached
	ended   bool          // no more messages will be put
	dropped bool          // messages are discarded
	changed chan struct{} // closed at each change
}

func newQueue(name string) *messageQueue {
	return &messageQueue{name: name, changed: make(chan struct{})}
}

// update changes the queue and wakes everyone who waits for a change.
func (q *messageQueue) update(change func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	change()
	q.wakeLocked()
}

func (q *messageQueue) wakeLocked() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// put adds a message. It waits for a reader that is slow.
func (q *messageQueue) put(m outgoing) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.reading && !q.ended && !q.dropped && q.first+len(q.items)-q.sent >= maxUnread {
		changed := q.changed
		q.mu.Unlock()
		<-changed
		q.mu.Lock()
	}
	if q.ended || q.dropped {
		return
	}
	if len(q.items) == maxMessage {
		q.items[0] = outgoing{}
		q.items = q.items[1:]
		q.first++
	}
	q.items = append(q.items, m)
	q.wakeLocked()
}

// end means that the last message has been put.
func (q *messageQueue) end() { q.update(func() { q.ended = true }) }

// drop discards the messages, those to come included.
func (q *messageQueue) drop() { q.update(func() { q.dropped, q.items = true, nil }) }

// attach makes the caller the only reader, from message number from.
func (q *messageQueue) attach(from int) (reader int) {
	q.update(func() {
		q.reader++
		q.reading, q.sent = true, from
		reader = q.reader
	})
	return reader
}

// detach ends the reading, unless there is a newer reader.
func (q *messageQueue) detach(reader int) {
	q.update(func() { q.reading = q.reading && q.reader != reader })
}

// next returns the next message for a reader and its number. If there is none
// yet, it returns a channel that is closed at the next change; if there will be
// none for this reader, it returns no channel either.
func (q *messageQueue) next(reader int) (m outgoing, n int, changed <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dropped || q.reader != reader {
		return m, 0, nil
	}
	n = max(q.sent, q.first)
	i := n - q.first
	switch {
	case i < len(q.items):
	case q.ended:
		return m, 0, nil
	default:
		return m, 0, q.changed
	}
	m = q.items[i]
	q.sent = n + 1
	if q.name == "" {
		q.items[i] = outgoing{}
		q.items = q.items[i+1:]
		q.first = q.sent
	}
	if q.first+len(q.items)-q.sent == maxUnread-1 {
		q.wakeLocked()
	}
	return m, n, nil
}

// peek returns the unsent messages and whether they are the last.
func (q *messageQueue) peek() (items []outgoing, ended bool, changed <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.items, q.ended || q.dropped, q.changed
}

// state returns the numbers of the first message kept, of the next to be put and
// of the next to be sent.
func (q *messageQueue) state() (first, next, sent int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.first, q.first + len(q.items), q.sent
}
