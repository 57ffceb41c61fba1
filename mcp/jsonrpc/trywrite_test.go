package jsonrpc

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// A tryStream takes so many bytes at once as room says, and notes who wrote.
type tryStream struct {
	*fakeStream
	mu    sync.Mutex
	room  int
	err   error
	tried []string
}

func (s *tryStream) TryWrite(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(p), s.room)
	s.tried = append(s.tried, string(p[:n]))
	return n, s.err
}

func TestLoneCallWritesItself(t *testing.T) {
	const first, second = `{"jsonrpc":"2.0","id":1,"method":"a"}` + "\n", `{"jsonrpc":"2.0","id":2,"method":"b"}` + "\n"
	for _, tt := range []struct {
		name         string
		room         int
		err          error
		tried, wrote []string
	}{
		{"room for all", 100, nil, []string{first}, []string{second}},
		{"room for some", 10, nil, []string{first[:10]}, []string{first[10:], second}},
		{"no room", 0, nil, []string{""}, []string{first, second}},
		{"an error", 5, errors.New("broken"), []string{first[:5]}, []string{first[5:], second}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &tryStream{fakeStream: newFakeStream(), room: tt.room, err: tt.err}
				var traced []string
				c := NewConn(s, Handler{Trace: func(sent bool, data []byte) {
					if sent {
						traced = append(traced, string(data))
					}
				}})
				start(t.Context(), c, &Request{Method: "a"})
				synctest.Wait()
				start(t.Context(), c, &Request{Method: "b"}) // not alone
				var wrote []string
				for range tt.wrote {
					wrote = append(wrote, <-s.out)
					synctest.Wait()
				}
				if !slices.Equal(s.tried, tt.tried) || !slices.Equal(wrote, tt.wrote) {
					t.Errorf("tried %q, wrote %q", s.tried, wrote)
				}
				if got := strings.Join(traced, "\n") + "\n"; got != first+second {
					t.Errorf("traced %q", got)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestATraceMayPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tryStream{fakeStream: newFakeStream(), room: 100}
		c := NewConn(s, Handler{Trace: func(_ bool, data []byte) {
			if strings.Contains(string(data), "bad") {
				panic("trace")
			}
		}})
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			_, _ = c.Call(t.Context(), &Request{Method: "bad"})
		}()
		start(t.Context(), c, &Request{Method: "good"})
		synctest.Wait()
		if len(s.tried) != 1 || !strings.Contains(s.tried[0], "good") {
			t.Errorf("wrote %q after the panic", s.tried)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestWritesDoNotOverlap has a peer that reads slowly, and calls that
// come and go.
func TestWritesDoNotOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &tryStream{fakeStream: newFakeStream(), room: 20}
		c := NewConn(s, Handler{})
		defer c.Close()
		var sent strings.Builder
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			done := start(ctx, c, &Request{Method: strings.Repeat("m", 10)})
			synctest.Wait()
			cancel()
			<-done
			s.mu.Lock()
			sent.WriteString(strings.Join(s.tried, ""))
			s.tried = nil
			s.mu.Unlock()
			for more := true; more; synctest.Wait() {
				select {
				case p := <-s.out:
					sent.WriteString(p)
				default:
					more = false
				}
			}
		}
		lines := strings.Split(sent.String(), "\n")
		if len(lines) != 101 {
			t.Errorf("%d lines", len(lines))
		}
		for _, line := range lines[:len(lines)-1] {
			if _, err := Parse([]byte(line)); err != nil {
				t.Errorf("%q: %v", line, err)
			}
		}
	})
}
