package jsonrpc

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A panickingStream panics in one of its methods.
type panickingStream struct {
	method string
	closed chan struct{}
}

func (s *panickingStream) panicIf(method string) {
	if s.method == method {
		panic("oh no")
	}
}

func (s *panickingStream) Read() ([]byte, error) {
	s.panicIf("Read")
	<-s.closed
	return nil, errors.New("closed")
}

func (s *panickingStream) Write(p []byte) (int, error) { s.panicIf("Write"); return len(p), nil }
func (s *panickingStream) Close() error                { close(s.closed); s.panicIf("Close"); return nil }

// TestStreamPanics: a panic of a program's stream ends only its connection.
func TestStreamPanics(t *testing.T) {
	for _, method := range []string{"Read", "Write", "Close"} {
		synctest.Test(t, func(t *testing.T) {
			var reported []any
			c := NewConn(&panickingStream{method, make(chan struct{})}, Handler{Panic: func(v any, stack []byte) {
				if reported = append(reported, v); len(stack) == 0 {
					t.Errorf("%s: no stack", method)
				}
			}})
			if method == "Write" {
				_ = c.Notify(t.Context(), &Request{Method: "m"})
			}
			if method != "Close" {
				time.Sleep(time.Second)
				if err := c.Err(); !errors.Is(err, ErrClosed) {
					t.Errorf("%s: the connection has ended with %v", method, err)
				}
			}
			if err := c.Close(); err != nil {
				t.Errorf("%s: Close: %v", method, err)
			}
			if len(reported) != 1 || reported[0] != "oh no" {
				t.Errorf("%s: reported %v", method, reported)
			}
		})
	}
}
