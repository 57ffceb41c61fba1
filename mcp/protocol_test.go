package mcp

import "testing"

// TestTraitsOfMethods is important for what changes something at the server: a
// transport sends a repeatable request again when its connection breaks.
func TestTraitsOfMethods(t *testing.T) {
	for method, want := range map[string]traits{
		"initialize":               repeatable | uncancelable,
		"server/discover":          repeatable,
		"ping":                     repeatable,
		"completion/complete":      repeatable,
		"resources/subscribe":      repeatable,
		"resources/unsubscribe":    repeatable,
		"tasks/get":                repeatable,
		"tasks/result":             repeatable,
		"tools/list":               repeatable | cacheable,
		"prompts/list":             repeatable | cacheable,
		"resources/list":           repeatable | cacheable,
		"resources/templates/list": repeatable | cacheable,
		"tasks/list":               repeatable | cacheable,
		"skills/list":              repeatable | cacheable,
		"skills/get":               repeatable | cacheable,
		"resources/directory/read": repeatable,
		"resources/read":           repeatable | cacheable | takesInput,
		"prompts/get":              repeatable | takesInput,
		"tools/call":               takesInput | bindsArguments,
		"tasks/cancel":             uncancelable,
		"subscriptions/listen":     openEnded,
		"tasks/update":             0,
		"logging/setLevel":         0,
		"notifications/cancelled":  0,
		"acme/unknown":             0,
	} {
		if got := traitsOf(method); got != want {
			t.Errorf("%s: %b, want %b", method, got, want)
		}
	}
}
