package mcp

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Elicitation lets servers ask the user. As a [Handler] it answers
// elicitation/create. The user must see which server asks, and be able to
// decline.
type Elicitation struct {
	// Form asks the user to fill in a form. Fields of [ElicitParams] that were
	// left out get their defaults, and an answer that doesn't fit the form is
	// not sent. Nil if the program can't do that.
	Form func(context.Context, *ElicitParams) (*ElicitResult, error)

	// OpenURL asks the user whether to open a page, opens it, and returns
	// ElicitAccept, ElicitDecline or ElicitCancel. Nil if the program can't do
	// that.
	OpenURL func(context.Context, *URLRequest) (action string, err error)
}

// A URLRequest is a server's wish that the user opens a page.
//
// The program must show the whole URL, with Host in a way that catches the
// eye, and open it only when the user agrees, in a browser that the program
// and its model can't look into. It must not fetch anything of it before.
type URLRequest struct {
	Message  string // from the server
	URL      string // http or https, without white space or a user name
	Host     string // the host in URL, with its port if it has one
	Punycode bool   // Host has letters that may look like others; warn of it
	ID       string // the server's name for it (2025-11-25); may be empty
}

func (e Elicitation) method() string { return "elicitation/create" }

func (e Elicitation) declare(caps *ClientCapabilities, _ bool) {
	if e.Form == nil && e.OpenURL == nil {
		return // a capability without members would mean forms
	}
	caps.Elicitation = new(ElicitationCapability)
	if e.Form != nil {
		caps.Elicitation.Form = RawMessage("{}")
	}
	if e.OpenURL != nil {
		caps.Elicitation.URL = RawMessage("{}")
	}
}

func (e Elicitation) answer(ctx context.Context, params RawMessage) (object, error) {
	var p ElicitParams
	if err := readParams(params, &p); err != nil {
		return nil, err
	}
	form := p.Mode == "" || p.Mode == "form"
	switch {
	case form && e.Form != nil:
		return e.fillIn(ctx, &p)
	case p.Mode == "url" && e.OpenURL != nil:
		action, err := e.openURL(ctx, &p)
		res := ElicitResult{Action: action}
		if action == ElicitAccept {
			return &pageOpened{res}, err
		}
		return &res, err
	case form || p.Mode == "url":
		return nil, invalidParams("this client declared no elicitation in this mode")
	}
	return nil, invalidParams("unknown mode of elicitation")
}

var errAction = errors.New("the action is neither accept nor decline nor cancel")

func (e Elicitation) fillIn(ctx context.Context, p *ElicitParams) (object, error) {
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
		filled.Content, err = complete(fields, res.Content)
		return &filled, err
	}
	return nil, errAction
}

// A pageOpened is the result when the user is busy at a page.
type pageOpened struct{ ElicitResult }

func (*pageOpened) busy() time.Duration { return pageTime }

// pageTime is how long a user may take at a page.
const pageTime = 10 * time.Minute

func (e Elicitation) openURL(ctx context.Context, p *ElicitParams) (action string, err error) {
	host := hostOf(p.URL)
	if host == "" {
		return "", invalidParams("the URL is not one that a user may be asked to open")
	}
	req := &URLRequest{Message: p.Message, URL: p.URL, Host: host, ID: p.ElicitationID}
	for label := range strings.SplitSeq(strings.ToLower(host), ".") {
		req.Punycode = req.Punycode || strings.HasPrefix(label, "xn--")
	}
	action, err = e.OpenURL(ctx, req)
	if err == nil && action != ElicitAccept && action != ElicitDecline && action != ElicitCancel {
		err = errAction
	}
	return action, err
}

// hostOf returns the host, and port, of an absolute http or https URL, or ""
// for anything that could be taken for another URL than it is: with white
// space, control characters, letters outside ASCII, backslashes or a user name.
func hostOf(url string) string {
	for i := range len(url) {
		if c := url[i]; c <= ' ' || c >= 0x7f || c == '\\' {
			return ""
		}
	}
	scheme, rest, ok := strings.Cut(url, "://")
	if scheme = strings.ToLower(scheme); !ok || scheme != "https" && scheme != "http" {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if strings.ContainsAny(rest, "@%") {
		return ""
	}
	return rest
}
