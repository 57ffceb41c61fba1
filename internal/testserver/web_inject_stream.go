package testserver

import (
	"strings"
)

// sendsEvents sends text in which $msg stands for the message, $wrong for a
// response with the wrong text, and $id for the id of the event, if it has one.
func sendsEvents(text string) func(*delivery) bool {
	return func(d *delivery) bool {
		wrong := response(d.out.answer.msg.id, "result", `{"content":[{"type":"text","text":"wrong"}]}`)
		d.raw(strings.NewReplacer("$msg", string(d.out.msg), "$wrong", string(wrong), "$id", d.id()).Replace(text))
		return true
	}
}

// then calls last after an event and ends the stream.
func then(event func(*delivery) bool, last func(*exchange)) func(*delivery) bool {
	return func(d *delivery) bool {
		event(d)
		last(d.x)
		return false
	}
}

func endsStream(*delivery) bool { return false }

func halfEvent(d *delivery) bool {
	text := d.text()
	d.raw(text[:len(text)/2])
	return true
}

// untilResumed drops the stream, and continues it when the client resumes it.
func untilResumed(drop func(*exchange)) func(*delivery) bool {
	return func(d *delivery) bool {
		if d.x.r.Header.Get(headerLast) == "" {
			drop(d.x)
			return false
		}
		d.send()
		return true
	}
}

// repeatEvent begins a resumed stream with an event that the client has seen.
func repeatEvent(d *delivery) bool {
	seen := notification("notifications/message", `{"level":"info","data":"seen"}`)
	d.raw(eventText(d.queue.eventID(d.n), seen))
	return untilResumed(ends)(d)
}

// astray sends the response on the stream of another call, or else on that of GET.
func astray(d *delivery) bool {
	x := d.x
	x.h.mu.Lock()
	var other *messageQueue
	for y := range x.h.open {
		if y.queue != nil && y.queue != d.queue && y.session == x.session {
			other = y.queue
		}
	}
	x.h.mu.Unlock()
	if other == nil {
		return x.session != nil && astrayOnGet(d)
	}
	other.put(outgoing{msg: d.out.msg})
	return false
}

func astrayOnGet(d *delivery) bool {
	d.x.session.general.put(outgoing{msg: d.out.msg})
	return false
}

func trickleEvent(d *delivery) bool {
	d.x.trickleText(d.text())
	return true
}

// sendComments sends a comment every Delay, until the client is gone.
func sendComments(d *delivery) bool {
	for d.x.wait(d.x.h.srv.opts.Delay) {
		d.raw(": nearly there\n\n")
	}
	return false
}

func endlessEvent(begin, text string) func(*delivery) bool {
	return func(d *delivery) bool {
		d.x.endless(strings.ReplaceAll(begin, "$id", string(d.out.answer.msg.id)), text)
		return false
	}
}

// splitEvent splits the message between JSON tokens.
func splitEvent(d *delivery) bool {
	d.raw("data: " + strings.Replace(string(d.out.msg), `{"jsonrpc":"2.0",`, "{\ndata: \"jsonrpc\":\ndata:\"2.0\",\ndata\ndata:", 1) + "\n\n")
	return true
}

// announces sends text in which $endpoint stands for the correct endpoint and
// $relative for the same URL relative to that of the stream.
func announces(text string) func(*eventStream, string) {
	return func(s *eventStream, endpoint string) {
		relative := endpoint[strings.LastIndex(endpoint, "/")+1:]
		s.raw(s.x.expand(strings.NewReplacer("$endpoint", endpoint, "$relative", relative).Replace(text)))
	}
}

func announceLate(s *eventStream, endpoint string) {
	if s.x.wait(s.x.h.srv.opts.Delay) {
		s.endpoint(endpoint)
	}
}
