package mcp

import "testing"

// TestRepeatableMethods: a transport sends a repeatable request again when its
// connection breaks, so a method that changes something must not be one.
func TestRepeatableMethods(t *testing.T) {
	for method, want := range map[string]traits{
		"initialize": repeatable, "server/discover": repeatable, "ping": repeatable,
		"completion/complete": repeatable, "prompts/get": repeatable, "prompts/list": repeatable,
		"resources/read": repeatable, "resources/list": repeatable, "resources/templates/list": repeatable,
		"resources/subscribe": repeatable, "resources/unsubscribe": repeatable,
		"tools/list": repeatable, "tasks/list": repeatable, "tasks/get": repeatable, "tasks/result": repeatable,

		"tools/call":              bindsArguments,
		"tasks/cancel":            0,
		"tasks/update":            0,
		"logging/setLevel":        0,
		"subscriptions/listen":    0,
		"notifications/cancelled": 0,
		"acme/unknown":            0,
	} {
		if got := traitsOf(method); got != want {
			t.Errorf("%s: %b, want %b", method, got, want)
		}
	}
}
