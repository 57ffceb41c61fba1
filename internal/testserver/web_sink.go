package testserver

import (
	"compress/gzip"
	"net/http"
	"strconv"
	"time"
)

// A sink is an event stream to the client.
type sink struct {
	x     *exchange
	begun bool         // something has been sent
	z     *gzip.Writer // packs what is sent, if not nil
}

// open sends the header of a stream.
func (x *exchange) open() *sink {
	header := x.w.Header()
	if header.Get("Content-Type") == "" {
		header.Set("Content-Type", "text/event-stream")
	}
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no")
	s := &sink{x: x}
	if x.h.fault.compressed && x.h.fault.concerns(x) && x.acceptsGzip() {
		header.Set("Content-Encoding", "gzip")
		s.z = gzip.NewWriter(x.w)
	}
	x.w.WriteHeader(http.StatusOK)
	_ = x.ctl.Flush()
	return s
}

// raw sends bytes as they are. Whether the client is gone the context tells.
func (s *sink) raw(text string) {
	if change := s.x.h.fault.text; change != nil && s.x.h.fault.concerns(s.x) {
		text = change(text, !s.begun)
	}
	s.begun = true
	size := s.x.h.opts.Chunk
	for size > 0 && len(text) > size {
		s.send(text[:size])
		text = text[size:]
	}
	s.send(text)
}

func (s *sink) send(text string) {
	if s.z != nil {
		_, _ = s.z.Write([]byte(text))
		_ = s.z.Flush()
	} else {
		_, _ = s.x.w.Write([]byte(text))
	}
	_ = s.x.ctl.Flush()
}

// event sends a message; the id may be empty.
func (s *sink) event(id string, msg []byte) { s.raw(eventText(id, msg)) }

func eventText(id string, msg []byte) string {
	text := "event: message\ndata: " + string(msg) + "\n\n"
	if id != "" {
		text = "id: " + id + "\n" + text
	}
	return text
}

// prime begins a stream that can be resumed with an id to resume from, unless
// the client has one already.
func (s *sink) prime(out *outbox) {
	retry := ""
	if s.x.h.opts.Retry != "" && !s.x.modern {
		retry = "retry: " + s.x.h.opts.Retry + "\n"
	}
	switch {
	case out.name != "" && s.x.r.Header.Get(headerLast) == "":
		s.raw("id: " + eventID(out, 0) + "\n" + retry + "data: \n\n")
	case retry != "":
		s.raw(retry + "\n")
	}
}

// eventID is the id of the n-th event, or of none when the stream has no ids.
func eventID(out *outbox, n int) string {
	if out.name == "" {
		return ""
	}
	return out.name + "/" + strconv.Itoa(n)
}

// drain sends what comes into out, until nothing comes any more or the client
// is gone.
func (s *sink) drain(out *outbox, reader int) {
	defer out.detach(reader)
	if s.z != nil {
		defer s.z.Close()
	}
	var silence <-chan time.Time
	if every := s.x.h.opts.KeepAlive; every > 0 {
		t := time.NewTicker(every)
		defer t.Stop()
		silence = t.C
	}
	for s.x.ctx.Err() == nil {
		it, n, changed := out.next(reader)
		switch {
		case it.msg == nil && changed == nil:
			return
		case it.msg == nil:
			select {
			case <-changed:
			case <-silence:
				s.raw(": still here\n\n")
			case <-s.x.ctx.Done():
			}
		case it.struck != nil:
			if !s.x.h.fault.event(s, out, it, n) {
				return
			}
		default:
			s.event(eventID(out, n+1), it.msg)
		}
	}
}
