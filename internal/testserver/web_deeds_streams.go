package testserver

import (
	"fmt"
	"strings"
)

// sends sends an event as it is written, with $msg for the message, $wrong for
// an answer with a wrong text, and $id for the id of the event, if it has one.
func sends(text string) func(*sink, *outbox, item, int) bool {
	return func(s *sink, out *outbox, it item, n int) bool {
		wrong := `{"jsonrpc":"2.0","id":` + string(it.struck.msg.id) + `,"result":{"content":[{"type":"text","text":"wrong"}]}}`
		s.raw(strings.NewReplacer("$msg", string(it.msg), "$wrong", wrong, "$id", eventID(out, n+1)).Replace(text))
		return true
	}
}

// then does something after an event and ends the stream.
func then(event func(*sink, *outbox, item, int) bool, last func(*exchange)) func(*sink, *outbox, item, int) bool {
	return func(s *sink, out *outbox, it item, n int) bool {
		event(s, out, it, n)
		last(s.x)
		return false
	}
}

func ends(*exchange) {}

// halfEvent sends the first half of an event.
func halfEvent(s *sink, out *outbox, it item, n int) bool {
	text := eventText(eventID(out, n+1), it.msg)
	s.raw(text[:len(text)/2])
	return true
}

// onlyResumed drops the stream, and goes on when the client asks for the rest.
func onlyResumed(drop func(*exchange)) func(*sink, *outbox, item, int) bool {
	return func(s *sink, out *outbox, it item, n int) bool {
		if s.x.r.Header.Get(headerLast) == "" {
			drop(s.x)
			return false
		}
		s.event(eventID(out, n+1), it.msg)
		return true
	}
}

// replay begins with what the client has seen already when that resumes.
func replayEvents(s *sink, out *outbox, it item, n int) bool {
	s.event(eventID(out, n), []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"seen"}}`))
	if s.x.r.Header.Get(headerLast) == "" {
		return false
	}
	s.event(eventID(out, n+1), it.msg)
	return true
}

// astray sends the answer on the stream of another call, or on the general one.
func astray(s *sink, out *outbox, it item, n int) bool {
	it.struck = nil
	x := s.x
	x.h.mu.Lock()
	var other *outbox
	for y := range x.h.open {
		if y.out != nil && y.out != out && y.session == x.session {
			other = y.out
		}
	}
	x.h.mu.Unlock()
	switch {
	case other != nil:
		other.put(it)
	case x.session != nil:
		x.session.general.put(it)
	}
	return false
}

// onListening sends the answer on the stream that GET opens.
func onListening(s *sink, _ *outbox, it item, _ int) bool {
	it.struck = nil
	s.x.session.general.put(it)
	return false
}

// dripEvent sends a byte every Delay.
func dripEvent(s *sink, out *outbox, it item, n int) bool {
	s.x.drip(eventText(eventID(out, n+1), it.msg))
	return true
}

// murmur sends comments and never the answer.
func murmur(s *sink, _ *outbox, _ item, _ int) bool {
	for s.x.wait(s.x.h.srv.opts.Delay) {
		s.raw(": nearly there\n\n")
	}
	return false
}

// endlessly sends Size bytes of an event or line that does not end.
func endlessly(begin, more string) func(*sink, *outbox, item, int) bool {
	return func(s *sink, _ *outbox, it item, _ int) bool {
		s.x.endless(strings.ReplaceAll(begin, "$id", string(it.struck.msg.id)), more)
		s.x.hold()
		return false
	}
}

// inLines splits the message over lines, as JSON allows between its tokens.
func inLines(s *sink, _ *outbox, it item, _ int) bool {
	s.raw("data: " + strings.Replace(string(it.msg), `{"jsonrpc":"2.0",`, "{\ndata: \"jsonrpc\":\ndata:\"2.0\",\ndata\ndata:", 1) + "\n\n")
	return true
}

// showsSchema answers tools/list with echo, whose arguments and result have that
// schema.
func showsSchema(schema string) func(*sink, *outbox, item, int) bool {
	return func(s *sink, out *outbox, it item, n int) bool {
		schema := strings.ReplaceAll(schema, "$foreign", s.x.h.foreign)
		modern := ""
		if it.struck.modern {
			modern = `"resultType":"complete","ttlMs":0,"cacheScope":"private",`
		}
		s.event(eventID(out, n+1), []byte(`{"jsonrpc":"2.0","id":`+string(it.struck.msg.id)+`,"result":{`+modern+
			`"tools":[{"name":"echo","inputSchema":`+schema+`,"outputSchema":`+schema+`}]}}`))
		return true
	}
}

// bombSchema returns a schema whose n definitions each refer to the next twice.
func bombSchema(n int) string {
	b := `{"type":"object","$ref":"#/$defs/d0","$defs":{`
	for i := range n {
		next := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
		b += fmt.Sprintf(`"d%d":{"allOf":[%s,%s]},`, i, next, next)
	}
	return b + fmt.Sprintf(`"d%d":{"type":"object"}}}`, n)
}

// lineBreaks changes the line breaks of streams.
func lineBreaks(to string) func(string, bool) string {
	return func(text string, _ bool) string { return strings.ReplaceAll(text, "\n", to) }
}

func mixedBreaks(text string, _ bool) string {
	breaks := []string{"\r", "\n", "\r\n"}
	var b strings.Builder
	for i, line := range strings.SplitAfter(text, "\n") {
		if body, ok := strings.CutSuffix(line, "\n"); ok {
			line = body + breaks[i%len(breaks)]
		}
		b.WriteString(line)
	}
	return b.String()
}

// startsWith sends something once, before everything else.
func startsWith(begin string) func(string, bool) string {
	return func(text string, first bool) string {
		if first {
			return begin + text
		}
		return text
	}
}

// announces sends events that say where messages go, with $endpoint for where
// they should go.
func announces(text string) func(*sink, string) {
	return func(s *sink, endpoint string) {
		path, query, _ := strings.Cut(endpoint, "?")
		relative := path[strings.LastIndex(path, "/")+1:] + "?" + query
		s.raw(s.x.expand(strings.NewReplacer("$endpoint", endpoint, "$relative", relative).Replace(text)))
	}
}

// late waits before it says where messages go.
func late(s *sink, endpoint string) {
	if s.x.wait(s.x.h.srv.opts.Delay) {
		s.endpoint(endpoint)
	}
}

// opens opens a stream and does then something.
func opens(text string, then func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		x.open().raw(text)
		then(x)
	}
}
