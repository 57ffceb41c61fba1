package oauth

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

const (
	// maxStepUps limits how often one operation requests more scopes. The
	// authorization before that counts.
	maxStepUps = 3

	// maxOperations limits the number of operations in Transport.stepUps.
	maxOperations = 1000
)

// An operation identifies what a request does, by its URL and headers.
type operation struct {
	t      *Transport
	req    *http.Request
	rounds int // authorizations for this request
	stepUp bool
}

// name returns a key for the operation. From 2026-07-28 on, headers carry the
// MCP method and the name of the tool.
func (o *operation) name() string {
	h := o.req.Header
	return strings.Join([]string{o.req.Method, o.req.URL.Path, h.Get("Mcp-Method"), h.Get("Mcp-Name")}, "\n")
}

// satisfyDemand returns a token that may satisfy the demand, which k did not.
func (o *operation) satisfyDemand(ctx context.Context, k *token, d demand) (*token, error) {
	if o.rounds++; o.rounds > maxStepUps {
		return nil, o.t.tooManyRounds()
	}
	if d.stepUp && k != nil && d.satisfiedBy(k) {
		return nil, &Error{URL: httpx.Clean(o.t.url), Rule: "the server demands scopes that the token already has: " + printable(d.scope)}
	}
	o.stepUp = o.stepUp || d.stepUp
	return o.t.renew(ctx, k, d, o.name())
}

// A stepUp is the task of getting more scopes for an operation.
type stepUp struct {
	demand    demand
	operation string
}

// countStepUp counts the task if it is a stepUp, and returns an error after the
// last permitted one.
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

// succeeded resets the count of the operation if the server no longer refuses it
// for lack of scopes.
func (o *operation) succeeded(resp *http.Response) {
	if !o.stepUp || resp.StatusCode == http.StatusForbidden {
		return
	}
	o.t.mu.Lock()
	delete(o.t.stepUps, o.name())
	o.t.mu.Unlock()
}

func (t *Transport) tooManyRounds() error {
	return &Error{URL: httpx.Clean(t.url), Rule: "the server still demands authorization after " + strconv.Itoa(maxStepUps) + " attempts (Step-Up Authorization Flow)"}
}
