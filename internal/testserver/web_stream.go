package testserver

import (
	"io"
	"net/http"
	"strconv"
	"time"
)

// An eventStream is the body of a response that sends events.
type eventStream struct {
	x *exchange
	w io.Writer
}

// openStream sends the header of an event stream.
func (x *exchange) openStream() *eventStream {
	header := x.w.Header()
	if header.Get("Content-Type") == "" {
		header.Set("Content-Type", "text/event-stream")
	}
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no")
	f := x.h.fault
	wraps := f.wrap != nil && f.concerns(x) && (!f.gzip || x.acceptsGzip())
	if wraps && f.gzip {
		header.Set("Content-Encoding", "gzip")
	}
	x.w.WriteHeader(http.StatusOK)
	_ = x.ctl.Flush()
	s := &eventStream{x, flusher{x}}
	if wraps {
		s.w = f.wrap(s.w, x.pause)
	}
	return s
}

// raw sends text. It ignores errors, because the end of x.ctx reports that the
// client is gone.
func (s *eventStream) raw(text string) { _, _ = io.WriteString(s.w, text) }

// A flusher sends at once what is written to a response.
type flusher struct{ *exchange }

func (f flusher) Write(b []byte) (int, error) {
	n, err := f.w.Write(b)
	_ = f.ctl.Flush()
	return n, err
}

// eventText returns the event of a message; id may be empty.
func eventText(id string, msg []byte) string {
	text := "event: message\ndata: " + string(msg) + "\n\n"
	if id != "" {
		text = "id: " + id + "\n" + text
	}
	return text
}

// eventID returns the id of the n-th event of a stream, counted from 1, or "" if
// the stream has no ids.
func (q *messageQueue) eventID(n int) string {
	if q.name == "" {
		return ""
	}
	return q.name + "/" + strconv.Itoa(n)
}

// prime begins a resumable stream with an id to resume from, unless the client
// has one already.
func (s *eventStream) prime(q *messageQueue) {
	retry := s.x.h.fault.retry
	if retry != "" && s.x.h.fault.concerns(s.x) {
		retry = "retry: " + retry + "\n"
	} else {
		retry = ""
	}
	switch {
	case q.name != "" && s.x.r.Header.Get(headerLast) == "":
		s.raw("id: " + q.eventID(0) + "\n" + retry + "data: \n\n")
	case retry != "":
		s.raw(retry + "\n")
	}
}

// A delivery is the sending of one message on an event stream.
type delivery struct {
	*eventStream
	queue *messageQueue
	out   outgoing
	n     int // the number of the message
}

func (d *delivery) id() string   { return d.queue.eventID(d.n + 1) }
func (d *delivery) text() string { return eventText(d.id(), d.out.msg) }
func (d *delivery) send()        { d.raw(d.text()) }

// drain sends the messages of q until the last, or until the client is gone.
func (s *eventStream) drain(q *messageQueue, reader int) {
	defer q.detach(reader)
	if w, ok := s.w.(io.Closer); ok {
		defer w.Close()
	}
	var silence <-chan time.Time
	if every := s.x.h.opts.KeepAlive; every > 0 {
		t := time.NewTicker(every)
		defer t.Stop()
		silence = t.C
	}
	for s.x.ctx.Err() == nil {
		out, n, changed := q.next(reader)
		d := &delivery{s, q, out, n}
		switch {
		case changed != nil:
			select {
			case <-changed:
			case <-silence:
				s.raw(": still here\n\n")
			case <-s.x.ctx.Done():
			}
		case out.msg == nil:
			return
		case out.answer == nil:
			d.send()
		case !s.x.h.fault.event(d):
			return
		}
	}
}
