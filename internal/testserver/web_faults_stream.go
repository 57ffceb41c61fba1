package testserver

// streamFaults lists what is wrong with event streams, those of POST and that of
// HTTP+SSE.
func streamFaults() []Fault {
	const right = "event: message\ndata: $msg\n\n"
	return append(group(Fault{On: "HE"}, []Fault{
		{Name: "event-reset", Row: 2, Does: "resets the connection inside the event", event: then(halfEvent, (*exchange).reset)},
		{Name: "garbage-event", Row: 9, Does: "sends an event that is not JSON, then the response", event: sendsEvents("data: hello\n\n" + right)},
		{Name: "page-as-stream", Row: 9, Does: "sends a page as a stream", On: "H", post: sends(200, typeEvents, page)},
		{Name: "endless-event", Row: 10, Does: "sends Size bytes of data without a line break", size: huge,
			event: endlessEvent(`data: {"jsonrpc":"2.0","id":$id,"result":{"text":"`, "x")},
		{Name: "endless-lines", Row: 10, Does: "sends Size bytes of data in lines without an empty one", size: huge,
			event: endlessEvent("data: [\n", "data: 0,\n")},
		{Name: "endless-comment", Row: 10, Does: "sends Size bytes of comment without a line break", size: huge, event: endlessEvent(":", "x")},
		{Name: "endless-id", Row: 10, Does: "sends Size bytes of id without a line break", size: huge, event: endlessEvent("id: ", "x")},
		{Name: "endless-field", Row: 10, Does: "sends Size bytes of a field name", size: huge, event: endlessEvent("x", "x")},
		{Name: "event-trickles", Row: 12, Does: "sends a byte of the event every Delay", event: trickleEvent},
		{Name: "murmurs", Row: 12, Does: "sends a comment every Delay and never responds", event: sendComments},
		{Name: "event-unfinished", Row: 15, Does: "ends the stream before the empty line after the event",
			event: then(sendsEvents("event: message\ndata: $msg\n"), ends)},
		{Name: "event-cut-off", Row: 15, Does: "ends the stream in the middle of the event", event: then(halfEvent, ends)},
		{Name: "answers-twice-with-id", Row: 20, Does: "sends the response twice, in events of different ids",
			event: sendsEvents("id: x/1\n" + right + "id: x/2\n" + right)},
		{Name: "astray", Row: 22, Does: "responds on the stream of another call, or else of GET", On: "H", event: astray},
		{Name: "astray-on-get", Row: 22, Does: "responds on the stream of GET", On: "H", Era: "legacy", event: astrayOnGet},
		{Name: "empty-stream", Row: 34, Does: "ends the stream without a response", event: endsStream},
		{Name: "goes-silent", Row: 35, Does: "sends half of the event and then nothing", event: then(halfEvent, (*exchange).hold)},
		{Name: "silent-stream", Row: 35, Does: "opens the stream and sends nothing", event: then(endsStream, (*exchange).hold)},
		{Name: "stays-open", Row: 35, Does: "keeps the stream open after the response", On: "H", Lawful: true,
			event: then(sendsEvents(right), (*exchange).hold)},
		{Name: "talks-on", Row: 35, Does: "keeps the stream open after the response and sends comments", On: "H", Lawful: true,
			event: func(d *delivery) bool { d.send(); return sendComments(d) }},
	}), syntaxFaults()...)
}

// syntaxFaults lists unusual event streams, which a client must understand.
func syntaxFaults() []Fault {
	const right = "event: message\ndata: $msg\n\n"
	return group(Fault{On: "HE", Lawful: true}, []Fault{
		{Name: "stream-byte-by-byte", Row: 13, Does: "sends streams in single bytes", streams: true, wrap: inParts(singleBytes)},
		{Name: "stream-crlf", Row: 13, Does: "ends the lines of streams with CR LF", streams: true, wrap: inParts(lineBreaks("\r\n"))},
		{Name: "stream-crlf-split", Row: 13, Does: "ends the lines of streams with CR LF, in single bytes", streams: true,
			wrap: inParts(func(text string) []string { return singleBytes(lineBreaks("\r\n")(text)[0]) })},
		{Name: "stream-cr", Row: 14, Does: "ends the lines of streams with CR", streams: true, wrap: inParts(lineBreaks("\r"))},
		{Name: "stream-mixed-breaks", Row: 14, Does: "ends lines with CR, LF and CR LF in turn", streams: true, wrap: inParts(lineBreaks("\r", "\n", "\r\n"))},
		{Name: "stream-bom", Row: 14, Does: "begins streams with a byte order mark", streams: true, wrap: startsWith("\uFEFF")},
		{Name: "stream-comments", Row: 14, Does: "begins streams with comments", streams: true, wrap: startsWith(":\n\n: hello\n:data: no\n\n")},
		{Name: "event-comments", Row: 14, Does: "sends comments between the lines of the event",
			event: sendsEvents(":one\nevent: message\n:two\ndata: $msg\n:three\n\n:four\n\n")},
		{Name: "event-no-name", Row: 14, Does: "sends the event without its name", event: sendsEvents("data: $msg\n\n")},
		{Name: "event-no-space", Row: 14, Does: "sends fields without a space after the colon", event: sendsEvents("event:message\ndata:$msg\n\n")},
		{Name: "event-two-spaces", Row: 14, Does: "sends data with two spaces after the colon", event: sendsEvents("data:  $msg\n\n")},
		{Name: "event-in-lines", Row: 14, Does: "sends the message in several lines of data", event: splitEvent},
		{Name: "event-empty-data", Row: 14, Does: "sends events with empty data, without a colon and without data, then the response",
			event: sendsEvents("data: \n\ndata\n\ndata:\n\ndata\ndata\n\nevent: message\n\n" + right)},
		{Name: "event-other-names", Row: 14, Does: "sends events of other names with wrong responses, then the correct one",
			event: sendsEvents("event: ping\ndata: $wrong\n\nevent: Message\ndata: $wrong\n\nevent: message \ndata: $wrong\n\n" + right)},
		{Name: "event-error", Row: 14, Does: "sends the response in an event of the type error", event: sendsEvents("event: error\ndata: $msg\n\n")},
		{Name: "event-odd-fields", Row: 14, Does: "sends unknown fields, and field names in upper case or beside a space",
			event: sendsEvents("x: 1\nDATA: $wrong\n data: $wrong\ndata : $wrong\nfoo\n" + right)},
		{Name: "event-ids", Row: 14, Does: "sends ids that are empty, contain NUL or are not ASCII",
			event: sendsEvents("id: a\x00b\nid\nid:\nid: «1»\n" + right)},
		{Name: "event-nul", Row: 14, Does: "sends a comment and a field with NUL", event: sendsEvents(":\x00\nx\x00: y\n" + right)},
		{Name: "event-odd-retry", Row: 14, Does: "sends retry fields that are not digits",
			event: sendsEvents("retry\nretry:\nretry: 1.5\nretry: -1\nretry: 1e3\nretry: ١\n" + right)},
		{Name: "stream-gzip", Row: 31, Does: "compresses streams, if the client accepts that", streams: true, gzip: true, wrap: compressed},
	})
}

// endpointFaults lists what is wrong with the endpoint that HTTP+SSE announces.
func endpointFaults() []Fault {
	const right = "event: endpoint\ndata: $endpoint\n\n"
	to := func(url string) func(*eventStream, string) {
		return announces("event: endpoint\ndata: " + url + "\n\n")
	}
	return group(Fault{Row: 32, On: "E"}, []Fault{
		{Name: "endpoint-elsewhere", Does: "announces an endpoint of another origin", endpoint: to("$foreign/message")},
		{Name: "endpoint-elsewhere-short", Does: "announces an endpoint of another origin without a scheme",
			endpoint: to("//elsewhere.example/message")},
		{Name: "endpoint-user", Does: "announces an endpoint of another origin that looks like this one",
			endpoint: to("$scheme://$host@elsewhere.example/message")},
		{Name: "endpoint-http", Does: "announces an endpoint without TLS", endpoint: to("$plain$endpoint")},
		{Name: "endpoint-port", Does: "announces an endpoint on another port", endpoint: to("http://127.0.0.1:1$endpoint")},
		{Name: "endpoint-script", Does: "announces a javascript: endpoint", endpoint: to("javascript:alert(1)")},
		{Name: "endpoint-no-url", Does: "announces an endpoint that is not a URL", endpoint: to("http://[::1")},
		{Name: "endpoint-empty", Does: "announces an empty endpoint", endpoint: to("")},
		{Name: "endpoint-second", Does: "announces a second endpoint of another origin",
			endpoint: announces(right + "event: endpoint\ndata: $foreign/message\n\n")},
		{Name: "endpoint-none", Does: "never announces an endpoint", endpoint: announces(": welcome\n\n")},
		{Name: "endpoint-late", Does: "announces the endpoint after Delay", Lawful: true, endpoint: announceLate},
		{Name: "endpoint-relative", Does: "announces a relative endpoint", Lawful: true, endpoint: to("$relative")},
		{Name: "endpoint-dots", Does: "announces a relative endpoint with dots", Lawful: true, endpoint: to("./x/../$relative")},
		{Name: "endpoint-whole", Does: "announces an endpoint with scheme and host", Lawful: true, endpoint: to("$scheme://$host$endpoint")},
		{Name: "endpoint-after-message", Does: "sends a message before it announces the endpoint",
			endpoint: announces(`data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"early"}}` + "\n\n" + right)},
	})
}

// resumptionFaults lists what is wrong with streams that end early and can be
// resumed.
func resumptionFaults() []Fault {
	list := group(Fault{Row: 33, On: "HE", Era: "legacy"}, []Fault{
		{Name: "retry-0", Does: "asks for a retry after 0 ms and ends the stream", Lawful: true, retry: "0"},
		{Name: "retry-huge", Does: "asks for a retry after 10^12 ms and ends the stream", retry: "1000000000000"},
		{Name: "retry-overflow", Does: "asks for a retry after 10^30 ms and ends the stream", retry: "1000000000000000000000000000000"},
		{Name: "retry-nonsense", Does: "asks for a retry soon and ends the stream", retry: "soon"},
		{Name: "retry-500", Does: "asks for a retry after 500 ms and ends the stream", Lawful: true, retry: "500"},
	})
	for i := range list {
		list[i].event = untilResumed(ends)
	}
	list = append(list, group(Fault{Row: 34, On: "H", Era: "legacy"}, []Fault{
		{Name: "drops", Does: "ends the stream before the response", Lawful: true, event: untilResumed(ends)},
		{Name: "drops-by-reset", Does: "resets the connection before the response", Lawful: true, event: untilResumed((*exchange).reset)},
		{Name: "drops-again", Does: "ends every stream without a response", event: endsStream},
		{Name: "replays", Does: "ends the stream, and repeats the last event when the client resumes it", event: repeatEvent},
		{Name: "repeats", Does: "sends the event of the response twice", event: sendsEvents("id: $id\ndata: $msg\n\nid: $id\ndata: $msg\n\n")},
		{Name: "resumption-404", Does: "ends the stream and the session", event: func(d *delivery) bool {
			d.x.h.forget(d.x.session, lost)
			return false
		}},
		{Name: "resumption-405", Does: "ends the stream and refuses to resume it", event: endsStream, get: (*exchange).notAllowed},
	})...)
	for i := range list {
		list[i].streams, list[i].resumable = true, true
	}
	return list
}
