package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/lab/peers/answers"
	"github.com/stdmcp/stdmcp/internal/lab/peers/library"
)

// A batcher is a session that makes n calls at once without n goroutines.
type batcher interface {
	Batch(ctx context.Context, n int) error
}

// arguments are those of every call, allocated once.
const message = "hello"

var arguments = map[string]any{"message": message}

// A connector connects to a server.
type connector func(context.Context, *target) (library.Session, error)

// floors are the sessions that the libraries are compared with.
var floors = map[string]connector{"bare": connectBare, "handed": connectHanded, "json": connectJSON}

// connectorOf returns the connector of a floor or a library, or nil.
func connectorOf(name string) connector {
	if connect := library.Connect[name]; connect != nil {
		return func(ctx context.Context, t *target) (library.Session, error) { return connect(ctx, &t.Target) }
	}
	return floors[name]
}

// A work is a repeated operation: a call of a tool, a list of tools, several calls
// at once, or connecting and closing.
type work struct {
	kind   string
	tool   string
	least  int // the least that Call or List must return
	tools  int
	calls  int // at once
	args   map[string]any
	beside bool // another session is open meanwhile
}

// parseWork reads small, text-N, one of the other texts, image-N, args-N, tools-N,
// calls-N, connect, or beside, which is connect beside another session.
func parseWork(name string) (*work, error) {
	kind, size, _ := strings.Cut(name, "-")
	n, err := strconv.Atoi(size)
	if err != nil && size != "" {
		return nil, err
	}
	w := &work{kind: kind, tool: answers.EchoTool, least: len(answers.Echo), calls: 1, args: arguments}
	if pattern := answers.Texts[kind+"_"]; pattern != "" {
		w.tool, w.least = kind+"_"+size, answers.Whole(pattern, n)
		return w, nil
	}
	switch kind {
	case "small", "connect":
	case "beside":
		w.kind, w.beside = "connect", true
	case "args":
		w.args = map[string]any{"message": answers.Decoded(answers.Repeated(answers.Texts["esc20_"], size))}
	case "image":
		w.tool, w.least = answers.ImageTool+size, n*3/4 // some decode it
	case "tools":
		w.tools, w.least = n, n
	case "calls":
		w.calls = n
	default:
		return nil, errors.New("unknown work " + name)
	}
	return w, nil
}

// prepare returns a function that does the work for some time and counts the
// operations, and one that closes the session.
func (w *work) prepare(ctx context.Context, connect connector, t *target) (do func(time.Duration) (int, error), end func(), err error) {
	connectOnce := repeat(func() error {
		s, err := connect(ctx, t)
		if err != nil {
			return err
		}
		return s.Close()
	})
	if w.kind == "connect" && !w.beside {
		return connectOnce, func() {}, nil
	}
	s, err := connect(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	end = func() { _ = s.Close() }
	if w.beside {
		return connectOnce, end, nil
	}
	b, batches := s.(batcher)
	switch {
	case w.calls == 1:
		return repeat(func() error { return w.once(ctx, s) }), end, nil
	case batches:
		one := repeat(func() error { return b.Batch(ctx, w.calls) })
		return func(d time.Duration) (int, error) {
			n, err := one(d)
			return n * w.calls, err
		}, end, nil
	}
	return w.together(func() error { return w.once(ctx, s) }), end, nil
}

// once makes one call and checks its result.
func (w *work) once(ctx context.Context, s library.Session) (err error) {
	var n int
	if w.kind == "tools" {
		n, err = s.List(ctx)
	} else {
		var c library.Content
		c, err = s.Call(ctx, w.tool, w.args)
		n = c.Size
	}
	if err == nil && n < w.least {
		err = fmt.Errorf("the result has %d bytes or tools, want %d", n, w.least)
	}
	return err
}

// repeat calls f until the time has passed, at least once.
func repeat(f func() error) func(time.Duration) (int, error) {
	return func(d time.Duration) (n int, err error) {
		for began := time.Now(); err == nil && (n == 0 || time.Since(began) < d); n++ {
			err = f()
		}
		return n, err
	}
}

// together repeats f in as many goroutines as there are calls at once.
func (w *work) together(f func() error) func(time.Duration) (int, error) {
	one := repeat(f)
	return func(d time.Duration) (int, error) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		var total int
		var failed error
		for range w.calls {
			wg.Go(func() {
				n, err := one(d)
				mu.Lock()
				defer mu.Unlock()
				total += n
				if err != nil {
					failed = err
				}
			})
		}
		wg.Wait()
		return total, failed
	}
}
