package faulttest

// rows is the matrix. Row 0 is not in it: it is the opening of connections.
var rows = concat(firstRows, messageRows, webRows, otherRows, attackRows)

func concat(parts ...[]row) (all []row) {
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

var firstRows = []row{
	{n: 0, title: "an odd way to refuse `server/discover` or `initialize`", on: "SEH", expected: "the right era, or an error that states the reason", lines: []line{
		on("S", "discover-wedges starts-slowly", works),
		on("SEH", "discover-silent discover-invalid-params discover-server-error discover-odd-result", works),
		on("SH", "discover-slow", works),
		on("S", "discover-dies", works),
		on("S", "discover-lost starts-once dies-on-initialize", works),
		on("H", "discover-401", refused(status(401))),
		on("SEH", "discover-one-version", works),
		on("H", "discover-404 discover-404-session discover-400-empty discover-400-text discover-400-method discover-400-odd-json "+
			"discover-405 discover-406 discover-422 discover-500 discover-202 discover-empty-stream discover-reset", works),
		on("H", "discover-ends", refused(contains("the server ended on server/discover"))),
		on("H", "discover-other-versions", refused(noVersion, contains("2099-01-01"))),
		on("SEH", "initialize-silent", refused(deadline)),
		on("SEH", "initialize-error", refused(serverError(-32603), contains("out of order today"))),
		on("SEH", "initialize-odd-version", refused(noVersion, contains("1999-12-31"))),
		on("SEH", "initialize-malformed", refused(malformed)),
	}},
	{n: 1, title: "never responds", on: "SEH", expected: "deadline error; cancel sent (modern H: stream closed); a late response is dropped", lines: []line{
		on("SEH", "mute", refused(deadline)),
		on("SEH", "never-answers", fails(deadline).andIsWithdrawn()),
		on("SH", "polls", works),
		on("SH", "polls-endless", fails(deadline)),
		on("SE", "answers-late", fails(deadline).andIsWithdrawn().drops(unknownID)),
		on("H", "answers-late", fails(deadline).andIsWithdrawn()),
		on("E", "get-silent", refused(deadline)),
		on("H", "get-silent get-buffered delete-silent", works),
		on("EH", "notification-silent", works), // Connect waits 2 s for the response
	}},
	{n: 2, title: "dies or resets in the middle of a call", on: "SEH", expected: "pending calls fail with ErrClosed", lines: []line{
		on("S", "dies-mid-call", fails(closed, unknown).andConnectionEnds()),
		on("S", "dies-mid-call", fails(closed, unknown, exit, contains("status 3"), contains("out of luck")).andConnectionEnds()).at(system),
		on("HE", "resets", fails(unknown)),
		on("H", "resets-midway event-reset", fails(closed, unknown)),
		on("E", "event-reset", fails(closed, unknown).andConnectionEnds()),
		on("E", "get-resets", refused(request)),
		on("H", "get-resets delete-resets", works),
		on("HE", "resets", fails(unknown)).at(system),
	}},
	{n: 3, title: "no such program, exits at once, connection refused, bad certificate", on: "SEH", expected: "a quick error that names the cause, with the last of stderr", lines: []line{
		on("S", "exits-at-start usage-and-exit", refused(closed)),
		on("S", "exits-at-start", refused(closed, exit, contains("status 3"), contains("no configuration file"))).at(system),
		on("S", "usage-and-exit", refused(closed, exit)).at(system),
		on("EH", "bad-certificate", refused(contains("certificate"))).at(secured),
		on("EH", "hangs-up no-http", refused(request)),
		scenario("S", "no such program", noSuchProgram).at(system),
		scenario("EH", "connection refused", refusesConnections).at(system),
	}},
	{n: 4, title: "crash loop", on: "SEH", expected: "(host) back-off; stops after 5 crashes in 3 minutes", otherTests: "mcp/host TestCrashLoop TestOccasionalCrashesAreNoLoop TestBackOff"},
	{n: 5, title: "ignores end of stdin and SIGTERM", on: "S", expected: "group killed and reaped", lines: []line{
		on("S", "ignores-eof", works).at(system),
	}},
	{n: 6, title: "a grandchild holds the pipes open", on: "S", expected: "Close stays bounded", lines: []line{
		on("S", "grandchild grandchild-escapes", works).at(system),
	}},
	{n: 7, title: "never reads its stdin, or the request body", on: "SEH", expected: "the caller's context frees the caller; Close works", lines: []line{
		on("S", "never-reads", refused(deadline)),
		on("S", "stops-reading", fails(deadline).andServerIsStuck()),
		on("EH", "reads-nothing", fails(deadline)),
	}},
	{n: 8, title: "1 GiB on stderr", on: "S", expected: "drained into a 64 KiB ring", lines: []line{
		on("S", "floods-stderr", works),
		on("S", "floods-stderr", works).at(system),
	}},
	{n: 9, title: "a banner, text that is not JSON", on: "SEH", expected: "S skips and counts, up to a cap; E and H: an error of that call", lines: []line{
		on("S", "banner chatter", works.drops(notJSON)),
		on("S", "banner", works.drops(notJSON)).at(system),
		on("S", "serves-http", refused(deadline)),
		on("S", "no-line-break content-length", refused(deadline).allows("sent after server/discover had succeeded")), // the client cannot read the response
		on("EH", "garbage-event", works.drops(malformed)),
		on("H", "no-json empty-json two-values trailing-garbage", fails(malformed).drops(malformed)),
		on("H", "json-is-a-notification", fails(malformed)),
		on("H legacy", "json-is-a-request", fails(malformed).allows("no request of the server")), // the engine does not know of the request
		on("H modern", "json-is-a-request", fails(malformed).drops(serverRequest).allows("no request of the server")),
		on("H", "spaces-around-json json-bom", works),
		on("H", "page-as-stream", fails(unknown)),
	}},
	{n: 10, title: "a line or event of 1 GiB without an end", on: "SEH", expected: "ErrTooLarge, connection dropped, memory bounded", lines: []line{
		on("S", "endless-line", fails(closed, tooLarge).andConnectionEnds()),
		on("E", "endless-event endless-lines endless-comment endless-id endless-field", fails(closed, tooLarge).andConnectionEnds()),
		on("H", "endless-json endless-space endless-event endless-lines endless-comment endless-id endless-field", fails(tooLarge)),
	}},
	{n: 11, title: "a million notifications", on: "SEH", expected: "bounded queue, drops counted, responses never dropped", lines: []line{
		on("SEH", "notification-storm", works),
		scenario("SEH", "more notifications than the handler processes", storms),
	}},
	{n: 12, title: "one byte a second", on: "SEH", expected: "idle and total timeouts", lines: []line{
		on("S", "trickle", refused(deadline)),
		on("H", "trickles", fails(deadline)),
		on("EH", "header-trickles", fails(deadline)),
		on("H", "event-trickles murmurs", fails(deadline)),
		on("E", "event-trickles murmurs", fails(deadline).andServerIsStuck()), // it has only one stream
	}},
	{n: 13, title: "one-byte reads, CRLF and UTF-8 split", on: "SEH", expected: "the same result", lines: []line{
		on("S", "byte-by-byte split-utf8 crlf byte-order-mark", works),
		on("H", "early-hints", works),
		on("EH", "stream-byte-by-byte stream-crlf stream-crlf-split", works),
	}},
	{n: 14, title: "event-stream vectors: BOM, CR, LF, CRLF, NUL, comments, empty data, ids, retry", on: "EH", expected: "as WHATWG specifies", lines: []line{
		on("EH", "stream-cr stream-mixed-breaks stream-bom stream-comments event-comments event-no-name event-no-space "+
			"event-two-spaces event-in-lines event-error event-odd-fields event-ids event-nul event-odd-retry", works),
		on("EH", "event-empty-data", works.drops(malformed)),
		on("EH", "event-other-names", works),
	}},
	{n: 15, title: "the last message is cut off", on: "SEH", expected: "discarded; ErrClosed", lines: []line{
		on("S", "cut-off", fails(closed, unknown).drops(cutOff).andConnectionEnds()),
		on("S", "cut-off", fails(closed, unknown, exit).drops(cutOff).andConnectionEnds()).at(system),
		on("E", "event-unfinished event-cut-off", fails(closed, unknown).andConnectionEnds()),
		on("H", "event-unfinished event-cut-off", fails(closed, unknown)),
		on("H", "truncated", fails(malformed).drops(malformed)),
	}},
}

var messageRows = []row{
	{n: 16, title: "invalid UTF-8, lone surrogates", on: "SEH", expected: "invalid UTF-8: that message is rejected, others are delivered; a lone surrogate is U+FFFD", lines: []line{
		on("SEH", "invalid-utf8", fails(malformed).drops(malformed)),
		on("SEH", "lone-surrogate", works.withText("\uFFFD")),
	}},
	{n: 17, title: "duplicate keys, keys in another case, `ſ` for `s`, NUL suffix", on: "SEH", expected: "rejected, or treated as an unknown key", lines: []line{
		on("SEH", "duplicate-keys long-s-keys", fails(malformed).drops(malformed)),
		on("SEH", "duplicate-inner-keys", fails(malformed)),
		on("SEH", "other-case-keys nul-keys", works.drops(malformed)),
	}},
	{n: 18, title: "nesting 100,000 deep", on: "SEH", expected: "rejected at 128", lines: []line{
		on("SEH", "deep-nesting", fails(malformed).drops(malformed)),
	}},
	{n: 19, title: "2^53+1, 1e400", on: "SEH", expected: "kept as encoded", lines: []line{
		on("SEH", "large-numbers", works.withStructured(`{"exact":9007199254740993,"huge":1e400,"tiny":-0.0}`)),
	}},
	{n: 20, title: "a response to an unknown, null or completed id", on: "SEH", expected: "dropped and counted", lines: []line{
		on("SEH", "unknown-id null-id", works.drops(unknownID)),
		on("SE legacy", "null-id-error", works), // it may be the response to a notification
		on("S modern", "null-id-error", works.drops(unknownID)),
		on("H", "null-id-error", fails(serverError(-32700))), // the HTTP response determines the call
		on("SE", "answers-notifications", works.drops(malformed)),
		on("SE", "refuses-notifications", works),
		on("H", "accepts-with-error", works),
		on("SE", "answers-twice", works.drops(unknownID)),
		on("H", "answers-twice", works),
		on("H", "wrong-id", fails(malformed).drops(unknownID)),
		on("E", "answers-twice-with-id", works.drops(unknownID)),
		on("H", "answers-twice-with-id", works),
	}},
	{n: 21, title: `id "1" for 1; result and error together; neither`, on: "SEH", expected: "never completes the wrong call; malformed responses fail their call", lines: []line{
		on("SE", "string-id", works.withoutContent().drops(unknownID)),
		on("H", "string-id", works.withoutContent()),
		on("SEH", "result-and-error neither wrong-version", fails(malformed).drops(malformed)),
		on("SEH", "null-error null-text", works),
		on("SEH", "string-error", fails(remote, contains("boom"))),
		on("SEH", "error-without-code", fails(remote, contains("no code"))),
		on("SEH", "error-with-text-code", fails(remote, contains("no such city"))),
		on("SEH", "error-with-data", fails(remote, contains("Invalid params"))),
		on("SEH", "null-result array-result", fails(malformed)),
		on("SEH", "no-content null-content", works.withoutContent()),
		on("SEH", "tool-result", fails(malformed, contains("only toolResult"))),
		on("SEH legacy", "unknown-result-type", works.withoutContent()),
		on("SH", "inputs-empty", fails(malformed)),
		on("SH modern", "unknown-result-type", fails(malformed, contains("riddle"))),
		on("SEH", "null-tools", works.lists(0)),
		on("SEH", "null-tool odd-tool", works.lists(1)),
	}},
	{n: 22, title: "the response to one call on another call's stream", on: "H", expected: "rejected (legacy resumption excepted)", lines: []line{
		on("H", "astray astray-on-get", fails(unknown).drops(unknownID)),
	}},
	{n: 23, title: "a request from the server", on: "SEH", expected: "modern: dropped and reported; legacy: handled, or −32601", lines: []line{
		on("SEH legacy", "server-requests", works),
		on("SH modern", "server-requests", works.drops(serverRequest)),
	}},
	{n: 24, title: "a handler panics or blocks", on: "SEH", expected: "the client continues to read; a panic becomes −32603", lines: []line{
		scenario("SEH", "handlers panic", panics),
		scenario("SEH", "handlers block", blocks),
	}},
	{n: 25, title: "bad, late or decreasing progress", on: "SEH", expected: "dropped; the hard timeout remains", lines: []line{
		on("SEH", "decreasing-progress", works.progresses(1).drops(contains("does not increase"))),
		on("SEH", "unknown-progress", works.drops(contains("no pending call"))),
		on("SEH", "bad-progress", works.drops(malformed)),
		on("SEH", "late-progress", works.mayDrop()),
		on("SEH", "endless-progress", fails(deadline).progresses(4).mayDrop()),
	}},
	{n: 26, title: "batches", on: "SEH", expected: "accepted in 2025-03-26 only, capped", lines: []line{
		on("S 2026-07-28", "batch", fails(malformed).drops(malformed)),
		on("S 2025-11-25", "batch", fails(malformed).drops(malformed)),
		on("SE 2025-03-26", "batch", works),
		on("E 2024-11-05", "batch", fails(malformed).drops(malformed)),
		on("H", "batch array-of-one", fails(malformed).drops(malformed)),
		scenario("S 2025-03-26", "a batch that is too long", longBatch),
	}},
}
