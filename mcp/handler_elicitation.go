package mcp

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// Elicitation lets servers request input from the user. As a [Handler] it
// answers elicitation/create. The program must show which server asks and let
// the user decline.
type Elicitation struct {
	// Form asks the user to fill in a form. The client fills in the defaults of
	// missing fields. If the content does not match the schema, the client
	// sends an internal error instead. Nil means that the program does not
	// support forms.
	Form func(context.Context, *ElicitParams) (*ElicitResult, error)

	// OpenURL asks the user whether to open a page, opens it, and returns
	// [ElicitAccept], [ElicitDecline] or [ElicitCancel]. It does not wait until
	// the user has finished. Nil means that the program does not support pages.
	OpenURL func(context.Context, *URLRequest) (action string, err error)
}

func (e Elicitation) method() string { return "elicitation/create" }

func (e Elicitation) declare(caps *clientCapabilities, _ bool) {
	if e.Form == nil && e.OpenURL == nil {
		return // an empty capability would mean forms
	}
	b := []byte{'{'}
	if e.Form != nil {
		b = append(wire.AppendKey(b, "form"), "{}"...)
	}
	if e.OpenURL != nil {
		b = append(wire.AppendKey(b, "url"), "{}"...)
	}
	caps.Elicitation = append(b, '}')
}

func (e Elicitation) answer(ctx context.Context, c *Client, params RawMessage) (object, error) {
	var p ElicitParams
	if err := readParams(params, &p); err != nil {
		return nil, err
	}
	form := p.Mode == "" || p.Mode == "form"
	switch {
	case form && e.Form != nil:
		return e.answerForm(ctx, &p)
	case p.Mode == "url" && e.OpenURL != nil:
		action, err := e.openURL(ctx, &p)
		if err == nil && action == ElicitAccept {
			c.requests.pauseTimers(pageTime)
		}
		return &ElicitResult{Action: action}, err
	case form || p.Mode == "url":
		return nil, invalidParams("this client declared no elicitation in this mode")
	}
	return nil, invalidParams("unknown mode of elicitation")
}

var errAction = errors.New("the action must be accept, decline or cancel")

func (e Elicitation) answerForm(ctx context.Context, p *ElicitParams) (object, error) {
	fields, err := p.Fields()
	if err != nil {
		return nil, invalidParams("requestedSchema: " + err.Error())
	}
	res, err := e.Form(ctx, p)
	if err == nil && res == nil {
		err = errNoAnswer
	}
	if err != nil {
		return nil, err
	}
	switch res.Action {
	case ElicitDecline, ElicitCancel:
		return &ElicitResult{Action: res.Action, Meta: res.Meta}, nil
	case ElicitAccept:
		filled := *res
		filled.Content, err = completeForm(fields, res.Content)
		return &filled, err
	}
	return nil, errAction
}
