package mcp

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// maxInputs is how many things a server may ask for at once.
const maxInputRequests = 64

// ErrInputRequired is matched by the error of a call for which the server asks
// for something that the client doesn't have: no handler for it,
// one that failed, or too many rounds.
var ErrInputRequired = errors.New("the server asks for more input")

// An inputRounds is the state of a call to which the server has responded
// without a final result.
type inputRounds struct {
	answers []byte // members of params for the next round
	n       int    // how often the server has required input
	retried bool   // after a refusal, which happens only once
}

// callWithInputs sends a call, provides the input that the server requires
// (2026-07-28: multi round-trip requests), and returns the final result.
func callWithInputs[R any, P resultPtr[R]](ctx context.Context, c *Client, q *call) (P, error) {
	for {
		res := P(new(R))
		err := c.fetch(ctx, q, res)
		if err == nil {
			return res, nil
		}
		if q.traits&takesInput == 0 {
			return nil, err
		}
		if err = c.nextRound(ctx, q, err); err != nil {
			return nil, err
		}
	}
}

// nextRound prepares q to be sent again after err, or returns the error of the
// call.
func (c *Client) nextRound(ctx context.Context, q *call, err error) error {
	if more, ok := err.(*unfinished); ok && more.why == ErrInputRequired {
		if err := c.collectInputs(ctx, q, more.raw); err != nil {
			return c.failed(q, err)
		}
		return nil
	}
	return c.retryAfterRefusal(ctx, q, err)
}

// retryAfterRefusal returns nil if the server has refused the call for a reason
// that has been resolved.
func (c *Client) retryAfterRefusal(ctx context.Context, q *call, err error) error {
	refusal := serverError(err)
	if refusal == nil || q.inputs.retried {
		return err
	}
	resolved, failure := c.resolveRefusal(ctx, q, refusal)
	if failure != nil {
		return c.failed(q, failure)
	}
	if !resolved {
		return err
	}
	q.inputs.retried = true
	return nil
}

// resolveRefusal does what a refusal of the server demands and reports whether
// the call is to be repeated. The error is the reason why that failed.
func (c *Client) resolveRefusal(ctx context.Context, q *call, refusal *jsonrpc.Error) (resolved bool, err error) {
	if refusal.Code == CodeHeaderMismatch && !c.era.legacy() && q.traits&bindsArguments != 0 {
		// The tool has changed. Its new schema states the arguments to repeat in headers.
		_, err := c.ListTools(ctx)
		return err == nil, err
	}
	return c.openRequiredPages(ctx, refusal)
}

// collectInputs answers the server's input requests concurrently and stores the
// answers in q for the next round.
func (c *Client) collectInputs(ctx context.Context, q *call, raw []byte) error {
	var required inputsRequired
	if err := decodeText(raw, &required); err != nil {
		return &malformedError{err}
	}
	switch {
	case required.requests == nil && required.state == nil:
		return &malformedError{errors.New("input required, but neither inputRequests nor requestState")}
	case len(required.requests) > maxInputRequests:
		return diag.Op("more than "+strconv.Itoa(maxInputRequests)+" input requests at once", ErrInputRequired)
	}
	if q.inputs.n++; q.inputs.n > c.opts.MaxRounds {
		return diag.Op("no result after "+strconv.Itoa(c.opts.MaxRounds)+" rounds", ErrInputRequired)
	}
	var b []byte
	if required.requests != nil {
		var err error
		b, err = c.answerAll(ctx, wire.SortedKeys(required.requests), func(key string) (r InputRequest, err error) {
			return r, decodeText(required.requests[key], &r)
		})
		if err != nil {
			return err
		}
	}
	if required.state != nil {
		b = wire.AppendString(wire.AppendKey(b, "requestState"), *required.state)
	}
	q.inputs.answers = b
	return nil
}

// answerAll returns the member inputResponses. The first failure ends the other
// questions.
func (c *Client) answerAll(ctx context.Context, keys []string, question func(key string) (InputRequest, error)) ([]byte, error) {
	ctx, cancel := context.WithCancel(&callContext{ctx, c.ctx})
	defer cancel()
	answers := make([]RawMessage, len(keys))
	var failure error
	var once sync.Once
	var wg sync.WaitGroup
	for i, key := range keys {
		wg.Add(1)
		go func() { // ends with the program's function
			defer wg.Done()
			answer, err := c.answerInput(ctx, key, question)
			if err != nil {
				once.Do(func() { failure = diag.Op(wire.Quote(key), err); cancel() })
			}
			answers[i] = answer
		}()
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
	requests map[string]RawMessage
	state    *string
}

func (t *inputsRequired) fields(c *codec) {
	c.rawMap("inputRequests", &t.requests)
	c.stringPtr("requestState", &t.state)
}

// A callContext is that of a call, which has the values of the client's, too.
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

// input answers one question.
func (c *Client) answerInput(ctx context.Context, key string, question func(string) (InputRequest, error)) (RawMessage, error) {
	ask, err := question(key)
	if err != nil {
		return nil, &malformedError{err}
	}
	switch ask.Method {
	case "roots/list", "sampling/createMessage", "elicitation/create":
	default:
		return nil, &inputError{ask.Method, invalidParams("not among what a result may ask for")}
	}
	answer, err := c.handle(ctx, ask.Method, ask.Params)
	if err != nil {
		return nil, &inputError{ask.Method, err}
	}
	return answer, nil
}

// An inputError is why something that the server asks for can't be given. It
// matches ErrInputRequired.
type inputError struct {
	method string
	err    error
}

func (e *inputError) Error() string {
	return ErrInputRequired.Error() + ": " + e.method + ": " + e.err.Error()
}

func (e *inputError) Is(target error) bool { return target == ErrInputRequired }

// Unwrap hides an answer that was meant for the server, which would look like
// one of the server's.
func (e *inputError) Unwrap() error {
	if _, ok := e.err.(*jsonrpc.Error); ok {
		return nil
	}
	return e.err
}
