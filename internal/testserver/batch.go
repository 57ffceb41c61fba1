package testserver

import (
	"context"
	"sync"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// batch handles messages in an array, which only 2025-03-26 permits. It sends
// notifications at once and the responses together at the end.
func (s *Session) batch(ctx context.Context, msg []byte, reply func([]byte)) (run func()) {
	s.mu.Lock()
	allowed := s.version == "2025-03-26"
	s.mu.Unlock()
	var items [][]byte
	r := wire.NewReader(msg)
	for r.Array(); r.More(); {
		items = append(items, r.Raw())
	}
	code, what := 0, ""
	switch err := r.End(); {
	case err != nil:
		code, what = codeParse, err.Error()
	case !allowed:
		code, what = codeInvalidRequest, "a batch, which this protocol version does not have"
	case len(items) == 0:
		code, what = codeInvalidRequest, "an empty batch"
	}
	if code != 0 {
		s.srv.record("", msg)
		s.srv.addViolation(what, msg)
		reply(errorResponse(nil, code, what, ""))
		return nil
	}
	return s.handleBatch(ctx, items, reply)
}

func (s *Session) handleBatch(ctx context.Context, items [][]byte, reply func([]byte)) (run func()) {
	var (
		mu      lock.Mutex // guards answers
		answers = []byte{'['}
		rest    []func()
	)
	collect := func(msg []byte) {
		if m, _, _ := parseMessage(msg); m.method != "" {
			reply(msg)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		answers = append(wire.AppendComma(answers), msg...)
	}
	for _, item := range items {
		if run := s.Handle(ctx, item, collect); run != nil {
			rest = append(rest, run)
		}
	}
	return func() {
		var running sync.WaitGroup
		for _, run := range rest {
			running.Go(run)
		}
		running.Wait()
		if len(answers) > 1 {
			reply(append(answers, ']'))
		}
	}
}
