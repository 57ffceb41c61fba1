package matrix

import "time"

// What servers say of sessions that end before they have begun, and why.
const (
	noRevision    = "DELETE /mcp without Mcp-Protocol-Version"
	laterRevision = "the DELETE of a session whose notifications/initialized was not accepted lacks Mcp-Protocol-Version"
)

var webRows = []row{
	{n: 27, words: "HTML with 200; 202 or 204 to a request", on: "EH", expected: "a protocol error of that call", lines: []line{
		on("EH", "website", refused(malformed)),
		on("H", "initialize-html", refused(malformed)),
		on("H", "html answers-202 answers-204 answers-205 text-plain no-content-type odd-content-type stream-as-json", fails(malformed)),
		on("H", "json-as-stream", fails(unknown)),
		on("H", "answers-201 json-charset json-upper-case stream-charset", works),
		on("E", "get-204 get-html get-json", refused(malformed)),
		on("H", "get-204 get-html get-json", works),
		on("EH", "accepts-with-text accepts-with-200 accepts-with-204 accepts-with-json accepts-with-stream", works),
	}},
	{n: 28, words: "400, 401, 403, 405, 429, 5xx, Retry-After", on: "EH", expected: "typed error; waits clamped", lines: []line{
		on("EH", "not-there api", refused(status(404))),
		on("EH", "locked", refused(status(401))),
		on("EH", "out-of-order", refused(status(503), says("again in 1s"))),
		on("EH", "initialize-503", refused(status(503))),
		on("EH", "status-400 status-400-empty", fails(status(400))),
		on("H", "status-400-json", fails(status(400), answered(-32602))),
		on("E", "status-400-json", fails(status(400))),
		on("H", "status-400-null-id", fails(status(400), answered(-32600))),
		on("EH", "status-401 status-401-challenge", fails(status(401))),
		on("EH", "status-403 status-403-scope", fails(status(403))),
		on("EH", "status-404", fails(status(404))),
		on("EH", "status-405", fails(status(405))),
		on("EH", "status-408", fails(status(408))),
		on("EH", "status-409", fails(status(409))),
		on("EH", "status-413", fails(status(413))),
		on("EH", "status-415", fails(status(415))),
		on("EH", "status-429", fails(status(429))),
		on("EH", "status-500 status-500-page status-500-slow", fails(status(500), unknown)),
		on("H", "status-500-result", fails(status(500), unknown)),
		on("EH", "status-501", fails(status(501))),
		on("EH", "status-502 status-502-endless", fails(status(502), unknown)),
		on("EH", "status-503", fails(status(503))),
		on("EH", "status-504", fails(status(504), unknown)),
		on("EH", "status-599", fails(status(599))),
		on("EH", "retry-after-seconds", fails(status(429), says("again in 2s"))),
		on("EH", "retry-after-date retry-after-huge", fails(status(503), says("again in 5m0s"))),
		on("EH", "retry-after-nonsense", fails(status(503), not(says("again in")))),
		on("H", "header-mismatch-once", works),
		on("H", "header-mismatch", fails(status(400), answered(-32020))),
		on("H", "version-refused", fails(status(400), answered(-32022))),
		on("E", "get-400", refused(status(400))),
		on("E", "get-401", refused(status(401))),
		on("E", "get-404", refused(status(404))),
		on("E", "get-405", refused(status(405))),
		on("E", "get-406", refused(status(406))),
		on("E", "get-409", refused(status(409))),
		on("E", "get-500", refused(status(500))),
		on("H", "get-400 get-401 get-404 get-405 get-406 get-409 get-500", works),
		on("H", "delete-405 delete-404 delete-500", works),
		on("E", "notification-500", refused(status(500))),
		on("H", "notification-500", refused(status(500))).despite(noRevision, laterRevision),
	}},
	{n: 29, words: "the session is gone, again and again", on: "H", expected: "one new initialization, then an error", lines: []line{
		on("H", "session-lost", works.andSessionEnds()),
		on("H", "session-lost-again", fails(noSession).andSessionEnds()),
		on("H", "session-lost-400", fails(status(400), answered(-32001)).andSessionEnds()),
		on("H", "session-id-changes", works),
		on("H", "session-id-long", refused(noSession).pardons("a session id that this server never gave")), // it forgets what it gave
		on("H", "session-id-spaces", refused(malformed)),
	}},
	{n: 30, words: "redirects: another origin, down to http, a loop", on: "EH", expected: "refused, no credentials sent", lines: []line{
		on("EH", "moved", works),
		on("EH", "moved-elsewhere", refused(redirect)),
		on("EH", "redirect-301 redirect-302 redirect-303 redirect-elsewhere-302 redirect-elsewhere-307 "+
			"redirect-elsewhere-308 redirect-file redirect-user", fails(redirect)),
		on("EH", "redirect-http redirect-elsewhere-307", fails(redirect)).at(secured),
		on("EH", "moved-elsewhere", refused(redirect)).at(secured),
		on("H", "redirect-loop", fails(redirect)),
		on("E", "redirect-loop", fails(either(redirect, status(404))).pardons("a session that this server never gave")), // it loses the query
		on("H", "redirect-307 redirect-308", works),
		on("EH", "redirect-chain", works),
		on("EH", "redirect-endless", fails(redirect)),
		on("EH", "redirect-nowhere", fails(redirect)),
		on("EH", "get-redirect", works),
		on("E", "get-redirect-elsewhere", refused(redirect)),
		on("H", "get-redirect-elsewhere", works),
	}},
	{n: 31, words: "gzip bomb, false Content-Length", on: "EH", expected: "decoded bytes capped", lines: []line{
		on("H", "gzip-bomb gzip-bomb-stream", fails(tooLarge)),
		on("H", "gzip", works),
		on("EH", "stream-gzip", works),
		on("H", "get-gzip", works),
		on("E", "get-gzip", refused(status(200), malformed)),
		on("H", "gzip-lie length-too-long length-twice", fails(unknown)),
		on("H", "length-too-short", fails(malformed)),
		on("H", "unknown-encoding", works), // what can be read is
		deed("E", "a packed stream", packedStream),
		deed("E", "false lengths", falseLength),
	}},
	{n: 32, words: "endpoint event: another origin, down to http, a second one, none", on: "E", expected: "refused, refused, ignored, deadline error", lines: []line{
		on("E", "endpoint-elsewhere endpoint-elsewhere-short endpoint-user endpoint-port endpoint-script", refused(origin)),
		on("E", "endpoint-http", refused(origin)).at(secured),
		on("E", "endpoint-no-url", refused(says("endpoint event"))),
		on("E", "endpoint-empty", refused(status(405))), // which means the stream itself
		on("E", "endpoint-second", works.drops(says("second endpoint"))),
		on("E", "endpoint-none", refused(deadline)),
		on("E", "endpoint-late endpoint-relative endpoint-dots endpoint-whole", works),
		on("E", "endpoint-after-message", works.drops(says("before the endpoint"))),
	}},
	{n: 33, words: "retry: 0, 10^12, nonsense", on: "EH", expected: "clamped to 100 ms … 60 s", lines: []line{
		on("H", "retry-0 retry-500 retry-nonsense", works),
		on("H", "retry-huge retry-overflow", fails(deadline)),
		deed("H legacy", "no time to wait", waits("retry-0", 100*time.Millisecond)),
		deed("H legacy", "a long time to wait", waits("retry-huge", time.Minute)),
		deed("H legacy", "more time than there is", waits("retry-overflow", time.Minute)),
		deed("H legacy", "no time", waits("retry-nonsense", time.Second)),
		on("E", "retry-0 retry-500 retry-huge retry-overflow retry-nonsense", fails(closed, unknown).andConnectionEnds()),
	}},
	{n: 34, words: "the stream drops in the middle; replays", on: "EH", expected: "legacy H resumes and drops repeats; modern H and E: ErrOutcomeUnknown for what is not safe to repeat", lines: []line{
		on("H", "empty-stream", fails(closed, unknown)),
		on("E", "empty-stream", fails(closed, unknown).andConnectionEnds()),
		on("H", "drops drops-by-reset replays repeats", works),
		on("H", "drops-again", fails(deadline)),
		on("H", "resumption-404", fails(closed, unknown).andSessionEnds()).despite("no event of this session",
			"a stream of the lost session may be taken up in the one that has taken its place"),
		on("H", "resumption-405", fails(closed, unknown)),
		on("E", "get-ends get-breaks-off", refused(closed)),
		on("H", "get-ends get-breaks-off get-ends-early", works),
	}},
	{n: 35, words: "a half-open TCP connection", on: "EH", expected: "noticed by idle time-out or keep-alive", lines: []line{
		on("H", "goes-silent silent-stream", fails(deadline)),
		on("E", "goes-silent silent-stream", fails(deadline).andServerIsStuck()),
		on("H", "stays-open talks-on", works),
		deed("EH", "idle time-out in the middle", idles("goes-silent")),
		deed("EH", "idle time-out at the start", idles("silent-stream")),
	}},
	{n: 36, words: "CR, LF, NUL in mirrored arguments; a 1 MiB header", on: "H", expected: "encoded; refused", lines: []line{
		on("H", "huge-header", fails(unknown)).at(system),
		on("E", "huge-header", works).at(system), // the answer has come by then
		on("H", "many-headers", fails(unknown)).at(system),
		on("EH", "endless-header", fails(unknown)).at(system),
		on("H", "bad-header", fails(unknown)),
		deed("H modern", "odd arguments", oddArguments),
		deed("H modern", "a long argument", longArgument),
	}},
}

var otherRows = []row{
	{n: 37, words: "endless pages, the same cursor, the cursor \"\"", on: "SEH", expected: "caps on pages, items and time; what was read is returned with the error", lines: []line{
		on("SEH", "endless-pages", fails(tooMany).lists(20)),
		on("SEH", "same-cursor", fails(tooMany).lists(2)),
		on("SEH", "empty-cursor", works.lists(2)),
	}},
	{n: 38, words: "a storm of list-changed; tools that change silently", on: "SEH", expected: "coalesced; (host) the difference is reported", elsewhere: "mcp/host TestListChangesAreCoalesced TestChangedDefinitionsAreTold", lines: []line{
		on("SEH", "list-changed-storm subscription-storm", works),
		on("SEH", "silent-change", works.lists(-1)),
		on("H", "get-storm", works),
		deed("SEH legacy", "a storm for a subscription", changesALot("list-changed-storm")),
		deed("SEH", "a storm on a subscription", changesALot("subscription-storm")),
	}},
	{n: 39, words: "schema bombs, recursive `$ref`, `$ref` to the network", on: "SEH", expected: "a budget error; nothing is fetched", lines: []line{
		on("EH", "schema-bomb schema-recursive schema-elsewhere schema-pattern", works.lists(1)),
		deed("S modern", "wild schemas", wildSchemas),
	}},
	{n: 40, words: "authorization: private addresses, wrong issuer, wrong iss, wrong state, no PKCE, `javascript:` URL, 10 MiB of metadata, endless step-up", on: "EH", expected: "refused before any code or token leaves; loops end after 3", elsewhere: "mcp/oauth TestRefusedBeforeAnybodyIsAsked TestRefusedAnswers TestURLsThatMayBeFetched TestNamesOfPrivateAddresses TestEndlessStepUp"},
	{n: 41, words: "100 calls get 401 at once", on: "EH", expected: "one refresh", elsewhere: "mcp/oauth TestHundredCallsOneRefresh"},
	{n: 42, words: "Close during Connect, during a call, a thousand times", on: "SEH", expected: "idempotent, bounded", lines: []line{
		deed("SE", "the end of the context in Connect", givesUpConnecting),
		deed("H", "the end of the context in Connect", givesUpConnecting).despite(noRevision, laterRevision),
		deed("SEH", "Close in a call", closesInCalls),
		deed("SEH", "Close a thousand times", closesManyTimes),
	}},
}
