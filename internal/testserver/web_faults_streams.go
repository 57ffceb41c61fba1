package testserver

// streams lists what is wrong with event streams, those of POST and that of
// HTTP+SSE.
func streams() []Fault {
	const right = "event: message\ndata: $msg\n\n"
	const huge = 128 << 20
	stream := func(o *HTTPOptions) { o.Answers = Stream }
	return []Fault{
		{Name: "event-reset", Row: 2, Does: "breaks the connection in the middle of the event", On: "HE", event: then(halfEvent, (*exchange).reset)},
		{Name: "garbage-event", Row: 9, Does: "sends an event that is no JSON, then the right one", On: "HE", event: sends("data: hello\n\n" + right)},
		{Name: "page-as-stream", Row: 9, Does: "sends a page as a stream", On: "H", post: respond(200, "text/event-stream", page)},
		{Name: "endless-event", Row: 10, Does: "sends Size bytes of data without a line break", On: "HE", size: huge,
			event: endlessly(`data: {"jsonrpc":"2.0","id":$id,"result":{"text":"`, "x")},
		{Name: "endless-lines", Row: 10, Does: "sends Size bytes of data in lines without an empty one", On: "HE", size: huge,
			event: endlessly("data: [\n", "data: 0,\n")},
		{Name: "endless-comment", Row: 10, Does: "sends Size bytes of comment without a line break", On: "HE", size: huge, event: endlessly(":", "x")},
		{Name: "endless-id", Row: 10, Does: "sends Size bytes of id without a line break", On: "HE", size: huge, event: endlessly("id: ", "x")},
		{Name: "endless-field", Row: 10, Does: "sends Size bytes of the name of a field", On: "HE", size: huge, event: endlessly("x", "x")},
		{Name: "event-trickles", Row: 12, Does: "sends the event a byte every Delay", On: "HE", event: dripEvent},
		{Name: "murmurs", Row: 12, Does: "sends a comment every Delay and never answers", On: "HE", event: murmur},
		{Name: "stream-byte-by-byte", Row: 13, Does: "sends streams in single bytes", On: "HE", Lawful: true,
			options: func(o *HTTPOptions) { o.Answers, o.Chunk = Stream, 1 }},
		{Name: "stream-crlf", Row: 13, Does: "ends the lines of streams with CR LF", On: "HE", Lawful: true, options: stream, text: lineBreaks("\r\n")},
		{Name: "stream-crlf-split", Row: 13, Does: "the same, in single bytes", On: "HE", Lawful: true,
			options: func(o *HTTPOptions) { o.Answers, o.Chunk = Stream, 1 }, text: lineBreaks("\r\n")},
		{Name: "stream-cr", Row: 14, Does: "ends the lines of streams with CR", On: "HE", Lawful: true, options: stream, text: lineBreaks("\r")},
		{Name: "stream-mixed-breaks", Row: 14, Does: "ends lines with CR, LF and CR LF in turn", On: "HE", Lawful: true, options: stream, text: mixedBreaks},
		{Name: "stream-bom", Row: 14, Does: "begins streams with a byte order mark", On: "HE", Lawful: true, options: stream, text: startsWith("\uFEFF")},
		{Name: "stream-comments", Row: 14, Does: "begins streams with comments", On: "HE", Lawful: true, options: stream,
			text: startsWith(":\n\n: hello\n:data: no\n\n")},
		{Name: "event-comments", Row: 14, Does: "sends comments between the lines of the event", On: "HE", Lawful: true,
			event: sends(":one\nevent: message\n:two\ndata: $msg\n:three\n\n:four\n\n")},
		{Name: "event-no-name", Row: 14, Does: "sends the event without its name", On: "HE", Lawful: true, event: sends("data: $msg\n\n")},
		{Name: "event-no-space", Row: 14, Does: "sends fields without a space behind the colon", On: "HE", Lawful: true,
			event: sends("event:message\ndata:$msg\n\n")},
		{Name: "event-two-spaces", Row: 14, Does: "sends data with two spaces behind the colon", On: "HE", Lawful: true, event: sends("data:  $msg\n\n")},
		{Name: "event-in-lines", Row: 14, Does: "sends the message in several lines of data", On: "HE", Lawful: true, event: inLines},
		{Name: "event-empty-data", Row: 14, Does: "sends events with empty data, without a colon and with none, then the right one",
			On: "HE", Lawful: true, event: sends("data: \n\ndata\n\ndata:\n\ndata\ndata\n\nevent: message\n\n" + right)},
		{Name: "event-other-names", Row: 14, Does: "sends events of other names with wrong answers, then the right one", On: "HE", Lawful: true,
			event: sends("event: ping\ndata: $wrong\n\nevent: Message\ndata: $wrong\n\nevent: message \ndata: $wrong\n\n" + right)},
		{Name: "event-odd-fields", Row: 14, Does: "sends unknown fields, and names in another case or behind a space", On: "HE", Lawful: true,
			event: sends("x: 1\nDATA: $wrong\n data: $wrong\ndata : $wrong\nfoo\n" + right)},
		{Name: "event-ids", Row: 14, Does: "sends ids that are empty, contain NUL or are no ASCII", On: "HE", Lawful: true,
			event: sends("id: a\x00b\nid\nid:\nid: «1»\n" + right)},
		{Name: "event-nul", Row: 14, Does: "sends a comment and a field with NUL", On: "HE", Lawful: true, event: sends(":\x00\nx\x00: y\n" + right)},
		{Name: "event-odd-retry", Row: 14, Does: "sends retry fields that are no digits", On: "HE", Lawful: true,
			event: sends("retry\nretry:\nretry: 1.5\nretry: -1\nretry: 1e3\nretry: ١\n" + right)},
		{Name: "event-unfinished", Row: 15, Does: "ends the stream before the empty line behind the event", On: "HE",
			event: then(sends("event: message\ndata: $msg\n"), ends)},
		{Name: "event-cut-off", Row: 15, Does: "ends the stream in the middle of the event", On: "HE", event: then(halfEvent, ends)},
		{Name: "answers-twice-with-id", Row: 20, Does: "sends the answer twice, the second time as an event of another id", On: "HE",
			event: sends("id: x/1\n" + right + "id: x/2\n" + right)},
		{Name: "astray", Row: 22, Does: "answers on the stream of another call, or else of GET", On: "H", event: astray},
		{Name: "astray-on-get", Row: 22, Does: "answers on the stream of GET", On: "H", Era: "legacy", event: onListening},
		{Name: "stream-gzip", Row: 31, Does: "packs streams, if the client accepts that", On: "HE", Lawful: true, options: stream, compressed: true},
		{Name: "empty-stream", Row: 34, Does: "ends the stream without an answer", On: "HE", event: func(*sink, *outbox, item, int) bool { return false }},
		{Name: "goes-silent", Row: 35, Does: "sends half of the event and nothing ever again", On: "HE", event: then(halfEvent, (*exchange).hold)},
		{Name: "silent-stream", Row: 35, Does: "opens the stream and sends nothing ever", On: "HE",
			event: func(s *sink, _ *outbox, _ item, _ int) bool { s.x.hold(); return false }},
		{Name: "stays-open", Row: 35, Does: "keeps the stream open after the answer", On: "H", Lawful: true,
			event: then(sends(right), (*exchange).hold)},
		{Name: "talks-on", Row: 35, Does: "keeps the stream open after the answer and sends comments", On: "H", Lawful: true,
			event: func(s *sink, out *outbox, it item, n int) bool {
				s.event(eventID(out, n+1), it.msg)
				return murmur(s, out, it, n)
			}},
	}
}

// schemas lists schemas that are dangerous to use.
func schemas() []Fault {
	const list = "tools/list"
	return []Fault{
		{Name: "schema-bomb", Row: 39, Does: "has a tool with a schema that takes 2^30 steps", On: "HE", Method: list, event: showsSchema(bombSchema(30))},
		{Name: "schema-recursive", Row: 39, Does: "has a tool with a schema that refers to itself and nothing else", On: "HE", Method: list,
			event: showsSchema(`{"type":"object","$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`)},
		{Name: "schema-elsewhere", Row: 39, Does: "has a tool with a schema that refers to another origin", On: "HE", Method: list,
			event: showsSchema(`{"type":"object","$ref":"$foreign/schema.json"}`)},
		{Name: "schema-pattern", Row: 39, Does: "has a tool with a schema whose pattern takes forever in careless engines", On: "HE", Method: list,
			event: showsSchema(`{"type":"object","properties":{"message":{"type":"string","pattern":"^(([a-z])+.)+[A-Z]([a-z])+$"}}}`)},
	}
}

// resumptions lists what goes wrong with the endpoint of HTTP+SSE and with
// streams that end early.
func resumptions() []Fault {
	resumable := func(o *HTTPOptions) { o.Answers, o.Resumable = Stream, true }
	retry := func(text string) func(*HTTPOptions) {
		return func(o *HTTPOptions) { o.Answers, o.Resumable, o.Retry = Stream, true, text }
	}
	const wait = "event: endpoint\ndata: $endpoint\n\n"
	return []Fault{
		{Name: "endpoint-elsewhere", Row: 32, Does: "says that messages go to another origin", On: "E",
			endpoint: announces("event: endpoint\ndata: $foreign/message\n\n")},
		{Name: "endpoint-elsewhere-short", Row: 32, Does: "says so without a scheme", On: "E",
			endpoint: announces("event: endpoint\ndata: //elsewhere.example/message\n\n")},
		{Name: "endpoint-user", Row: 32, Does: "says that messages go to another origin that looks like this one", On: "E",
			endpoint: announces("event: endpoint\ndata: $scheme://$host@elsewhere.example/message\n\n")},
		{Name: "endpoint-http", Row: 32, Does: "says that messages go where there is no TLS", On: "E",
			endpoint: announces("event: endpoint\ndata: $plain$endpoint\n\n")},
		{Name: "endpoint-port", Row: 32, Does: "says that messages go to another port", On: "E",
			endpoint: announces("event: endpoint\ndata: http://127.0.0.1:1$endpoint\n\n")},
		{Name: "endpoint-script", Row: 32, Does: "says that messages go to javascript:", On: "E",
			endpoint: announces("event: endpoint\ndata: javascript:alert(1)\n\n")},
		{Name: "endpoint-no-url", Row: 32, Does: "says that messages go to what is no URL", On: "E",
			endpoint: announces("event: endpoint\ndata: http://[::1\n\n")},
		{Name: "endpoint-empty", Row: 32, Does: "says that messages go to nowhere", On: "E", endpoint: announces("event: endpoint\ndata: \n\n")},
		{Name: "endpoint-second", Row: 32, Does: "says afterwards that messages go to another origin", On: "E",
			endpoint: announces(wait + "event: endpoint\ndata: $foreign/message\n\n")},
		{Name: "endpoint-none", Row: 32, Does: "never says where messages go", On: "E", endpoint: announces(": welcome\n\n")},
		{Name: "endpoint-late", Row: 32, Does: "says where messages go after Delay", On: "E", Lawful: true, endpoint: late},
		{Name: "endpoint-relative", Row: 32, Does: "says relative to the stream where messages go", On: "E", Lawful: true,
			endpoint: announces("event: endpoint\ndata: $relative\n\n")},
		{Name: "endpoint-dots", Row: 32, Does: "says so with dots", On: "E", Lawful: true, endpoint: announces("event: endpoint\ndata: ./x/../$relative\n\n")},
		{Name: "endpoint-whole", Row: 32, Does: "says where messages go with scheme and host", On: "E", Lawful: true,
			endpoint: announces("event: endpoint\ndata: $scheme://$host$endpoint\n\n")},
		{Name: "endpoint-after-message", Row: 32, Does: "sends a message before it says where messages go", On: "E",
			endpoint: announces(`data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"early"}}` + "\n\n" + wait)},
		{Name: "retry-0", Row: 33, Does: "asks to come back after 0 ms, and drops the stream", On: "HE", Era: "legacy", Lawful: true,
			options: retry("0"), event: onlyResumed(ends)},
		{Name: "retry-huge", Row: 33, Does: "asks to come back after 10^12 ms, and drops the stream", On: "HE", Era: "legacy",
			options: retry("1000000000000"), event: onlyResumed(ends)},
		{Name: "retry-overflow", Row: 33, Does: "asks to come back after 10^30 ms, and drops the stream", On: "HE", Era: "legacy",
			options: retry("1000000000000000000000000000000"), event: onlyResumed(ends)},
		{Name: "retry-nonsense", Row: 33, Does: "asks to come back at some time, and drops the stream", On: "HE", Era: "legacy",
			options: retry("soon"), event: onlyResumed(ends)},
		{Name: "retry-500", Row: 33, Does: "asks to come back after 500 ms, and drops the stream", On: "HE", Era: "legacy", Lawful: true,
			options: retry("500"), event: onlyResumed(ends)},
		{Name: "drops", Row: 34, Does: "ends the stream before the answer, which can be resumed", On: "H", Era: "legacy", Lawful: true,
			options: resumable, event: onlyResumed(ends)},
		{Name: "drops-by-reset", Row: 34, Does: "breaks the connection before the answer; the stream can be resumed", On: "H", Era: "legacy",
			Lawful: true, options: resumable, event: onlyResumed((*exchange).reset)},
		{Name: "drops-again", Row: 34, Does: "ends the stream again and again without an answer", On: "H", Era: "legacy",
			options: resumable, event: func(*sink, *outbox, item, int) bool { return false }},
		{Name: "replays", Row: 34, Does: "drops the stream, and repeats what it has sent when it is resumed", On: "H", Era: "legacy",
			options: resumable, event: replayEvents},
		{Name: "repeats", Row: 34, Does: "sends the event of the answer twice", On: "H", Era: "legacy", options: resumable,
			event: sends("id: $id\ndata: $msg\n\nid: $id\ndata: $msg\n\n")},
		{Name: "resumption-404", Row: 34, Does: "drops the stream and has lost the session when it is resumed", On: "H", Era: "legacy",
			options: resumable, event: func(s *sink, _ *outbox, _ item, _ int) bool {
				s.x.h.forget(s.x.session, lost)
				return false
			}},
		{Name: "resumption-405", Row: 34, Does: "drops the stream and refuses to resume it", On: "H", Era: "legacy",
			options: func(o *HTTPOptions) { resumable(o); o.NoListening = true }, event: func(*sink, *outbox, item, int) bool { return false }},
	}
}
