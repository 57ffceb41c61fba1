package faulttest

import (
	"fmt"
	"os"
	"testing"
)

// A threat is an attack that once succeeded. Its row has the tests that repeat
// it: a folder, then names.
type threat struct {
	n                       int
	attack, expected, tests string
}

// threats continues the numbers of the matrix.
var threats = []threat{
	{43, "a project's `.mcp.json` has a server named `$(command)`, and the user presses TAB", "names are data in bash, zsh and fish",
		"cmd/mcpecho TestCompletionInBash TestCompletionInZsh TestCompletionInFish"},
	{44, "a project's entry looks harmless, but sets `LD_PRELOAD`, `cwd`, `envFile` or a header with the user's variables",
		"the question of trust shows every effect; the answer holds until the entry changes",
		"cmd/mcpecho TestTrustShowsAllEffects TestTrustIsRememberedForTheWholeEntry"},
	{45, "a configuration file is a FIFO, a device or 1 GiB", "only regular files of at most 4 MiB are read; a second signal ends the program",
		"mcp/host/config TestOnlyRegularFilesOfLimitedSize"},
	{46, "two servers of one host, with a cache and a checker of outputs", "nothing that one server said is used for the other",
		"mcp/host TestServersOfOneHostAreKeptApart"},
	{47, "a legacy server acknowledges a subscription", "ignored; the client unsubscribes from what it subscribed to",
		"mcp TestLegacyServerCannotAcknowledge"},
	{48, "tiny items inside messages of 8 MiB: ids, names, URIs, log lines, pages, cache entries", "what outlives a message is copied or bounded in bytes",
		"internal/faulttest TestKeptBytes"},
	{49, "responses that announce a length of 64 MiB and send nothing", "memory follows what arrives", "mcp/streamhttp TestAnnouncedLength"},
	{50, "an output schema with `(a?){1000}b` and a value of 200 KiB", "the budget counts the cost of patterns, and the context of the call ends validation",
		"mcp/jsonschema TestPatternsHaveBudget TestPatternsHaveLimitedSize TestValidationEndsWithContext"},
	{51, "a server keeps a call alive with requests that the client refuses, or pings", "only a handler that runs pauses the timeout",
		"mcp TestOnlyRunningHandlersPauseTimers TestHandlerPausesTimer"},
	{52, "500 pings at once", "every request gets a response; beyond the limit an error", "mcp TestManyServerRequestsAtOnce TestRequestIDInUse"},
	{53, "the server's name resolves to 127.0.0.1 after the server has answered from elsewhere", "its zone is that of the address that it answered from",
		"mcp/oauth TestNameOfServerIsReboundToThisMachine"},
	{54, "401 with another scope each time; registrations of 900 KiB, and one per request",
		"one question a minute after a refusal; entries are bounded, and the oldest registration goes first",
		"mcp/oauth TestDenialHoldsForAnyDemand TestStoredEntriesAreBounded"},
	{55, "secrets in commands, URLs, headers and tokens, quoted by a server in any encoding, or under an odd key",
		"one function masks them in errors, status, events and traces; fuzzing plants them in every field",
		"mcp/host FuzzSecretsInStatus"},
	{56, "a function of the program panics, such as those of Trace, Intercept, an Authorizer or a Store",
		"it is reported, or passes to the caller; only its call or connection ends", "internal/faulttest TestPanics"},
	{57, "a server starts a process in another session", "on Linux Close kills it; a process without a parent survives, as documented",
		"mcp/stdio TestGrandchildInItsOwnSession"},
	{58, "the MCP server names an authorization server of its own for client credentials", "the secret goes to an issuer that is pinned, was met before, or has the server's origin",
		"mcp/oauth TestSecretNeedsKnownIssuer"},
	{59, "a tool leaves one list and returns changed", "reported as changed: the host remembers definitions",
		"mcp/host TestToolThatLeavesAndReturnsChanged"},
	{60, "zero-width characters in names", "escaped on a terminal", "cmd/mcpecho TestInvisibleCharactersInNames"},
	{61, "a test binary loses the variables that make a child one", "it starts itself two levels deep at most", "internal/testutil TestSelfStartIsLimited"},
}

// TestThreats checks that the tests exist, and prints the table if
// STDMCP_THREATS is set.
func TestThreats(t *testing.T) {
	table := "| # | attack | now | tests |\n|---|---|---|---|\n"
	for i, r := range threats {
		if i > 0 && r.n <= threats[i-1].n {
			t.Errorf("%d follows %d", r.n, threats[i-1].n)
		}
		(&row{n: r.n, otherTests: r.tests}).checkOtherTests(t)
		table += fmt.Sprintf("| %d | %s | %s | `%s` |\n", r.n, r.attack, r.expected, r.tests)
	}
	if os.Getenv("STDMCP_THREATS") != "" {
		fmt.Print(table)
	}
}
