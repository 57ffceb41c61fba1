package mcp

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const maxInputRequests, tooManyInputs = 64, "more than 64 input requests at once"

// ErrInputRequired is matched by the error of a call if the client could not
// provide the input that the server requires: there is no handler for it, the
// handler failed, or the server exceeded [Options].MaxRounds. The error also
// matches the handler's, unless that is a *jsonrpc.Error: it would look like the
// server's.
var ErrInputRequired = errors.New("the server requires more input")

// An InputRequiredError is the error of a call whose server requires input more often
// than [Options].MaxRounds allows. It matches [ErrInputRequired]; errors.As finds it.
// A program that answers by hand, for example because its user answers later, sets
// MaxRounds to -1: the client then declares its handlers, but does not call them for
// results. The program repeats the call with the answers:
//
//	var asked *mcp.InputRequiredError
//	if errors.As(err, &asked) {
//		answers := mcp.CallOptions{InputResponses: map[string]any{key: &mcp.ElicitResult{Action: mcp.ElicitDecline}}, RequestState: asked.RequestState}
//		res, err = client.With(answers).CallTool(ctx, name, args)
//	}
type InputRequiredError struct {
	// InputRequests are the requests of the server by their keys: each is answered in
	// CallOptions.InputResponses under the same key.
	InputRequests map[string]InputRequest

	// RequestState is for CallOptions.RequestState, as received. Nil means none.
	RequestState *string

	text string
}

func (e *InputRequiredError) Error() string        { return e.text }
func (e *InputRequiredError) Is(target error) bool { return target == ErrInputRequired }

// An inputRounds is the state of a call to which the server has responded
// without a final result.
type inputRounds struct {
	answers []byte // members of params for the next round
	n       int    // how often the server has required input
	polls   *polls // nil until the server requires the client to ask again later
	retried bool   // after a refusal, which happens only once
}

func (c *Client) collectInputs(ctx context.Context, q *request, raw []byte) error {
	var required inputsRequired
	if err := decodeText(raw, &required); err != nil {
		return jsonrpc.Malformed(err)
	}
	var b []byte
	switch {
	case len(required.requests) == 0 && required.state == nil:
		return jsonrpc.Malformed(errors.New("input required, but neither inputRequests nor requestState"))
	case len(required.requests) > maxInputRequests:
		return diag.Op(tooManyInputs, ErrInputRequired)
	case len(required.requests) == 0:
		if err := c.awaitPoll(ctx, q); err != nil {
			return err
		}
	default:
		if q.inputs.n >= c.opts.MaxRounds {
			return &InputRequiredError{required.requests, required.state, "no result after " + strconv.Itoa(q.inputs.n) + " rounds: " + ErrInputRequired.Error()}
		}
		q.inputs.n++
		var err error
		if b, err = c.answerAll(ctx, wire.SortedKeys(required.requests), required.requests); err != nil {
			return err
		}
	}
	if required.state != nil {
		b = wire.AppendString(wire.AppendKey(b, "requestState"), *required.state)
	}
	q.inputs.answers = b
	return nil
}

// The waits before a call is repeated that needs no input, but time: the first one,
// the longest, and how many there are at most, with the message.
const (
	firstPoll, lastPoll    = 50 * time.Millisecond, time.Second
	maxPolls, tooManyPolls = 4096, "no result after 4096 polls"
)

// polls are the repetitions of a call that needs no input, but time.
type polls struct {
	began time.Time
	wait  retry.Backoff
}

// awaitPoll waits until the client may repeat q. The polls of a call may take
// Options.MaxTimeout in total.
func (c *Client) awaitPoll(ctx context.Context, q *request) error {
	p := q.inputs.polls
	if p == nil {
		p = &polls{time.Now(), retry.Backoff{First: firstPoll, Max: lastPoll, Limit: maxPolls}}
		q.inputs.polls = p
	}
	if total := c.opts.MaxTimeout; total > 0 {
		var cancel context.CancelFunc
		ctx, cancel = retry.WithTimeout(ctx, total-time.Since(p.began), &timeoutError{after: total, total: true})
		defer cancel()
	}
	switch {
	case p.wait.Wait(ctx, 0):
		return nil
	case ctx.Err() != nil:
		return retry.Cause(ctx)
	}
	return diag.Op(tooManyPolls, ErrInputRequired)
}

// answerAll answers the input requests with these keys concurrently and returns
// the member inputResponses. The first failure cancels the other handlers.
func (c *Client) answerAll(ctx context.Context, keys []string, required map[string]InputRequest) ([]byte, error) {
	ctx, cancel := context.WithCancel(&callContext{ctx, c.ctx})
	defer cancel()
	answers := make([]RawMessage, len(keys))
	var mu lock.Mutex // guards failure
	var failure error // the first
	var wg lock.Group
	for i, key := range keys {
		wg.Go(func() { // ends when the handler returns
			q := required[key]
			answer, err := c.answerInput(ctx, q.Method, q.Params)
			mu.Lock()
			if err != nil && failure == nil {
				failure = diag.Op(wire.Quote(key), err)
				cancel()
			}
			mu.Unlock()
			answers[i] = answer
		})
	}
	wg.Wait()
	if failure != nil {
		return nil, failure
	}
	b := append(wire.AppendKey(nil, "inputResponses"), '{')
	for i, key := range keys {
		b = append(wire.AppendKey(b, key), answers[i]...)
	}
	return append(b, '}'), nil
}

// An inputsRequired holds the part of an InputRequiredResult that the client
// uses.
type inputsRequired struct {
	requests map[string]InputRequest
	state    *string
}

func (t *inputsRequired) fields(c *codec) {
	c.takeInputRequests(&t.requests)
	c.exactPtr("requestState", &t.state)
}

// A callContext is the context of a call, with the values of the client's
// context in addition.
type callContext struct {
	context.Context
	client context.Context
}

func (c *callContext) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.client.Value(key)
}

// answerInput returns the answer to an input request, or the reason why the client cannot
// provide it. The reason matches ErrInputRequired and the handler's error, unless that is one
// that it made for the server: it would look like an error of the server.
func (c *Client) answerInput(ctx context.Context, method string, params RawMessage) (answer RawMessage, err error) {
	switch method {
	case "roots/list", "sampling/createMessage", "elicitation/create":
		answer, err = c.handle(ctx, method, params)
	default:
		err = invalidParams("a result cannot request this")
	}
	if err == nil {
		return answer, nil
	}
	text := ErrInputRequired.Error() + ": " + method + ": " + err.Error()
	if _, ok := err.(*jsonrpc.Error); ok {
		err = nil
	}
	return nil, diag.Error(text, ErrInputRequired, err)
}
