package testserver

import (
	"strconv"
	"strings"
)

// refusals lists answers with other statuses.
func refusals() []Fault {
	var list []Fault
	for _, code := range []int{400, 401, 403, 404, 405, 408, 409, 413, 415, 429, 500, 501, 502, 503, 504} {
		list = append(list, Fault{Name: "status-" + strconv.Itoa(code), Row: 28,
			Does: "answers with " + strconv.Itoa(code) + " and text", On: "HE", post: status(code)})
	}
	return append(list, []Fault{
		{Name: "status-400-empty", Row: 28, Does: "answers with 400 and nothing", On: "HE", post: respond(400, "", "")},
		{Name: "status-400-json", Row: 28, Does: "answers with 400 and an error in JSON", On: "HE",
			post: func(x *exchange) { x.refuse(400, codeInvalidParams, "Invalid params: no such luck") }},
		{Name: "status-400-null-id", Row: 28, Does: "answers with 400 and an error with the id null", On: "H",
			post: respond(400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Bad Request"}}`)},
		{Name: "status-500-result", Row: 28, Does: "answers rightly with 500", On: "H", post: respond(500, "application/json", "$right")},
		{Name: "status-599", Row: 28, Does: "answers with 599", On: "HE", post: status(599)},
		{Name: "status-401-challenge", Row: 28, Does: "answers with 401 and a challenge", On: "HE", post: status(401, bearer)},
		{Name: "status-403-scope", Row: 28, Does: "answers with 403 and asks for a scope", On: "HE",
			post: status(403, `WWW-Authenticate: Bearer error="insufficient_scope", scope="files:write"`)},
		{Name: "retry-after-seconds", Row: 28, Does: "answers with 429 and Retry-After: 2, once", On: "HE", post: once(status(429, "Retry-After: 2"))},
		{Name: "retry-after-date", Row: 28, Does: "answers with 503 and a date in Retry-After", On: "HE",
			post: status(503, "Retry-After: Fri, 31 Dec 2100 23:59:59 GMT")},
		{Name: "retry-after-huge", Row: 28, Does: "answers with 503 and Retry-After: 10^12", On: "HE",
			post: status(503, "Retry-After: 1000000000000")},
		{Name: "retry-after-nonsense", Row: 28, Does: "answers with 503 and Retry-After: -1, soon", On: "HE",
			post: status(503, "Retry-After: -1, soon")},
		{Name: "status-500-page", Row: 28, Does: "answers with 500 and a page", On: "HE", post: html(500)},
		{Name: "status-502-endless", Row: 28, Does: "answers with 502 and Size bytes", On: "HE", size: 128 << 20,
			post: endlessBody(502, "text/plain", "Bad Gateway ", "x")},
		{Name: "status-500-slow", Row: 28, Does: "answers with 500, and never ends the body", On: "HE",
			post: func(x *exchange) { x.w.WriteHeader(500); _ = x.ctl.Flush(); x.hold() }},
		{Name: "header-mismatch-once", Row: 28, Does: "misses a header until the tools are listed again", On: "H", Era: "modern",
			post: (*exchange).mismatches},
		{Name: "header-mismatch", Row: 28, Does: "always misses a header", On: "H", Era: "modern",
			post: func(x *exchange) { x.refuse(400, codeHeaderMismatch, "Header mismatch: Mcp-Param-New is missing") }},
		{Name: "version-refused", Row: 28, Does: "does not speak the revision any more", On: "H", Era: "modern",
			post: respond(400, "application/json", `{"jsonrpc":"2.0","id":$id,"error":{"code":-32022,"message":"Unsupported protocol version",`+
				`"data":{"supported":["2099-01-01"],"requested":"2026-07-28"}}}`)},
		{Name: "session-lost", Row: 29, Does: "loses the session once, with 404", On: "H", Era: "legacy", Lawful: true, post: loses(404, 1)},
		{Name: "session-lost-again", Row: 29, Does: "loses the session again and again, with 404", On: "H", Era: "legacy", post: loses(404, 0)},
		{Name: "session-lost-400", Row: 29, Does: "loses the session once, with 400", On: "H", Era: "legacy", post: loses(400, 1)},
		{Name: "session-id-changes", Row: 29, Does: "answers with another session id", On: "H", Era: "legacy",
			post: serves(func(x *exchange) { x.w.Header().Set(headerSession, "another") })},
		{Name: "session-id-spaces", Row: 29, Does: "gives a session id with spaces and letters beyond ASCII", On: "H", Era: "legacy",
			id: func(id string) string { return "sëssion " + id }},
		{Name: "session-id-long", Row: 29, Does: "gives a session id of 100,000 bytes", On: "H", Era: "legacy",
			id: func(id string) string { return id + strings.Repeat("x", 100_000) }},
		{Name: "redirect-301", Row: 30, Does: "redirects to another path with 301", On: "HE", post: redirect(301, sameOrigin)},
		{Name: "redirect-302", Row: 30, Does: "redirects to another path with 302", On: "HE", post: redirect(302, sameOrigin)},
		{Name: "redirect-303", Row: 30, Does: "redirects to another path with 303", On: "HE", post: redirect(303, sameOrigin)},
		{Name: "redirect-307", Row: 30, Does: "redirects to another path with 307", On: "H", Lawful: true, post: redirect(307, sameOrigin)},
		{Name: "redirect-308", Row: 30, Does: "redirects to another path with 308", On: "H", Lawful: true, post: redirect(308, sameOrigin)},
		{Name: "redirect-loop", Row: 30, Does: "redirects to itself", On: "HE", post: redirect(307, "$path")},
		{Name: "redirect-chain", Row: 30, Does: "redirects five times before it serves", On: "HE", Lawful: true, post: chain(5)},
		{Name: "redirect-endless", Row: 30, Does: "redirects to ever new paths", On: "HE", post: chain(-1)},
		{Name: "redirect-elsewhere-302", Row: 30, Does: "redirects to another origin with 302", On: "HE", post: redirect(302, elsewhere)},
		{Name: "redirect-elsewhere-307", Row: 30, Does: "redirects to another origin with 307", On: "HE", post: redirect(307, elsewhere)},
		{Name: "redirect-elsewhere-308", Row: 30, Does: "redirects to another origin with 308", On: "HE", post: redirect(308, elsewhere)},
		{Name: "redirect-http", Row: 30, Does: "redirects from TLS to none", On: "HE", post: redirect(307, withoutTLS)},
		{Name: "redirect-nowhere", Row: 30, Does: "redirects without saying where to", On: "HE", post: respond(307, "", "")},
		{Name: "redirect-file", Row: 30, Does: "redirects to a file", On: "HE", post: redirect(307, "file:///etc/passwd")},
		{Name: "redirect-user", Row: 30, Does: "redirects to another origin that looks like this one", On: "HE",
			post: redirect(307, "$scheme://$host@$there$path")},
	}...)
}

// others lists what goes wrong beside requests of the client.
func others() []Fault {
	const initialized, text = "notifications/initialized", "text/plain"
	return []Fault{
		{Name: "get-400", Row: 28, Does: "refuses GET with 400", On: "HE", Era: "legacy", get: status(400)},
		{Name: "get-401", Row: 28, Does: "refuses GET with 401", On: "HE", Era: "legacy", get: status(401, bearer)},
		{Name: "get-404", Row: 28, Does: "refuses GET with 404", On: "HE", Era: "legacy", get: status(404)},
		{Name: "get-405", Row: 28, Does: "refuses GET with 405", On: "HE", Era: "legacy", get: status(405, "Allow: POST")},
		{Name: "get-406", Row: 28, Does: "refuses GET with 406", On: "HE", Era: "legacy", get: status(406)},
		{Name: "get-409", Row: 28, Does: "refuses GET with 409", On: "HE", Era: "legacy", get: status(409)},
		{Name: "get-500", Row: 28, Does: "refuses GET with 500", On: "HE", Era: "legacy", get: status(500)},
		{Name: "get-204", Row: 27, Does: "answers GET with 204", On: "HE", Era: "legacy", get: respond(204, "", "")},
		{Name: "get-html", Row: 27, Does: "answers GET with a page", On: "HE", Era: "legacy", get: html(200)},
		{Name: "get-json", Row: 27, Does: "answers GET with JSON", On: "HE", Era: "legacy", get: json(`{"status":"ok"}`)},
		{Name: "get-silent", Row: 1, Does: "never answers GET, not even with a header", On: "HE", Era: "legacy", get: (*exchange).hold},
		{Name: "get-resets", Row: 2, Does: "breaks the connection of every GET", On: "HE", Era: "legacy", get: (*exchange).reset},
		{Name: "get-ends", Row: 34, Does: "ends the stream of every GET at once", On: "HE", Era: "legacy", get: opens("", ends)},
		{Name: "get-ends-early", Row: 34, Does: "ends the stream of every GET after Delay; it can be resumed", On: "H", Era: "legacy", Lawful: true,
			options: func(o *HTTPOptions) { o.Resumable = true }, get: (*exchange).endEarly},
		{Name: "get-breaks-off", Row: 34, Does: "breaks off the stream of every GET in an event", On: "HE", Era: "legacy",
			get: opens("event: message\ndata: {", (*exchange).reset)},
		{Name: "get-redirect", Row: 30, Does: "redirects GET to another path with 307", On: "HE", Era: "legacy", Lawful: true,
			get: redirect(307, sameOrigin)},
		{Name: "get-redirect-elsewhere", Row: 30, Does: "redirects GET to another origin with 302", On: "HE", Era: "legacy",
			get: redirect(302, elsewhere)},
		{Name: "get-gzip", Row: 31, Does: "packs the stream of GET, accepted or not", On: "HE", Era: "legacy",
			get: respond(200, "text/event-stream", "", "Content-Encoding: gzip")},
		{Name: "get-storm", Row: 38, Does: "says Size times on the stream of GET that the tools have changed, then answers", On: "H", Era: "legacy",
			size: 10_000, post: (*exchange).storm},
		{Name: "delete-405", Row: 28, Does: "refuses DELETE with 405", On: "H", Era: "legacy", Lawful: true, delete: status(405)},
		{Name: "delete-404", Row: 28, Does: "refuses DELETE with 404", On: "H", Era: "legacy", delete: status(404)},
		{Name: "delete-500", Row: 28, Does: "refuses DELETE with 500", On: "H", Era: "legacy", delete: status(500)},
		{Name: "delete-silent", Row: 1, Does: "never answers DELETE", On: "H", Era: "legacy", delete: (*exchange).hold},
		{Name: "delete-resets", Row: 2, Does: "breaks the connection of DELETE", On: "H", Era: "legacy", delete: (*exchange).reset},
		{Name: "accepts-with-text", Row: 27, Does: "answers notifications with 200 and text", On: "HE", Era: "legacy",
			Method: initialized, post: quietly(respond(200, text, "Accepted"))},
		{Name: "accepts-with-200", Row: 27, Does: "answers notifications with 200 and nothing", On: "HE", Era: "legacy",
			Method: initialized, post: quietly(respond(200, "", ""))},
		{Name: "accepts-with-204", Row: 27, Does: "answers notifications with 204", On: "HE", Era: "legacy",
			Method: initialized, post: quietly(respond(204, "", ""))},
		{Name: "accepts-with-json", Row: 27, Does: "answers notifications with 202 and null", On: "HE", Era: "legacy",
			Method: initialized, post: quietly(respond(202, "application/json", "null"))},
		{Name: "accepts-with-stream", Row: 27, Does: "answers notifications with a stream that does not end", On: "HE", Era: "legacy",
			Method: initialized, post: quietly(opens(": hello\n\n", (*exchange).hold))},
		{Name: "notification-500", Row: 28, Does: "answers notifications with 500", On: "HE", Era: "legacy",
			Method: initialized, post: quietly(status(500))},
		{Name: "notification-silent", Row: 1, Does: "never answers notifications", On: "HE", Era: "legacy",
			Method: initialized, post: quietly((*exchange).hold)},
	}
}
