package mcp

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// In 2025-11-25 a server may refuse a request until the user has done something
// at a page of its, and tell when that is so.

// attach is for a server that is done with a page as soon as it has asked for
// it.
func (e Elicitation) attach(c *Client) {
	if e.OpenURL != nil {
		c.donePages()
	}
}

// openRequiredPages has the user do what the server refused a call for, and reports
// whether it is to be repeated. The error says why not.
func (c *Client) openRequiredPages(ctx context.Context, refusal *jsonrpc.Error) (bool, error) {
	if refusal.Code != CodeURLElicitationRequired || !c.era.legacy() {
		return false, nil
	}
	for _, h := range c.opts.Handlers {
		if o, ok := h.(pageOpener); ok {
			err := o.openAll(ctx, c, refusal.Data)
			return err == nil, err
		}
	}
	return false, nil
}

var errDeclined = errors.New("the user did not open the page that the server asks for")

func (e Elicitation) openAll(ctx context.Context, c *Client, data RawMessage) error {
	pages, err := readPages(data)
	if err != nil {
		return jsonrpc.Malformed(err)
	}
	if e.OpenURL == nil || len(pages) == 0 {
		return errDeclined
	}
	done := c.donePages()
	for i := range pages {
		action, err := e.openURL(ctx, &pages[i])
		if err != nil {
			return err
		}
		if action != ElicitAccept {
			return errDeclined
		}
	}
	limit := time.NewTimer(c.callTimeout())
	defer limit.Stop()
	for i := range pages {
		if err := done.wait(ctx, limit.C, pages[i].ElicitationID); err != nil {
			return err
		}
	}
	return nil
}

// readPages reads the list of pages in the data of a refusal.
func readPages(data RawMessage) (pages []ElicitParams, err error) {
	r := wire.NewReader(data)
	for r.Object(); r.More(); {
		if string(r.Key()) != "elicitations" {
			r.Skip()
			continue
		}
		for r.Array(); r.More() && len(pages) < maxInputRequests; {
			var p ElicitParams
			decodeObject(&r, &p)
			pages = append(pages, p)
		}
	}
	return pages, r.End()
}

// donePages are the pages that a server has said to be done with.
type donePages struct {
	c *Client

	mu   sync.Mutex
	done map[string]chan struct{} // by id; closed when done
}

func (c *Client) donePages() (d *donePages) {
	c.addObserver(func(w observer) (ok bool) {
		d, ok = w.(*donePages)
		return ok
	}, func() observer {
		d = &donePages{c: c, done: make(map[string]chan struct{})}
		return d
	})
	return d
}

// maxPages is how many pages may be done that nobody waits for yet.
const maxDonePages = 1000

// of returns the channel of a page, or nil when there are too many.
func (d *donePages) channel(id string) chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.done[id] == nil && len(d.done) < maxDonePages {
		d.done[id] = make(chan struct{})
	}
	return d.done[id]
}

// wait waits until the server is done with a page, or limit is reached.
func (d *donePages) wait(ctx context.Context, limit <-chan time.Time, id string) error {
	done := d.channel(id)
	if done == nil {
		return ErrOverloaded
	}
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.done, id)
	}()
	select {
	case <-done:
		return nil
	case <-limit:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (d *donePages) observe(method string, params RawMessage) error {
	if method != "notifications/elicitation/complete" {
		return nil
	}
	var p ElicitParams
	if err := decodeText(params, &p); err != nil {
		return jsonrpc.Malformed(err)
	}
	d.c.requests.resumeTimers()
	done := d.channel(p.ElicitationID)
	if done == nil {
		return ErrOverloaded
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-done:
	default:
		close(done)
	}
	return nil
}

func (d *donePages) sessionRenewed(context.Context) {}

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

// A pageOpened is the result when the user is busy at a page.
type pageOpened struct{ ElicitResult }

func (*pageOpened) busyFor() time.Duration { return pageTime }

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
