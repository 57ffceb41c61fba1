package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Kinds of questions.
const (
	askForm     = "form"
	askURL      = "url"
	askSampling = "sampling"
)

// An ask is a request of the server that the user answers on the page.
type ask struct {
	ID       int
	Kind     string
	At       float64
	Message  string
	Form     *field         // of the content
	Params   mcp.RawMessage // of a request to sample
	URL      string         // http or https
	Host     string         // in URL
	Punycode bool           // Host may imitate another name

	schema mcp.RawMessage // of the content
	answer chan answer    // holds one
}

// An answer is what the user answers.
type answer struct {
	Ask    int
	Action mcp.ElicitAction // accept, decline or cancel
	Value  mcp.RawMessage   // the content, or the result of sampling
}

// answers returns the handlers of the server's requests.
func (b *Bench) answers() []mcp.Handler {
	return []mcp.Handler{
		mcp.Elicitation{Form: b.askForm, OpenURL: b.askURL},
		mcp.Sampling{CreateMessage: b.askSampling, Tools: true},
		mcp.Tasks{},
	}
}

func (b *Bench) changes() mcp.Handler {
	return mcp.Changes{Changed: func(_ context.Context, c mcp.Change) {
		if c.Err != nil {
			b.note("no changes", c.Err.Error())
			return
		}
		b.newLists()
	}}
}

// ask waits for the user's answer.
func (b *Bench) ask(ctx context.Context, a *ask) (answer, error) {
	a.At, a.answer = now(), make(chan answer, 1)
	b.update(partAsks, func() {
		a.ID = b.nextIDLocked()
		b.asks = append(b.asks, a)
	})
	defer b.update(partAsks, func() {
		b.asks = slices.DeleteFunc(b.asks, func(other *ask) bool { return other == a })
	})
	select {
	case given := <-a.answer:
		return given, nil
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	}
}

func (b *Bench) askForm(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	given, err := b.ask(ctx, &ask{Kind: askForm, Message: p.Message, Form: formOf(p.RequestedSchema), schema: p.RequestedSchema})
	if err != nil {
		return nil, err
	}
	res := &mcp.ElicitResult{Action: given.Action}
	if given.Action == mcp.ElicitAccept {
		err = res.UnmarshalJSON(fmt.Appendf(nil, `{"action":"accept","content":%s}`, given.Value))
	}
	return res, err
}

func (b *Bench) askURL(ctx context.Context, r *mcp.URLRequest) (mcp.ElicitAction, error) {
	given, err := b.ask(ctx, &ask{Kind: askURL, Message: r.Message, URL: r.URL, Host: r.Host, Punycode: r.Punycode})
	return given.Action, err
}

func (b *Bench) askSampling(ctx context.Context, p *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
	params, err := p.MarshalJSON()
	if err != nil {
		return nil, err
	}
	given, err := b.ask(ctx, &ask{Kind: askSampling, Params: params})
	if err != nil {
		return nil, err
	}
	if given.Action != mcp.ElicitAccept {
		return nil, &jsonrpc.Error{Code: mcp.CodeRejected, Message: "the user rejected the request"}
	}
	res := new(mcp.CreateMessageResult)
	return res, res.UnmarshalJSON(given.Value)
}

var errAnswered = errors.New("the question has been answered or withdrawn")

// give answers a question. The error is an invalidValue if the content does not match
// the question.
func (b *Bench) give(given answer) error {
	b.mu.Lock()
	i := slices.IndexFunc(b.asks, func(a *ask) bool { return a.ID == given.Ask })
	var a *ask
	if i >= 0 {
		a = b.asks[i]
	}
	b.mu.Unlock()
	switch {
	case a == nil:
		return errAnswered
	case given.Action != mcp.ElicitAccept && given.Action != mcp.ElicitDecline && given.Action != mcp.ElicitCancel:
		return fmt.Errorf("the action must be accept, decline or cancel, not %q", cut(string(given.Action), maxName))
	case given.Action == mcp.ElicitAccept && a.Kind == askForm:
		if err := validateAll(a.schema, given.Value); err != nil {
			return err
		}
	case given.Action == mcp.ElicitAccept && a.Kind == askSampling:
		res := new(mcp.CreateMessageResult)
		if err := res.UnmarshalJSON(given.Value); err != nil {
			return fmt.Errorf("the answer is not a result of sampling/createMessage: %w", err)
		}
		if len(res.Content) == 0 {
			return errors.New("the answer has no content")
		}
	}
	select {
	case a.answer <- given:
		return nil
	default:
		return errAnswered
	}
}
