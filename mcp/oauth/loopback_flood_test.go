package oauth

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Programs on this machine hold connections to the page and open 1,000 others a second.
// The browser still delivers the response.
func TestLoopbackAnswersDuringFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, network := newMemoryEnv(t)
		in, err := (&Loopback{Open: func(context.Context, string) error { return nil }, Timeout: time.Minute}).Listen(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		r := in.(*receiver)
		address := r.ln[0].Addr().String()
		_ = r.Close()
		r.ln = []net.Listener{network.listen(address)}
		defer in.Close()
		done := make(chan error, 1)
		go func() { // ends with the response
			_, err := in.Authorize(t.Context(), "https://as.example.com/authorize?state=abc")
			done <- err
		}()
		ctx, stop := context.WithCancel(t.Context())
		opened, flooded := 0, make(chan struct{})
		full := make(chan struct{})
		go func() { // ends with ctx
			defer close(flooded)
			var held []net.Conn
			defer func() {
				for _, c := range held {
					_ = c.Close()
				}
			}()
			for ctx.Err() == nil {
				if c, err := network.dial(ctx, "tcp", address); err == nil {
					incomplete := "GET /callback HTTP/1.1\r\n"
					if opened%2 == 1 {
						incomplete = "POST /callback HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\n"
					}
					_, _ = c.Write([]byte(incomplete))
					held = append(held, c)
					if opened++; opened == 300 {
						close(full)
					}
				}
				if len(held) == 400 { // the page has closed it
					_ = held[0].Close()
					held = held[1:]
				}
				if opened >= 300 {
					time.Sleep(time.Millisecond)
				}
			}
		}()
		<-full
		for range 20 {
			if got, err := e.visit(in.RedirectURI() + "?code=x&state=wrong"); err != nil || !strings.HasPrefix(got, "400") {
				t.Error(got, err)
			}
			time.Sleep(50 * time.Millisecond) // of the flood
		}
		got, err := e.visit(in.RedirectURI() + "?code=x&state=abc")
		if err != nil || !strings.HasPrefix(got, "200") {
			t.Error(got, err)
		}
		stop()
		<-flooded
		if err := <-done; err != nil {
			t.Errorf("after %d connections: %v", opened, err)
		}
	})
}

// A listener that fails for a moment is not the end.
func TestLoopbackSurvivesFailingAccept(t *testing.T) {
	e := newEnv(t)
	in, err := (&Loopback{Open: func(context.Context, string) error { return nil }, Timeout: time.Minute}).Listen(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r := in.(*receiver)
	r.ln = []net.Listener{&failing{Listener: r.ln[0], left: 3}}
	done := make(chan error, 1)
	go func() { // ends with the response
		_, err := in.Authorize(t.Context(), "https://as.example.com/authorize?state=abc")
		done <- err
	}()
	if got, err := e.visit(in.RedirectURI() + "?code=x&state=abc"); err != nil || !strings.HasPrefix(got, "200") {
		t.Error(got, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// failing is a listener whose first Accepts fail.
type failing struct {
	net.Listener
	left int
}

func (l *failing) Accept() (net.Conn, error) {
	if l.left--; l.left >= 0 {
		return nil, errors.New("too many open files")
	}
	return l.Listener.Accept()
}
