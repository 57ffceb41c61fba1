package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A URLRequest is a server's request that the user open a page.
//
// The program must show the whole URL and emphasize Host. It must not fetch the
// page or open it before the user agrees, and must open it in a browser that
// neither the program nor its model can observe.
type URLRequest struct {
	Message  string // from the server
	URL      string // http or https, without white space or a user name
	Host     string // the host in URL, with the port if there is one
	Punycode bool   // Host contains a Punycode label, which can imitate another name; warn the user
	ID       string // the server's id for the page (2025-11-25); may be empty
}

// pageTime is how long the timeouts of calls are paused for a page.
const pageTime = 10 * time.Minute

func (e Elicitation) openURL(ctx context.Context, p *ElicitParams) (action ElicitAction, err error) {
	host := hostOf(p.URL)
	if host == "" {
		return "", invalidParams("the URL is not acceptable for a user")
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

// hostOf returns the host and port of an absolute http or https URL. It returns ""
// for a URL that could be mistaken for another one: with white space, control
// characters, letters outside ASCII, backslashes or a user name.
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
	if i := wire.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if wire.IndexAny(rest, "@%") >= 0 {
		return ""
	}
	return rest
}

// In 2025-11-25 a server may refuse a request until the user has completed
// something on a page, and notify the client when that is done.

// attach adds the observer for these notifications before Connect returns: the
// first one may arrive together with the refusal.
func (e Elicitation) attach(c *Client) {
	if e.OpenURL != nil {
		c.donePages()
	}
}

func (c *Client) openRequiredPages(ctx context.Context, refusal *jsonrpc.Error) (bool, error) {
	for _, h := range c.opts.Handlers {
		if o, ok := h.(pageOpener); ok {
			err := o.openAll(ctx, c, refusal.Data)
			return err == nil, err
		}
	}
	return false, nil
}

var errDeclined = errors.New("the user did not open the page that the server requires")

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
	limited, stop := c.withCallTimeout(ctx)
	defer stop()
	for i := range pages {
		done.wait(limited, pages[i].ElicitationID)
	}
	return retry.Cause(ctx)
}

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

// donePages are the pages that the server has reported as complete.
type donePages struct {
	c *Client

	mu      lock.Mutex
	done    []string                 // ids of complete pages for which no call has waited, oldest first
	waiting map[string]chan struct{} // by id; closed when the page is complete
}

func (c *Client) donePages() *donePages {
	return observerOf(c, func() *donePages { return &donePages{c: c, waiting: make(map[string]chan struct{})} })
}

// maxDonePages is how many complete pages are kept for calls that wait later.
const maxDonePages = 1000

func (d *donePages) wait(ctx context.Context, id string) {
	d.mu.Lock()
	if i := slices.Index(d.done, id); i >= 0 {
		d.forgetLocked(i)
		d.mu.Unlock()
		return
	}
	done := d.waiting[id]
	if done == nil {
		done = make(chan struct{})
		d.waiting[id] = done
	}
	d.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
	case <-d.c.conn.Done():
	}
	d.mu.Lock()
	if d.waiting[id] == done {
		delete(d.waiting, id)
	}
	d.mu.Unlock()
}

// complete wakes the calls that wait for a page. If there are none it keeps the id
// for a later one, in place of the oldest ids if there is no room.
func (d *donePages) complete(id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if done := d.waiting[id]; done != nil {
		delete(d.waiting, id)
		close(done)
		return nil
	}
	if slices.Contains(d.done, id) {
		return nil
	}
	for len(d.done) == maxDonePages || !d.c.budget.Take(len(id)) {
		if len(d.done) == 0 {
			return ErrOverloaded
		}
		d.forgetLocked(0)
	}
	d.done = append(d.done, strings.Clone(id))
	return nil
}

// forgetLocked removes a complete page.
func (d *donePages) forgetLocked(i int) {
	d.c.budget.Return(len(d.done[i]))
	d.done = slices.Delete(d.done, i, i+1)
}

func (d *donePages) observe(method string, params RawMessage) error {
	if method != "notifications/elicitation/complete" {
		return nil
	}
	var p ElicitParams
	if err := decodeText(params, &p); err != nil {
		return jsonrpc.Malformed(err)
	}
	d.c.requests.pauseTimers(0)
	return d.complete(p.ElicitationID)
}

func (d *donePages) sessionRenewed(context.Context) {}
