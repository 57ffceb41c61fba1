package oauth

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// TestPanicWhileGettingToken: an Authorizer, Source, Store or AskClient that
// panics fails the requests that wait for the token, and a later one tries again.
func TestPanicWhileGettingToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu lock.Mutex
		var slot *singleflight
		cause := errors.New("oh no")
		for range 2 {
			_, err, _ := doOnce(t.Context(), &mu, &slot, "task", func(context.Context) (*token, error) { panic(cause) })
			if !errors.Is(err, cause) || !strings.Contains(err.Error(), "panic") {
				t.Errorf("error %v", err)
			}
		}
		tok, err, _ := doOnce(t.Context(), &mu, &slot, "task", func(context.Context) (*token, error) { return new(token), nil })
		if tok == nil || err != nil {
			t.Errorf("then %v, %v", tok, err)
		}
	})
}

type panickingReader struct{}

func (panickingReader) Read([]byte) (int, error) { panic("oh no") }

func TestPanicOfPasteReader(t *testing.T) {
	p := &Paste{In: panickingReader{}}
	if _, err := p.line(t.Context()); err == nil || !strings.Contains(err.Error(), "oh no") {
		t.Errorf("error %v", err)
	}
}
