package testserver

import (
	"context"
	"io"
	"net/http"
)

// Interrupting is a RoundTripper whose bodies end what reads them when they are
// closed. Those of Go 1.27 wait behind a mutex for that, and time stands still
// in a bubble in that case.
type Interrupting struct{ *http.Transport }

// RoundTrip is that of http.RoundTripper.
func (t Interrupting) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	resp, err := t.Transport.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = &interruptible{resp.Body, cancel}
	return resp, nil
}

type interruptible struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *interruptible) Close() error {
	b.cancel()
	return b.ReadCloser.Close()
}
