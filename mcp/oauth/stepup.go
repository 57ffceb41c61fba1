package oauth

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

const (
	// maxStepUps is how often more scopes are asked for, for one operation.
	// Authorization before that counts.
	maxStepUps = 3

	// maxOperations bounds how many operations are remembered.
	maxOperations = 1000
)

// An operation is what a request does at the server, as far as it can be seen.
type operation struct {
	t      *Transport
	req    *http.Request
	rounds int // of authorization in this request
	stepUp bool
}

// name says what the request does. Requests of MCP have it in headers, from
// 2026-07-28 on.
func (o *operation) name() string {
	h := o.req.Header
	return strings.Join([]string{o.req.Method, o.req.URL.Path, h.Get("Mcp-Method"), h.Get("Mcp-Name")}, "\n")
}

// meet returns a token that may meet the demand that k did not.
func (o *operation) satisfyDemand(ctx context.Context, k *token, d demand) (*token, error) {
	if o.rounds++; o.rounds > maxStepUps {
		return nil, o.t.tooManyRounds()
	}
	if d.stepUp && k != nil && d.satisfiedBy(k) {
		return nil, &Error{URL: httpx.Clean(o.t.url), Rule: "it asks for scopes that the token has: " + printable(d.scope)}
	}
	o.stepUp = o.stepUp || d.stepUp
	return o.t.renew(ctx, k, d, o.name())
}

// stepUp is the task to get more scopes for an operation.
type stepUp struct {
	demand    demand
	operation string
}

// countStepUp counts how often a task is begun, if it is one to get more scopes.
func (t *Transport) countStepUp(task any) error {
	s, ok := task.(stepUp)
	if !ok {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stepUps == nil || len(t.stepUps) >= maxOperations {
		t.stepUps = map[string]int{}
	}
	if t.stepUps[s.operation] >= maxStepUps {
		return t.tooManyRounds()
	}
	t.stepUps[s.operation]++
	return nil
}

// done notes that the operation is no longer refused for want of scopes.
func (o *operation) succeeded(resp *http.Response) {
	if !o.stepUp || resp.StatusCode == http.StatusForbidden {
		return
	}
	o.t.mu.Lock()
	delete(o.t.stepUps, o.name())
	o.t.mu.Unlock()
}

func (t *Transport) tooManyRounds() error {
	return &Error{URL: httpx.Clean(t.url), Rule: "it asks for ever more authorization: given up after " + strconv.Itoa(maxStepUps) + " rounds (Step-Up Authorization Flow)"}
}
