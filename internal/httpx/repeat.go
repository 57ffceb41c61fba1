package httpx

import "net/http"

// MayRepeat reports whether a message with this method of MCP changes nothing
// when it comes twice.
func MayRepeat(method string) bool {
	switch method {
	case "initialize", "notifications/initialized", "server/discover", "ping", "completion/complete", "prompts/get",
		"resources/read", "resources/subscribe", "resources/unsubscribe", "resources/templates/list",
		"tools/list", "resources/list", "prompts/list", "tasks/list", "tasks/get", "tasks/result":
		return true
	}
	return false
}

// AllowRepeat marks a request with the header h, so that net/http sends it once
// more when it finds that the server has just closed the connection, which was
// idle. No mark is sent.
func AllowRepeat(h http.Header) { h["Idempotency-Key"] = []string{} }
