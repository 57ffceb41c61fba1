package testserver

import (
	"cmp"
	"net/http"
	"slices"
)

// faults is the matrix, row by row: the part of it that lies in HTTP. The parts
// are tables that belong together.
func httpFaults() []HTTPFault {
	all := slices.Concat(openings(), responses(), refusals(), streams(), resumptions(), schemas(), others())
	slices.SortStableFunc(all, func(a, b HTTPFault) int { return cmp.Compare(a.Row, b.Row) })
	return all
}

// openings lists what goes wrong before there is a conversation.
func openings() []HTTPFault {
	const discover = "server/discover"
	return []HTTPFault{
		{Name: "discover-404", Does: "a legacy server that answers server/discover with 404 and a page", On: "H", Era: "legacy",
			Strikes: discover, post: html(404)},
		{Name: "discover-404-session", Does: "a legacy server that answers server/discover with 404 and -32001", On: "H", Era: "legacy",
			Strikes: discover, post: func(x *exchange) { x.refuse(404, codeNoSession, "Session not found") }},
		{Name: "discover-400-empty", Does: "a legacy server that answers server/discover with 400 and nothing", On: "H", Era: "legacy",
			Strikes: discover, post: respond(400, "", "")},
		{Name: "discover-400-text", Does: "a legacy server that answers server/discover with 400 and text", On: "H", Era: "legacy",
			Strikes: discover, post: respond(400, "text/plain", "Invalid session ID\n")},
		{Name: "discover-400-method", Does: "a legacy server that answers server/discover with 400 and -32601", On: "H", Era: "legacy",
			Strikes: discover, post: func(x *exchange) { x.refuse(400, codeMethodNotFound, "Method not found") }},
		{Name: "discover-400-odd-json", Does: "a legacy server that answers server/discover with 400 and JSON of its own", On: "H",
			Era: "legacy", Strikes: discover, post: respond(400, "application/json", `{"error":"bad_request","code":-32022}`)},
		{Name: "discover-405", Does: "a legacy server that answers server/discover with 405", On: "H", Era: "legacy",
			Strikes: discover, post: status(405, "Allow: GET")},
		{Name: "discover-406", Does: "a legacy server that answers server/discover with 406", On: "H", Era: "legacy",
			Strikes: discover, post: status(406)},
		{Name: "discover-422", Does: "a legacy server that answers server/discover with 422", On: "H", Era: "legacy",
			Strikes: discover, post: respond(422, "application/json", `{"detail":[{"loc":["body","method"],"msg":"unexpected value"}]}`)},
		{Name: "discover-500", Does: "a legacy server that answers server/discover with 500", On: "H", Era: "legacy",
			Strikes: discover, post: status(500)},
		{Name: "discover-202", Does: "a legacy server that answers server/discover with 202", On: "H", Era: "legacy",
			Strikes: discover, post: respond(202, "", "")},
		{Name: "discover-empty-stream", Does: "a legacy server that answers server/discover with a stream without events", On: "H",
			Era: "legacy", Strikes: discover, post: opens("", ends)},
		{Name: "discover-reset", Does: "a legacy server that answers server/discover by breaking the connection", On: "H", Era: "legacy",
			Strikes: discover, post: (*exchange).reset},
		{Name: "discover-other-revisions", Does: "a modern server that speaks 2099-01-01 alone", On: "H", Era: "modern",
			Strikes: discover, post: respond(400, "application/json", `{"jsonrpc":"2.0","id":$id,"error":{"code":-32022,`+
				`"message":"Unsupported protocol version","data":{"supported":["2099-01-01"],"requested":"2026-07-28"}}}`)},
		{Name: "bad-certificate", Row: 3, Does: "presents a certificate for another machine, with TLS", On: "HE", badCertificate: true},
		{Name: "hangs-up", Row: 3, Does: "closes every connection", On: "HE", Strikes: "*", post: (*exchange).reset},
		{Name: "no-http", Row: 3, Does: "speaks something that is not HTTP", On: "HE", Strikes: "*",
			post: bare("220 mail.example ESMTP ready\r\n")},
		{Name: "website", Row: 27, Does: "is a website: everything is a page", On: "HE", Strikes: "*", post: html(200)},
		{Name: "not-there", Row: 28, Does: "is another website: everything is 404", On: "HE", Strikes: "*", post: html(404)},
		{Name: "api", Row: 28, Does: "is another API: everything is 404 in JSON", On: "HE", Strikes: "*",
			post: respond(404, "application/json", `{"error":"not_found","message":"No route"}`)},
		{Name: "locked", Row: 28, Does: "answers everything with 401", On: "HE", Strikes: "*", post: status(401, bearer)},
		{Name: "out-of-order", Row: 28, Does: "answers everything with 503", On: "HE", Strikes: "*", post: status(503, "Retry-After: 1")},
		{Name: "moved", Row: 30, Does: "redirects everything to another path, with 308", On: "HE", Strikes: "*", Lawful: true,
			post: redirect(308, sameOrigin)},
		{Name: "moved-elsewhere", Row: 30, Does: "redirects everything to another origin, with 308", On: "HE", Strikes: "*",
			post: redirect(308, elsewhere)},
		{Name: "initialize-503", Row: 28, Does: "answers initialize with 503", On: "HE", Era: "legacy", Strikes: "initialize", post: status(503)},
		{Name: "initialize-html", Row: 27, Does: "answers initialize with a page", On: "H", Era: "legacy", Strikes: "initialize", post: html(200)},
	}
}

const bearer = `WWW-Authenticate: Bearer realm="test", error="invalid_token", resource_metadata="$foreign/.well-known/oauth-protected-resource"`

// responses lists what is wrong with answers that are no streams.
func responses() []HTTPFault {
	const huge = 128 << 20
	return []HTTPFault{
		{Name: "resets", Row: 2, Does: "breaks the connection instead of answering", On: "HE", post: (*exchange).reset},
		{Name: "resets-midway", Row: 2, Does: "breaks the connection in the middle of the answer", On: "H", post: half((*exchange).reset)},
		{Name: "reads-nothing", Row: 7, Does: "reads no bodies longer than 64 KiB", On: "HE", unread: true},
		{Name: "no-json", Row: 9, Does: "answers with what is no JSON", On: "H", post: json("Internal error: no such luck")},
		{Name: "empty-json", Row: 9, Does: "answers with nothing, as JSON", On: "H", post: json("")},
		{Name: "two-values", Row: 9, Does: "answers with two JSON values", On: "H", post: json("$right\n$right")},
		{Name: "trailing-garbage", Row: 9, Does: "answers rightly with something behind it", On: "H", post: json("$right}")},
		{Name: "json-bom", Row: 9, Does: "answers rightly behind a byte order mark", On: "H", post: json("\uFEFF$right")},
		{Name: "spaces-around-json", Row: 9, Does: "answers rightly with white space around it", On: "H", Lawful: true, post: json("\r\n\t $right\n\n")},
		{Name: "json-is-a-notification", Row: 9, Does: "answers with a notification", On: "H",
			post: json(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"no answer"}}`)},
		{Name: "json-is-a-request", Row: 9, Does: "answers with a request", On: "H", post: json(`{"jsonrpc":"2.0","id":$id,"method":"ping"}`)},
		{Name: "endless-json", Row: 10, Does: "answers with Size bytes of a text that does not end", On: "H", size: huge,
			post: endlessBody(200, "application/json", textBegin, "x")},
		{Name: "endless-space", Row: 10, Does: "answers with Size bytes of white space", On: "H", size: huge,
			post: endlessBody(200, "application/json", " ", " ")},
		{Name: "trickles", Row: 12, Does: "answers a byte every Delay", On: "H", post: (*exchange).trickle},
		{Name: "header-trickles", Row: 12, Does: "sends a byte of header every Delay, for ever", On: "HE", post: (*exchange).dripHeader},
		{Name: "early-hints", Row: 13, Does: "answers rightly after 103 Early Hints", On: "H", Lawful: true,
			post: serves(func(x *exchange) { x.w.WriteHeader(http.StatusEarlyHints) })},
		{Name: "truncated", Row: 15, Does: "answers with the first half", On: "H", post: half(ends)},
		{Name: "wrong-id", Row: 20, Does: "answers with an id that nobody used", On: "H",
			post: json(`{"jsonrpc":"2.0","id":987654321,"result":{"content":[]}}`)},
		{Name: "array-of-one", Row: 26, Does: "answers rightly in an array", On: "H", post: json("[$right]")},
		{Name: "html", Row: 27, Does: "answers with a page", On: "H", post: html(200)},
		{Name: "answers-202", Row: 27, Does: "answers with 202 and nothing", On: "H", post: respond(202, "", "")},
		{Name: "answers-204", Row: 27, Does: "answers with 204", On: "H", post: respond(204, "", "")},
		{Name: "answers-205", Row: 27, Does: "answers with 205", On: "H", post: respond(205, "", "")},
		{Name: "answers-201", Row: 27, Does: "answers rightly with 201", On: "H", post: respond(201, "application/json", "$right")},
		{Name: "text-plain", Row: 27, Does: "answers rightly as text/plain", On: "H", post: respond(200, "text/plain", "$right")},
		{Name: "no-content-type", Row: 27, Does: "answers rightly without a content type", On: "H", post: respond(200, "", "$right")},
		{Name: "odd-content-type", Row: 27, Does: "answers rightly with a malformed content type", On: "H", post: respond(200, "json;;;=", "$right")},
		{Name: "json-as-stream", Row: 27, Does: "answers in JSON that is said to be a stream", On: "H", post: respond(200, "text/event-stream", "$right")},
		{Name: "stream-as-json", Row: 27, Does: "answers with a stream that is said to be JSON", On: "H", post: json("data: $right\n\n")},
		{Name: "json-charset", Row: 27, Does: "answers rightly with a charset", On: "H", Lawful: true,
			post: respond(200, "application/json; charset=utf-8", "$right")},
		{Name: "json-upper-case", Row: 27, Does: "answers rightly as Application/JSON", On: "H", Lawful: true,
			post: respond(200, "Application/JSON ;charset=UTF-8", "$right")},
		{Name: "stream-charset", Row: 27, Does: "answers with a stream with a charset", On: "H", Lawful: true,
			post: respond(200, "Text/Event-Stream;charset=utf-8", "data: $right\n\n")},
		{Name: "gzip-bomb", Row: 31, Does: "answers with Size bytes packed into few", On: "H", size: 1 << 30,
			post: bomb("application/json", textBegin, `"}]}}`)},
		{Name: "gzip-bomb-stream", Row: 31, Does: "sends an event of Size bytes packed into few", On: "H", size: 1 << 30,
			post: bomb("text/event-stream", "data: "+textBegin, `"}]}}`+"\n\n")},
		{Name: "gzip", Row: 31, Does: "answers rightly, packed", On: "H", Lawful: true, post: (*exchange).zip},
		{Name: "gzip-lie", Row: 31, Does: "says that the answer is packed, which it is not", On: "H", post: json("$right", "Content-Encoding: gzip")},
		{Name: "unknown-encoding", Row: 31, Does: "says that the answer is packed in an unknown way", On: "H", post: json("$right", "Content-Encoding: br")},
		{Name: "length-too-long", Row: 31, Does: "announces more than there is", On: "H", post: json("$right", "Content-Length: 100000")},
		{Name: "length-too-short", Row: 31, Does: "announces less than there is", On: "H",
			post: bare("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\nConnection: close\r\n\r\n$right")},
		{Name: "length-twice", Row: 31, Does: "announces two lengths", On: "H",
			post: bare("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\nContent-Length: 30\r\n\r\n$right")},
		{Name: "huge-header", Row: 36, Does: "sends a header of Size bytes, then the answer", On: "HE", size: 2 << 20,
			post: (*exchange).swell},
		{Name: "endless-header", Row: 36, Does: "sends Size bytes of header without an end", On: "HE", size: 128 << 20,
			post: (*exchange).endlessHeader},
		{Name: "many-headers", Row: 36, Does: "sends Size lines of header, then the answer", On: "H", size: 200_000, post: (*exchange).crowd},
		{Name: "bad-header", Row: 36, Does: "sends a header with a NUL in it", On: "H",
			post: bare("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Odd: a\x00b\r\nConnection: close\r\n\r\n$right")},
	}
}
