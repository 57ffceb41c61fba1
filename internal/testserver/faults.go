package testserver

import (
	"os/exec"
	"strconv"
	"strings"
)

// correctResponse is the response to a call of the tool echo.
const correctResponse = `{"jsonrpc":"2.0","id":$id,"result":$result}`

// messageFaults lists the faults of messages, which any transport can have.
func messageFaults() []Fault {
	const right = correctResponse
	all := group(Fault{On: "SHE", Era: "legacy", Method: "server/discover"}, []Fault{
		{Name: "discover-silent", Does: "never responds to server/discover", call: (*call).hang},
		{Name: "discover-dies", Does: "exits on server/discover", On: "S", call: exitFault("fatal: unknown method server/discover")},
		{Name: "discover-wedges", Does: "never responds to server/discover and exits on the next message", On: "S", call: (*call).wedge},
		{Name: "discover-invalid-params", Does: "responds to server/discover with -32602",
			call: errorFault(codeInvalidParams, "Invalid request parameters")},
		{Name: "discover-server-error", Does: "responds to server/discover with -32000",
			call: errorFault(codeRefused, "Bad Request: Server not initialized")},
		{Name: "discover-odd-result", Does: "responds to server/discover with the result of another method", call: resultFault(`{"tools":[]}`)},
		{Name: "discover-one-version", Does: "responds to server/discover with a version in place of a list of versions",
			call: resultFault(`{"resultType":"complete","supportedVersions":"2026-07-28","capabilities":{}}`)},
		{Name: "discover-slow", Does: "responds to server/discover after Delay", On: "SH", Era: "modern", call: (*call).delayResponse},
	})
	all = append(all, group(Fault{On: "SHE", Era: "legacy", Method: "initialize"}, []Fault{
		{Name: "initialize-silent", Does: "never responds to initialize", call: (*call).hang},
		{Name: "initialize-error", Does: "responds to initialize with an error", call: errorFault(-32603, "out of order today")},
		{Name: "initialize-odd-version", Does: "speaks an unknown protocol version",
			call: resultFault(`{"protocolVersion":"1999-12-31","capabilities":{},"serverInfo":{"name":"odd","version":"1"}}`)},
		{Name: "initialize-malformed", Does: "responds to initialize with an empty result", call: resultFault("{}")},
	})...)
	all = append(all, group(Fault{On: "SHE"}, []Fault{
		{Name: "mute", Row: 1, Does: "never responds to any request", Method: "*", call: (*call).hang},
		{Name: "never-answers", Row: 1, Does: "never responds", call: (*call).hang},
		{Name: "answers-late", Row: 1, Does: "responds after Delay, even if the call was canceled", call: (*call).respondLate},
		{Name: "notification-storm", Row: 11, Does: "sends Size notifications, then responds", size: 1_000_000,
			call: floodFault(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"storm"}}`)},
		{Name: "invalid-utf8", Row: 16, Does: "responds with bytes that are not UTF-8",
			call: resultFault("{\"content\":[{\"type\":\"text\",\"text\":\"\xff\xc0\xaf\"}]}")},
		{Name: "lone-surrogate", Row: 16, Does: "responds with half of a surrogate pair",
			call: resultFault(`{"content":[{"type":"text","text":"\ud800"}]}`)},
		{Name: "duplicate-keys", Row: 17, Does: "responds with two results",
			call: respondWith(`{"jsonrpc":"2.0","id":$id,"result":{"content":[]},"result":$result}`)},
		{Name: "duplicate-inner-keys", Row: 17, Does: "responds with two contents in the result",
			call: resultFault(`{"content":[],"content":[{"type":"text","text":"second"}]}`)},
		{Name: "other-case-keys", Row: 17, Does: "responds with ID and Result, then correctly",
			call: respondWith(`{"jsonrpc":"2.0","ID":$id,"Result":{"content":[]}}`, right)},
		{Name: "long-s-keys", Row: 17, Does: "responds with ſ for s in result",
			call: respondWith(`{"jsonrpc":"2.0","id":$id,"reſult":{"content":[]}}`)},
		{Name: "nul-keys", Row: 17, Does: "responds with NUL after the keys, then correctly",
			call: respondWith(`{"jsonrpc":"2.0","id\u0000":$id,"result\u0000":{"content":[]}}`, right)},
		{Name: "deep-nesting", Row: 18, Does: "responds with arrays nested Size deep", size: 100_000, call: (*call).nest},
		{Name: "large-numbers", Row: 19, Does: "responds with 2^53+1 and 1e400 in structured content",
			call: resultFault(`{"content":[],"structuredContent":{"exact":9007199254740993,"huge":1e400,"tiny":-0.0}}`)},
		{Name: "unknown-id", Row: 20, Does: "responds with an id that was never used, then correctly",
			call: respondWith(`{"jsonrpc":"2.0","id":987654321,"result":{"content":[]}}`, right)},
		{Name: "null-id", Row: 20, Does: "responds with the id null, then correctly",
			call: respondWith(`{"jsonrpc":"2.0","id":null,"result":{"content":[]}}`, right)},
		{Name: "null-id-error", Row: 20, Does: "sends an error with the id null, then responds correctly",
			call: respondWith(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, right)},
		{Name: "answers-notifications", Row: 20, Does: "responds to notifications with results and errors without an id", On: "SE", Era: "legacy", Method: "initialize",
			answers: []string{`{"jsonrpc":"2.0","result":null}`, `{"jsonrpc":"2.0","id":null,"result":{}}`,
				`{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"}}`}},
		{Name: "refuses-notifications", Row: 20, Does: "responds to notifications with -32600 and the id null", On: "SE", Era: "legacy", Method: "initialize",
			answers: []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`}},
		{Name: "answers-twice", Row: 20, Does: "responds correctly, then once more",
			call: respondWith(right, `{"jsonrpc":"2.0","id":$id,"result":{"content":[]}}`)},
		{Name: "string-id", Row: 21, Does: `responds with the id "1" for 1, then correctly`,
			call: respondWith(`{"jsonrpc":"2.0","id":"$id","result":{"content":[]}}`, right)},
		{Name: "result-and-error", Row: 21, Does: "responds with a result and an error",
			call: respondWith(`{"jsonrpc":"2.0","id":$id,"result":$result,"error":{"code":1,"message":"both"}}`)},
		{Name: "neither", Row: 21, Does: "responds with neither a result nor an error", call: respondWith(`{"jsonrpc":"2.0","id":$id}`)},
		{Name: "null-error", Row: 21, Does: "responds with a correct result and an error that is null",
			call: respondWith(`{"jsonrpc":"2.0","id":$id,"result":$result,"error":null}`)},
		{Name: "string-error", Row: 21, Does: "responds with an error that is a string",
			call: respondWith(`{"jsonrpc":"2.0","id":$id,"error":"boom"}`)},
		{Name: "error-without-code", Row: 21, Does: "responds with an error without a code",
			call: respondWith(`{"jsonrpc":"2.0","id":$id,"error":{"message":"no code"}}`)},
		{Name: "error-with-text-code", Row: 21, Does: "responds with an error whose code is a text",
			call: respondWith(`{"jsonrpc":"2.0","id":$id,"error":{"code":"E_CITY","message":"no such city"}}`)},
		{Name: "error-with-data", Row: 21, Does: "responds with an error whose data has the reason, and a URL with a password",
			call: respondWith(`{"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":"Invalid params","data":{"detail":"city must be one of Rome, Oslo; see http://u:pw@h/"}}}`)},
		{Name: "wrong-version", Row: 21, Does: `responds with the jsonrpc "1.0"`,
			call: respondWith(`{"jsonrpc":"1.0","id":$id,"result":$result}`)},
		{Name: "null-result", Row: 21, Does: "responds with the result null", call: resultFault("null")},
		{Name: "array-result", Row: 21, Does: "responds with a result that is an array", call: resultFault("[]")},
		{Name: "no-content", Row: 21, Does: "responds with a result without content", call: resultFault(`{"isError":false}`)},
		{Name: "null-content", Row: 21, Does: "responds with content that is null", call: resultFault(`{"content":null}`)},
		{Name: "null-text", Row: 21, Does: "responds with a resource whose text is null, before its data, and then correctly",
			call: func(c *call) {
				c.result(`"content":[{"type":"resource","resource":{"uri":"file:///a","text":null,"blob":"aGk="}},` +
					textBlock(c.params.optObject("arguments").optText("message")) + "]")
			}},
		{Name: "tool-result", Row: 21, Does: "responds with a toolResult, which only drafts had", call: resultFault(`{"toolResult":"hi"}`)},
		{Name: "unknown-result-type", Row: 21, Does: "responds with an unknown resultType",
			call: resultFault(`{"resultType":"riddle","content":[]}`)},
		{Name: "null-tools", Row: 21, Does: "responds to tools/list with tools that are null", Method: "tools/list",
			call: resultFault(`{"tools":null}`)},
		{Name: "null-tool", Row: 21, Does: "responds to tools/list with a tool that is null", Method: "tools/list",
			call: resultFault(`{"tools":[null,{"name":"echo","inputSchema":{"type":"object"}}]}`)},
		{Name: "odd-tool", Row: 21, Does: "responds to tools/list with members of other types: a hint, a description and icons", Method: "tools/list",
			call: resultFault(`{"tools":[{"name":"echo","description":["Repeats"],"icons":"none","annotations":{"readOnlyHint":"true"},` +
				`"inputSchema":{"type":"object"}}]}`)},
		{Name: "server-requests", Row: 23, Does: "sends a ping and an unknown request, then responds", call: (*call).sendRequests},
		{Name: "decreasing-progress", Row: 25, Does: "reports 3, 2, 2 and 1 of 3, then responds",
			call: respondWith(progress("$token", "3"), progress("$token", "2"), progress("$token", "2"), progress("$token", "1"), right)},
		{Name: "unknown-progress", Row: 25, Does: "reports progress with unknown tokens, then responds",
			call: respondWith(progress(`"nobody's"`, "1"), progress("null", "1"), right)},
		{Name: "bad-progress", Row: 25, Does: "reports progress that is not a number, then responds",
			call: respondWith(progress("$token", `"half"`), progress("$token", "null"), progress("[$token]", "1"), right)},
		{Name: "late-progress", Row: 25, Does: "responds, then reports progress", call: respondWith(right, progress("$token", "1"))},
		{Name: "endless-progress", Row: 25, Does: "reports progress every Delay and never responds", call: (*call).endlessProgress},
		{Name: "batch", Row: 26, Does: "responds in an array with a notification", call: respondWith(
			`[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}},` + right + `]`)},
		{Name: "endless-pages", Row: 37, Does: "has one more page whenever tools/list is called", Method: "tools/list", call: (*call).endlessPages},
		{Name: "same-cursor", Row: 37, Does: "gives every page of tools/list the same cursor", Method: "tools/list",
			call: resultFault(`{"tools":[{"name":"echo","inputSchema":{"type":"object"}}],"nextCursor":"again"}`)},
		{Name: "empty-cursor", Row: 37, Does: "has two pages of tools, of which the second has an empty cursor", Era: "modern", Method: "tools/list",
			call: (*call).emptyCursor},
		{Name: "empty-cursor-at-end", Row: 37, Does: "gives every page of tools/list an empty cursor", Era: "legacy", Lawful: true, Method: "tools/list",
			call: resultFault(`{"tools":[{"name":"first","inputSchema":{"type":"object"}}],"nextCursor":""}`)},
		{Name: "list-changed-storm", Row: 38, Does: "sends Size changes of the tools, then responds", size: 10_000,
			call: floodFault(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)},
		{Name: "subscription-storm", Row: 38, Does: "sends Size changes of the tools to all subscriptions, then responds", size: 10_000,
			call: (*call).storm},
		{Name: "null-params", Row: 38, Does: "has one more tool after each call, and reports that with params that are null", Era: "legacy",
			call: func(c *call) {
				c.s.srv.addOne()
				c.reply([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":null}`))
				c.serve()
			}},
		{Name: "silent-change", Row: 38, Does: "has one more tool whenever tools/list is called", Method: "tools/list",
			call: func(c *call) { c.s.srv.addOne(); c.serve() }},
	})...)
	return all
}

// byteFaults lists the faults of byte streams and processes.
func byteFaults() []Fault {
	return group(Fault{On: "S"}, []Fault{
		{Name: "dies-mid-call", Row: 2, Does: "exits instead of responding", call: exitFault("fatal: out of luck")},
		{Name: "exits-at-start", Row: 3, Does: "writes to stderr and exits with status 3",
			start: exitsAtStart("", "fatal: no configuration file\n")},
		{Name: "usage-and-exit", Row: 3, Does: "prints its usage and exits", start: exitsAtStart("Usage: server [options]\n  -h  help\n", "")},
		{Name: "starts-slowly", Does: "reads nothing until Delay has passed", start: func(t *stream) bool { return t.wait(t.srv.opts.Delay) }},
		{Name: "ignores-eof", Row: 5, Does: "ignores the end of stdin and SIGTERM", Process: true,
			start: func(*stream) bool { ignoreSignals(); return true }, end: (*stream).linger},
		{Name: "grandchild", Row: 6, Does: "starts a process that holds the pipes for 10 times Delay", Process: true,
			start: func(t *stream) bool { t.spawn(func(*exec.Cmd) {}); return true }},
		{Name: "grandchild-escapes", Row: 6, Does: "starts a process in another session that holds the pipes for 10 times Delay", Process: true,
			start: func(t *stream) bool { t.spawn(escape); return true }},
		{Name: "never-reads", Row: 7, Does: "reads nothing", start: func(t *stream) bool { t.wait(maxLife); return false }},
		{Name: "stops-reading", Row: 7, Does: "reads nothing after the call", call: func(c *call) { c.s.stream.wait(maxLife) }},
		{Name: "floods-stderr", Row: 8, Does: "writes Size bytes to stderr, then responds", size: 64 << 20, call: (*call).floodStderr},
		{Name: "banner", Row: 9, Does: "prints text and an object before the first message",
			wrap: startsWith("Server v1.0 — ready.\n\n{\"level\":\"info\",\"msg\":\"listening\"}\n[info] {not json\n")},
		{Name: "chatter", Row: 9, Does: "prints text before every message",
			wrap: inParts(func(text string) []string { return []string{"DEBUG sending…\n\n", text} })},
		{Name: "content-length", Row: 9, Does: "writes Content-Length before every message, and no line break after it",
			wrap: inParts(func(text string) []string {
				text = strings.TrimSuffix(text, "\n")
				return []string{"Content-Length: " + strconv.Itoa(len(text)) + "\r\n\r\n" + text}
			})},
		{Name: "no-line-break", Row: 9, Does: "writes no line break after a message",
			wrap: inParts(func(text string) []string { return []string{strings.TrimSuffix(text, "\n")} })},
		{Name: "serves-http", Row: 9, Does: "prints a URL and reads nothing", start: func(t *stream) bool {
			_ = t.raw([]byte("Server running.\n\x1b[36mhttp://127.0.0.1:\x1b[1m8000\x1b[0m/mcp?token=x\n"))
			t.wait(maxLife)
			return false
		}},
		{Name: "endless-line", Row: 10, Does: "sends Size bytes without a line break", size: huge, call: (*call).endlessLine},
		{Name: "trickle", Row: 12, Does: "sends a byte every Delay", wrap: trickles},
		{Name: "byte-by-byte", Row: 13, Does: "sends single bytes", wrap: inParts(singleBytes)},
		{Name: "split-utf8", Row: 13, Does: "pauses inside characters", wrap: inParts(splitAfter(func(c byte) bool { return c >= 0x80 }))},
		{Name: "crlf", Row: 13, Does: "ends lines with CR LF", wrap: inParts(lineBreaks("\r\n"))},
		{Name: "byte-order-mark", Row: 13, Does: "begins with a byte order mark", wrap: startsWith("\uFEFF")},
		{Name: "cut-off", Row: 15, Does: "exits in the middle of the response", call: (*call).cutOff},
	})
}
