package httpx

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// maxPrefix is the limit of what is read of the body of an error.
	maxPrefix = 4 << 10

	// prefixTime is the limit of the time for that.
	prefixTime = time.Second
)

// A body is a response body with limits.
type body struct {
	rc     io.ReadCloser
	ctx    context.Context // of the request
	cancel func(error)     // ends ctx
	idle   time.Duration   // limit of one Read; 0 means no limit
	timer  *time.Timer     // runs during Read
	max    int64           // 0 means no limit
	n      int64           // bytes read
}

func (b *body) Read(p []byte) (int, error) {
	if b.idle > 0 {
		if b.timer == nil {
			b.timer = time.AfterFunc(b.idle, func() { b.cancel(&httperr.TimeoutError{What: "nothing received", After: b.idle}) })
		} else {
			b.timer.Reset(b.idle)
		}
		defer b.timer.Stop()
	}
	if b.max > 0 && int64(len(p)) > b.max-b.n+1 {
		p = p[:b.max-b.n+1] // one more byte shows whether the body is longer
	}
	n, err := b.rc.Read(p)
	b.n += int64(n)
	if b.max > 0 && b.n > b.max {
		b.n--
		return n - 1, diag.Error("a body of more than "+strconv.FormatInt(b.max, 10)+" bytes: "+jsonrpc.ErrTooLarge.Error(), jsonrpc.ErrTooLarge, nil)
	}
	if err != nil && err != io.EOF && b.ctx.Err() != nil {
		err = context.Cause(b.ctx)
	}
	return n, err
}

func (b *body) Close() error {
	err := b.rc.Close()
	b.cancel(nil)
	return err
}

// Drain closes the body of resp. It first reads the rest of a short body, so that
// the connection can be reused.
func Drain(resp *http.Response) { _, _ = readPrefix(resp) }

// readPrefix returns the first bytes of the body of resp, and closes it.
func readPrefix(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	rc := resp.Body
	if b, ok := rc.(*body); ok {
		rc = b.rc
	}
	if rc == http.NoBody {
		return nil, nil
	}
	t := time.AfterFunc(prefixTime, func() { _ = rc.Close() })
	defer t.Stop()
	return buffers.ReadUpTo(resp.Body, maxPrefix)
}
