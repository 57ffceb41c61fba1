package jsonrpc

import (
	"errors"
	"testing"
	"time"
)

// A knowingStream is a stream with all abilities.
type knowingStream struct{ *tryStream }

func (knowingStream) Explain(err error) error {
	return errors.Join(err, errors.New("the server sleeps"))
}
func (knowingStream) CloseTime() time.Duration { return time.Second }
func (knowingStream) MaxMessage() int          { return 100 }

func TestFeaturesAreThoseOfTheStream(t *testing.T) {
	c := NewConn(knowingStream{&tryStream{fakeStream: newFakeStream()}}, Handler{})
	defer c.Close()
	if f := c.Features(); f.MaxMessage != 100 || f.Explain(errors.New("late")).Error() != "late\nthe server sleeps" || f.Legacy || f.Owner != nil {
		t.Errorf("%+v", f)
	}
	plain := NewConn(newFakeStream(), Handler{})
	defer plain.Close()
	if f := plain.Features(); f.MaxMessage != 0 || f.Explain != nil {
		t.Errorf("%+v", f)
	}
}

func TestMessageNamesTheCallOfItsStream(t *testing.T) {
	var calls []ID
	d := Dispatcher{Handler: Handler{Message: func(_ Conn, m *Message) { calls = append(calls, m.Call) }}}
	message := []byte(`{"jsonrpc":"2.0","method":"notifications/message"}`)
	for _, id := range []ID{{}, NumberID(7)} {
		d.Receive(nil, message, id)
	}
	if len(calls) != 2 || !calls[0].IsZero() || calls[1] != NumberID(7) {
		t.Error(calls)
	}
}

func TestDispatcherDropsBatches(t *testing.T) {
	n := 0
	var dropped []error
	d := Dispatcher{Handler: Handler{
		Message: func(Conn, *Message) { n++ },
		Dropped: func(err error, _ []byte) { dropped = append(dropped, err) },
	}}
	batch := []byte(`[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]`)
	if d.Receive(nil, batch, ID{}); n != 0 || len(dropped) != 1 || !errors.Is(dropped[0], ErrMalformed) {
		t.Errorf("%d messages, %v", n, dropped)
	}
	d.AcceptBatches()
	if d.Receive(nil, batch, ID{}); n != 2 || len(dropped) != 1 {
		t.Errorf("%d messages, %v", n, dropped)
	}
}
