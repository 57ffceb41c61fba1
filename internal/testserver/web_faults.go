package testserver

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
)

const (
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"
	huge       = 128 << 20

	// challenge is the header of a server that wants authorization.
	challenge = `WWW-Authenticate: Bearer realm="test", error="invalid_token", ` +
		`resource_metadata="$foreign/.well-known/oauth-protected-resource"`

	otherVersion = `{"jsonrpc":"2.0","id":$id,"error":{"code":-32022,"message":"Unsupported protocol version",` +
		`"data":{"supported":["2099-01-01"],"requested":"2026-07-28"}}}`
)

// group returns faults with the fields of common that they do not set themselves.
func group(common Fault, faults []Fault) []Fault {
	for i := range faults {
		f := &faults[i]
		f.Row = cmp.Or(f.Row, common.Row)
		f.On = cmp.Or(f.On, common.On)
		f.Era = cmp.Or(f.Era, common.Era)
		f.Method = cmp.Or(f.Method, common.Method)
		f.Lawful = f.Lawful || common.Lawful
	}
	return faults
}

// discoverFaults lists what servers do that do not know server/discover.
func discoverFaults() []Fault {
	return group(Fault{On: "H", Era: "legacy", Method: "server/discover"}, []Fault{
		{Name: "discover-404", Does: "responds to server/discover with 404 and a page", post: html(404)},
		{Name: "discover-401", Does: "responds to server/discover with 401", post: status(401, challenge)},
		{Name: "discover-404-session", Does: "responds to server/discover with 404 and -32001",
			post: refuses(404, codeNoSession, "Session not found")},
		{Name: "discover-400-empty", Does: "responds to server/discover with 400 and no body", post: sends(400, "", "")},
		{Name: "discover-400-text", Does: "responds to server/discover with 400 and text",
			post: sends(400, "text/plain", "Invalid session ID\n")},
		{Name: "discover-400-method", Does: "responds to server/discover with 400 and -32601",
			post: refuses(400, codeMethodNotFound, "Method not found")},
		{Name: "discover-400-odd-json", Does: "responds to server/discover with 400 and JSON that is not a message",
			post: sends(400, typeJSON, `{"error":"bad_request","code":-32022}`)},
		{Name: "discover-405", Does: "responds to server/discover with 405", post: status(405, "Allow: GET")},
		{Name: "discover-406", Does: "responds to server/discover with 406", post: status(406)},
		{Name: "discover-422", Does: "responds to server/discover with 422",
			post: sends(422, typeJSON, `{"detail":[{"loc":["body","method"],"msg":"unexpected value"}]}`)},
		{Name: "discover-500", Does: "responds to server/discover with 500", post: status(500)},
		{Name: "discover-202", Does: "responds to server/discover with 202", post: sends(202, "", "")},
		{Name: "discover-empty-stream", Does: "responds to server/discover with a stream without events", post: opens("", ends)},
		{Name: "discover-reset", Does: "resets the connection of server/discover", post: (*exchange).reset},
		{Name: "discover-ends", Does: "ends on server/discover, until the test starts the server again", post: (*exchange).endServer},
		{Name: "discover-other-versions", Does: "speaks only 2099-01-01", Era: "modern", post: sends(400, typeJSON, otherVersion)},
	})
}

// openingFaults lists the faults that prevent a session.
func openingFaults() []Fault {
	all := group(Fault{On: "HE", Method: "*"}, []Fault{
		{Name: "hangs-up", Row: 3, Does: "closes every connection", post: (*exchange).reset},
		{Name: "no-http", Row: 3, Does: "speaks another protocol than HTTP", post: bare("220 mail.example ESMTP ready\r\n")},
		{Name: "website", Row: 27, Does: "is a website: every response is a page", post: html(200)},
		{Name: "not-there", Row: 28, Does: "is another website: every response is 404", post: html(404)},
		{Name: "api", Row: 28, Does: "is another API: every response is 404 with JSON",
			post: sends(404, typeJSON, `{"error":"not_found","message":"No route"}`)},
		{Name: "locked", Row: 28, Does: "always responds with 401", post: status(401, challenge)},
		{Name: "out-of-order", Row: 28, Does: "always responds with 503", post: status(503, "Retry-After: 1")},
		{Name: "moved", Row: 30, Does: "redirects every request to another path, with 308", Lawful: true, post: redirect(308, sameOrigin)},
		{Name: "moved-elsewhere", Row: 30, Does: "redirects every request to another origin, with 308", post: redirect(308, otherOrigin)},
	})
	return append(all, []Fault{
		{Name: "bad-certificate", Row: 3, Does: "presents a certificate for another machine, with TLS", On: "HE", badCertificate: true},
		{Name: "initialize-503", Row: 28, Does: "responds to initialize with 503", On: "HE", Era: "legacy", Method: "initialize", post: status(503)},
		{Name: "initialize-html", Row: 27, Does: "responds to initialize with a page", On: "H", Era: "legacy", Method: "initialize", post: html(200)},
	}...)
}

// responseFaults lists what is wrong with JSON responses.
func responseFaults() []Fault {
	return group(Fault{On: "H"}, []Fault{
		{Name: "resets", Row: 2, Does: "resets the connection instead of responding", On: "HE", post: (*exchange).reset},
		{Name: "resets-midway", Row: 2, Does: "resets the connection in the middle of the response", post: half((*exchange).reset)},
		{Name: "reads-nothing", Row: 7, Does: "does not read bodies longer than 64 KiB", On: "HE", unread: true},
		{Name: "no-json", Row: 9, Does: "responds with text that is not JSON", post: jsonBody("Internal error: no such luck")},
		{Name: "empty-json", Row: 9, Does: "responds with an empty body as JSON", post: jsonBody("")},
		{Name: "two-values", Row: 9, Does: "responds with two JSON values", post: jsonBody("$right\n$right")},
		{Name: "trailing-garbage", Row: 9, Does: "sends a character after the correct response", post: jsonBody("$right}")},
		{Name: "json-bom", Row: 9, Does: "sends a byte order mark before the correct response", post: jsonBody("\uFEFF$right")},
		{Name: "spaces-around-json", Row: 9, Does: "sends white space around the correct response", Lawful: true, post: jsonBody("\r\n\t $right\n\n")},
		{Name: "json-is-a-notification", Row: 9, Does: "responds with a notification",
			post: jsonBody(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"no answer"}}`)},
		{Name: "json-is-a-request", Row: 9, Does: "responds with a request", post: jsonBody(`{"jsonrpc":"2.0","id":$id,"method":"ping"}`)},
		{Name: "endless-json", Row: 10, Does: "responds with Size bytes of a string that does not end", size: huge,
			post: endlessBody(200, typeJSON, textBegin, "x")},
		{Name: "endless-space", Row: 10, Does: "responds with Size bytes of white space", size: huge, post: endlessBody(200, typeJSON, " ", " ")},
		{Name: "trickles", Row: 12, Does: "sends a byte of the response every Delay", post: (*exchange).trickle},
		{Name: "header-trickles", Row: 12, Does: "sends a byte of the header every Delay, without an end", On: "HE", post: (*exchange).trickleHeader},
		{Name: "early-hints", Row: 13, Does: "responds correctly after 103 Early Hints", Lawful: true,
			post: serves(func(x *exchange) { x.w.WriteHeader(http.StatusEarlyHints) })},
		{Name: "truncated", Row: 15, Does: "sends the first half of the response", post: half(ends)},
		{Name: "wrong-id", Row: 20, Does: "responds with an id that was never used",
			post: jsonBody(`{"jsonrpc":"2.0","id":987654321,"result":{"content":[]}}`)},
		{Name: "array-of-one", Row: 26, Does: "sends the correct response in an array", post: jsonBody("[$right]")},
		{Name: "html", Row: 27, Does: "responds with a page", post: html(200)},
		{Name: "answers-202", Row: 27, Does: "responds with 202 and no body", post: sends(202, "", "")},
		{Name: "answers-204", Row: 27, Does: "responds with 204", post: sends(204, "", "")},
		{Name: "answers-205", Row: 27, Does: "responds with 205", post: sends(205, "", "")},
		{Name: "answers-201", Row: 27, Does: "sends the correct response with 201", post: sends(201, typeJSON, "$right")},
		{Name: "text-plain", Row: 27, Does: "sends the correct response as text/plain", post: sends(200, "text/plain", "$right")},
		{Name: "no-content-type", Row: 27, Does: "sends the correct response without a media type", post: sends(200, "", "$right")},
		{Name: "odd-content-type", Row: 27, Does: "sends the correct response with a malformed media type", post: sends(200, "json;;;=", "$right")},
		{Name: "json-as-stream", Row: 27, Does: "sends JSON with the media type of a stream", post: sends(200, typeEvents, "$right")},
		{Name: "stream-as-json", Row: 27, Does: "sends a stream with the media type of JSON", post: jsonBody("data: $right\n\n")},
		{Name: "json-charset", Row: 27, Does: "names a charset", Lawful: true, post: sends(200, "application/json; charset=utf-8", "$right")},
		{Name: "json-upper-case", Row: 27, Does: "sends the media type Application/JSON", Lawful: true,
			post: sends(200, "Application/JSON ;charset=UTF-8", "$right")},
		{Name: "stream-charset", Row: 27, Does: "sends a stream with a charset", Lawful: true,
			post: sends(200, "Text/Event-Stream;charset=utf-8", "data: $right\n\n")},
		{Name: "gzip-bomb", Row: 31, Does: "responds with Size bytes compressed into few", size: 1 << 30, post: bomb(typeJSON, textBegin, `"}]}}`)},
		{Name: "gzip-bomb-stream", Row: 31, Does: "sends an event of Size bytes compressed into few", size: 1 << 30,
			post: bomb(typeEvents, "data: "+textBegin, `"}]}}`+"\n\n")},
		{Name: "gzip", Row: 31, Does: "compresses the correct response, if the client accepts that", Lawful: true, post: (*exchange).zip},
		{Name: "gzip-lie", Row: 31, Does: "declares a response compressed that is not", post: jsonBody("$right", "Content-Encoding: gzip")},
		{Name: "unknown-encoding", Row: 31, Does: "declares an unknown compression", post: jsonBody("$right", "Content-Encoding: br")},
		{Name: "length-too-long", Row: 31, Does: "declares a length greater than the body", post: jsonBody("$right", "Content-Length: 100000")},
		{Name: "length-too-short", Row: 31, Does: "declares a length smaller than the body",
			post: bare("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\nConnection: close\r\n\r\n$right")},
		{Name: "length-twice", Row: 31, Does: "declares two lengths",
			post: bare("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\nContent-Length: 30\r\n\r\n$right")},
		{Name: "huge-header", Row: 36, Does: "sends a header of Size bytes, then the response", On: "HE", size: 2 << 20, post: (*exchange).hugeHeader},
		{Name: "endless-header", Row: 36, Does: "sends Size bytes of a header that does not end", On: "HE", size: huge, post: (*exchange).endlessHeader},
		{Name: "many-headers", Row: 36, Does: "sends Size header lines, then the response", size: 200_000, post: (*exchange).manyHeaders},
		{Name: "bad-header", Row: 36, Does: "sends a header that contains NUL",
			post: bare("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Odd: a\x00b\r\nConnection: close\r\n\r\n$right")},
	})
}

// statusFaults lists responses with other statuses than 200.
func statusFaults() []Fault {
	var list []Fault
	for _, code := range []int{400, 401, 403, 404, 405, 408, 409, 413, 415, 429, 500, 501, 502, 503, 504} {
		list = append(list, Fault{Name: "status-" + strconv.Itoa(code), Does: "responds with " + strconv.Itoa(code) + " and text", post: status(code)})
	}
	list = append(list, []Fault{
		{Name: "status-400-empty", Does: "responds with 400 and no body", post: sends(400, "", "")},
		{Name: "status-400-json", Does: "responds with 400 and an error as JSON",
			post: refuses(400, codeInvalidParams, "Invalid params: no such luck")},
		{Name: "status-400-null-id", Does: "responds with 400 and an error with the id null", On: "H",
			post: sends(400, typeJSON, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Bad Request"}}`)},
		{Name: "status-500-result", Does: "sends the correct response with 500", On: "H", post: sends(500, typeJSON, "$right")},
		{Name: "status-599", Does: "responds with 599", post: status(599)},
		{Name: "status-401-challenge", Does: "responds with 401 and a challenge", post: status(401, challenge)},
		{Name: "status-403-scope", Does: "responds with 403 and requires a scope",
			post: status(403, `WWW-Authenticate: Bearer error="insufficient_scope", scope="files:write"`)},
		{Name: "retry-after-seconds", Does: "responds with 429 and Retry-After: 2, once", post: once(status(429, "Retry-After: 2"))},
		{Name: "retry-after-date", Does: "responds with 503 and a date in Retry-After", post: status(503, "Retry-After: Fri, 31 Dec 2100 23:59:59 GMT")},
		{Name: "retry-after-huge", Does: "responds with 503 and Retry-After: 10^12", post: status(503, "Retry-After: 1000000000000")},
		{Name: "retry-after-nonsense", Does: "responds with 503 and Retry-After: -1, soon", post: status(503, "Retry-After: -1, soon")},
		{Name: "status-500-page", Does: "responds with 500 and a page", post: html(500)},
		{Name: "status-502-endless", Does: "responds with 502 and Size bytes", size: huge, post: endlessBody(502, "text/plain", "Bad Gateway ", "x")},
		{Name: "status-500-slow", Does: "responds with 500 and a body that does not end",
			post: func(x *exchange) { x.w.WriteHeader(500); _ = x.ctl.Flush(); x.hold() }},
		{Name: "header-mismatch-once", Does: "reports a missing header until tools/list is called", On: "H", Era: "modern",
			post: (*exchange).mismatchOnce},
		{Name: "header-mismatch", Does: "always reports a missing header", On: "H", Era: "modern",
			post: refuses(400, codeHeaderMismatch, missingHeader)},
		{Name: "version-refused", Does: "no longer speaks the protocol version", On: "H", Era: "modern", post: sends(400, typeJSON, otherVersion)},
	}...)
	return group(Fault{Row: 28, On: "HE"}, list)
}

// sessionFaults lists the faults of session ids.
func sessionFaults() []Fault {
	return group(Fault{Row: 29, On: "H", Era: "legacy"}, []Fault{
		{Name: "session-lost", Does: "loses the session once, with 404", Lawful: true, post: losesSession(refuses(404, codeNoSession, "Session not found"), 1)},
		{Name: "session-lost-again", Does: "loses every session, with 404", post: losesSession(refuses(404, codeNoSession, "Session not found"), 0)},
		{Name: "session-lost-400", Does: "loses the session once, with 400", post: losesSession(refuses(400, codeNoSession, "Session not found"), 1)},
		{Name: "session-lost-400-null-id", Does: "loses the session once, with 400 and an error with the id null", Lawful: true,
			post: restarts(1), lostSession: noValidSession},
		{Name: "session-lost-400-text", Does: "loses the session once, with 400 and text",
			post: restarts(1), lostSession: sends(400, "text/plain", "No valid session ID provided\n")},
		{Name: "session-lost-400-null-id-again", Does: "loses every session, with 400 and an error with the id null",
			post: restarts(0), lostSession: noValidSession},
		{Name: "pages", Does: "responds with a page at every other path", Lawful: true, pages: true},
		{Name: "session-sticky", Does: "is behind a load balancer, which finds the session by a cookie", Lawful: true, sticky: true},
		{Name: "session-id-changes", Does: "responds with another session id",
			post: serves(func(x *exchange) { x.w.Header().Set(headerSession, "another") })},
		{Name: "session-id-spaces", Does: "assigns a session id with spaces and letters that are not ASCII",
			id: func(id string) string { return "sëssion " + id }},
		{Name: "session-id-long", Does: "assigns a session id of 100,000 bytes",
			id: func(id string) string { return id + strings.Repeat("x", 100_000) }},
	})
}

func redirectFaults() []Fault {
	return group(Fault{Row: 30, On: "HE"}, []Fault{
		{Name: "redirect-301", Does: "redirects to another path with 301", post: redirect(301, sameOrigin)},
		{Name: "redirect-302", Does: "redirects to another path with 302", post: redirect(302, sameOrigin)},
		{Name: "redirect-303", Does: "redirects to another path with 303", post: redirect(303, sameOrigin)},
		{Name: "redirect-307", Does: "redirects to another path with 307", On: "H", Lawful: true, post: redirect(307, sameOrigin)},
		{Name: "redirect-308", Does: "redirects to another path with 308", On: "H", Lawful: true, post: redirect(308, sameOrigin)},
		{Name: "redirect-loop", Does: "redirects to the same URL", post: redirect(307, "$path")},
		{Name: "redirect-chain", Does: "redirects five times before it serves", Lawful: true, post: chain(5)},
		{Name: "redirect-endless", Does: "redirects to ever new paths", post: chain(-1)},
		{Name: "redirect-elsewhere-302", Does: "redirects to another origin with 302", post: redirect(302, otherOrigin)},
		{Name: "redirect-elsewhere-307", Does: "redirects to another origin with 307", post: redirect(307, otherOrigin)},
		{Name: "redirect-elsewhere-308", Does: "redirects to another origin with 308", post: redirect(308, otherOrigin)},
		{Name: "redirect-http", Does: "redirects from TLS to plain HTTP", post: redirect(307, "$plain$path")},
		{Name: "redirect-nowhere", Does: "redirects without a Location", post: sends(307, "", "")},
		{Name: "redirect-file", Does: "redirects to a file", post: redirect(307, "file:///etc/passwd")},
		{Name: "redirect-user", Does: "redirects to another origin that looks like this one", post: redirect(307, "$scheme://$host@$there$path")},
	})
}

// getFaults lists the faults of GET, which opens the stream of the server's own
// messages.
func getFaults() []Fault {
	return group(Fault{On: "HE", Era: "legacy"}, []Fault{
		{Name: "get-400", Row: 28, Does: "refuses GET with 400", get: status(400)},
		{Name: "get-401", Row: 28, Does: "refuses GET with 401", get: status(401, challenge)},
		{Name: "get-404", Row: 28, Does: "refuses GET with 404", get: status(404)},
		{Name: "get-405", Row: 28, Does: "refuses GET with 405", get: status(405, "Allow: POST")},
		{Name: "get-406", Row: 28, Does: "refuses GET with 406", get: status(406)},
		{Name: "get-409", Row: 28, Does: "refuses GET with 409", get: status(409)},
		{Name: "get-500", Row: 28, Does: "refuses GET with 500", get: status(500)},
		{Name: "get-204", Row: 27, Does: "responds to GET with 204", get: sends(204, "", "")},
		{Name: "get-html", Row: 27, Does: "responds to GET with a page", get: html(200)},
		{Name: "get-json", Row: 27, Does: "responds to GET with JSON", get: jsonBody(`{"status":"ok"}`)},
		{Name: "get-silent", Row: 1, Does: "never responds to GET, not even with a header", get: (*exchange).hold},
		{Name: "get-buffered", Row: 1, Does: "is behind a proxy that holds the header of GET until the first message", On: "H", Lawful: true,
			get: (*exchange).buffer},
		{Name: "get-resets", Row: 2, Does: "resets the connection of every GET", get: (*exchange).reset},
		{Name: "get-ends", Row: 34, Does: "ends the stream of every GET at once", get: opens("", ends)},
		{Name: "get-ends-early", Row: 34, Does: "ends the stream of every GET after Delay; it can be resumed", On: "H", Lawful: true,
			resumable: true, get: (*exchange).endEarly},
		{Name: "get-405-later", Row: 34, Does: "ends the stream of GET after Delay, and then refuses GET with 405", On: "H",
			get: func(x *exchange) {
				if x.h.countInjection() > 1 {
					status(405, "Allow: POST")(x)
					return
				}
				x.endEarly()
			}},
		{Name: "get-breaks-off", Row: 34, Does: "resets the stream of every GET in an event", get: opens("event: message\ndata: {", (*exchange).reset)},
		{Name: "get-redirect", Row: 30, Does: "redirects GET to another path with 307", Lawful: true, get: redirect(307, sameOrigin)},
		{Name: "get-redirect-elsewhere", Row: 30, Does: "redirects GET to another origin with 302", get: redirect(302, otherOrigin)},
		{Name: "get-gzip", Row: 31, Does: "compresses the stream of GET even if the client does not accept that",
			get: sends(200, typeEvents, "", "Content-Encoding: gzip")},
		{Name: "get-storm", Row: 38, Does: "sends Size list changes on the stream of GET, then responds", On: "H", size: 10_000, post: (*exchange).storm},
		{Name: "delete-405", Row: 28, Does: "refuses DELETE with 405", On: "H", Lawful: true, delete: status(405)},
		{Name: "delete-404", Row: 28, Does: "refuses DELETE with 404", On: "H", delete: status(404)},
		{Name: "delete-500", Row: 28, Does: "refuses DELETE with 500", On: "H", delete: status(500)},
		{Name: "delete-silent", Row: 1, Does: "never responds to DELETE", On: "H", delete: (*exchange).hold},
		{Name: "delete-resets", Row: 2, Does: "resets the connection of DELETE", On: "H", delete: (*exchange).reset},
	})
}

func notificationFaults() []Fault {
	return group(Fault{On: "HE", Era: "legacy", Method: "notifications/initialized"}, []Fault{
		{Name: "accepts-with-text", Row: 27, Does: "responds to notifications with 200 and text", post: acceptsWith(sends(200, "text/plain", "Accepted"))},
		{Name: "accepts-with-200", Row: 27, Does: "responds to notifications with 200 and no body", post: acceptsWith(sends(200, "", ""))},
		{Name: "accepts-with-204", Row: 27, Does: "responds to notifications with 204", post: acceptsWith(sends(204, "", ""))},
		{Name: "accepts-with-json", Row: 27, Does: "responds to notifications with 202 and null", post: acceptsWith(sends(202, typeJSON, "null"))},
		{Name: "accepts-with-error", Row: 20, Does: "responds to notifications with 200 and an error without an id", On: "H",
			post: acceptsWith(sends(200, typeJSON, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`))},
		{Name: "accepts-with-stream", Row: 27, Does: "responds to notifications with a stream that does not end",
			post: acceptsWith(opens(": hello\n\n", (*exchange).hold))},
		{Name: "notification-500", Row: 28, Does: "responds to notifications with 500", post: acceptsWith(status(500))},
		{Name: "notification-silent", Row: 1, Does: "never responds to notifications", post: acceptsWith((*exchange).hold)},
	})
}
