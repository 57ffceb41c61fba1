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
const maxInputs = 64

// ErrInputRequired is matched by the error of a call for which the server asks
// for something that the client doesn't have: no handler for it,
// one that failed, or too many rounds.
var ErrInputRequired = errors.New("the server asks for more input")

// finish sends a request, answers what the server asks for meanwhile
// (2026-07-28: multi round-trip requests), and returns the final result.
func finish[R any, P resultPtr[R]](ctx context.Context, c *Client, q *call) (P, error) {
	for {
		res := P(new(R))
		raw, err := c.do(ctx, q)
		if err == nil {
			err = c.read(q, raw, res)
		}
		if err == nil {
			return res, nil
		}
		if err = c.overcome(ctx, q, err); err != nil {
			return nil, err
		}
	}
}

// overcome does what a server asks for that did not answer a request, and
// returns nil when the request is to be sent again.
func (c *Client) overcome(ctx context.Context, q *call, err error) error {
	var failure error
	if more, ok := err.(*unfinished); ok && more.why == ErrInputRequired {
		failure = c.gather(ctx, q, more.raw)
	} else if refusal := answerOf(err); refusal == nil || q.again {
		return err
	} else {
		if q.again, failure = c.satisfy(ctx, q, refusal); failure == nil && !q.again {
			return err
		}
	}
	if failure != nil {
		return c.failed(q, failure)
	}
	return nil
}

// satisfy does what a server asks for that refuses a request, and reports
// whether the request is to be repeated. The error says why that could not be
// done.
func (c *Client) satisfy(ctx context.Context, q *call, refusal *jsonrpc.Error) (again bool, err error) {
	if refusal.Code == CodeHeaderMismatch && !c.era.serves() && q.method == "tools/call" {
		// The tool has changed. Its new schema says what to repeat in headers.
		_, err := c.ListTools(ctx)
		return err == nil, err
	}
	return c.afterPages(ctx, refusal)
}

// gather answers what the server asks for, side by side, and puts the answers
// into q for the next round.
func (c *Client) gather(ctx context.Context, q *call, raw []byte) error {
	var ask questions
	if err := decodeText(raw, &ask); err != nil {
		return &malformedError{err}
	}
	switch {
	case ask.requests == nil && ask.state == nil:
		return &malformedError{errors.New("input required, but none asked for")}
	case len(ask.requests) > maxInputs:
		return diag.Op("more than "+strconv.Itoa(maxInputs)+" questions at once", ErrInputRequired)
	}
	if q.rounds++; q.rounds > c.opts.MaxRounds {
		return diag.Op("no result after "+strconv.Itoa(c.opts.MaxRounds)+" rounds", ErrInputRequired)
	}
	q.inputs = nil
	if ask.requests != nil {
		answers, err := c.answerAll(ctx, wire.SortedKeys(ask.requests), func(key string) (r InputRequest, err error) {
			return r, decodeText(ask.requests[key], &r)
		})
		if err != nil {
			return err
		}
		q.inputs = answers
	}
	if ask.state != nil {
		q.inputs = wire.AppendString(wire.AppendKey(q.inputs, "requestState"), *ask.state)
	}
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
			answer, err := c.input(ctx, key, question)
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

// questions are what is needed of a result that asks for input, which most programs
// do without.
type questions struct {
	requests map[string]RawMessage
	state    *string
}

func (t *questions) fields(c *codec) {
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
func (c *Client) input(ctx context.Context, key string, question func(string) (InputRequest, error)) (RawMessage, error) {
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
