package mcp

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// An orders test walks through every order in which the events of a handshake can
// happen, from one state on.
type orders struct {
	t      *testing.T
	path   []handshakeState
	seen   map[handshakeState]bool
	ends   int
	opened int
}

// TestEveryOrderOfHandshakeEvents: responses, refusals, silence and the end of the
// connection, in every order. A handshake ends, sends only what it may, and wins if
// it can.
func TestEveryOrderOfHandshakeEvents(t *testing.T) {
	total := 0
	for bits := range 1 << 6 {
		bit := func(n int) bool { return bits>>n&1 == 1 }
		s := handshakeState{mayProbe: bit(0), mayInitialize: bit(1), initializeFirst: bit(2), stateless: bit(3), mayReopen: bit(4), spoiled: bit(5)}
		if !s.mayProbe && !s.mayInitialize {
			continue
		}
		o := &orders{t: t, seen: make(map[handshakeState]bool), opened: 1}
		o.walk(s)
		total += o.ends
	}
	t.Logf("%d ends", total)
}

// walk tries everything that can happen in a state.
func (o *orders) walk(s handshakeState) {
	if slices.Contains(o.path, s) {
		o.t.Fatalf("endless: %+v", o.path)
	}
	if o.seen[s] && o.opened == 1 {
		return
	}
	o.seen[s] = true
	o.path = append(o.path, s)
	defer func() { o.path = o.path[:len(o.path)-1] }()
	switch a := s.next(time.Second); a.kind {
	case finish:
		o.ends++
		o.finish(s)
	case await:
		o.await(s, a.wait)
	case sendProbe, sendInit:
		o.check(s, !s.ended, "sends on a connection that has ended")
		o.check(s, a.kind == sendInit || s.mayProbe && s.probes < 2 && s.session != pending, "probes")
		o.check(s, a.kind == sendProbe || s.mayInitialize && s.session == unsent, "initializes")
		s.sent(a.kind)
		o.walk(s)
	default:
		o.check(s, s.mayReopen && s.spoiled, "opens another connection")
		o.check(s, s.probe != pending && s.session != pending || s.ended || s.late, "abandons a request")
		s.reopened(a.kind)
		o.opened++
		o.check(s, o.opened == 2, "opens a third connection")
		o.walk(s)
		o.opened--
	}
}

// await tries every event for which a handshake can wait.
func (o *orders) await(s handshakeState, wait time.Duration) {
	o.check(s, s.probe == pending || s.session == pending, "waits for nothing")
	o.check(s, !s.late || wait == 0, "waits twice")
	if wait > 0 {
		late := s
		late.late = true
		o.walk(late)
	}
	for r := accepted; r <= lost; r++ {
		if s.session == pending && r != offersLegacy {
			next := s
			next.received(sendInit, r)
			o.walk(next)
		}
		if s.probe == pending && r != refusedNow {
			next := s
			next.received(sendProbe, r)
			o.check(next, r != accepted || next.probe == accepted, "ignores a response to the probe")
			o.walk(next)
		}
	}
	end := s // the pending requests fail with the connection
	end.ended = true
	for end.probe == pending {
		end.received(sendProbe, lost)
	}
	if end.session == pending {
		end.received(sendInit, lost)
	}
	o.walk(end)
}

// finish checks whether the end of a handshake is justified.
func (o *orders) finish(s handshakeState) {
	if s.session == accepted || s.probe == accepted && !s.ended {
		return
	}
	o.check(s, s.session != pending, "fails while initialize is pending")
	if !s.ended && s.mayInitialize && s.session == unsent {
		o.check(s, s.probe == refusedModern || s.probe == unauthorized, "fails without initialize")
	}
	if !s.ended && s.mayProbe && (s.session == refused || s.session == refusedModern) {
		o.check(s, s.probe != unsent, "fails without a probe")
	}
	if s.ended && s.spoiled && s.mayReopen && s.probe != refusedModern && s.mayInitialize {
		o.check(s, s.probe == unauthorized && s.session == unsent, "fails without another connection")
	}
}

func (o *orders) check(s handshakeState, ok bool, what string) {
	if !ok {
		o.t.Errorf("%s in %+v after %d steps", what, s, len(o.path))
	}
}

// TestHandshakeDecisions has the orders of events that real servers cause.
func TestHandshakeDecisions(t *testing.T) {
	both := handshakeState{mayProbe: true, mayInitialize: true, mayReopen: true}
	first := both
	first.initializeFirst = true
	stateless := both
	stateless.stateless = true
	type event func(*handshakeState)
	probed := func(r reply) event { return func(s *handshakeState) { s.received(sendProbe, r) } }
	replied := func(r reply) event { return func(s *handshakeState) { s.received(sendInit, r) } }
	late := event(func(s *handshakeState) { s.late = true })
	end := event(func(s *handshakeState) { s.ended = true })
	for _, tt := range []struct {
		name   string
		start  handshakeState
		events []event // one for each await
		want   []kind
		result reply // to the last request that was answered
	}{
		{"a modern server", both, []event{probed(accepted)}, []kind{sendProbe, finish}, accepted},
		{"a legacy server", both, []event{probed(refused), replied(accepted)}, []kind{sendProbe, sendInit, finish}, accepted},
		{"401", both, []event{probed(unauthorized)}, []kind{sendProbe, finish}, unauthorized},
		{"no version in common", both, []event{probed(refusedModern)}, []kind{sendProbe, finish}, refusedModern},
		{"a known legacy server", first, []event{replied(accepted)}, []kind{sendInit, finish}, accepted},
		{"a known legacy server that has changed", first, []event{replied(refused), probed(accepted)}, []kind{sendInit, sendProbe, finish}, accepted},
		{"silence", both, []event{late, replied(accepted)}, []kind{sendProbe, sendInit, finish}, accepted},
		{"a lost probe", both, []event{late, replied(refusedModern), late, probed(accepted)}, []kind{sendProbe, sendInit, sendProbe, finish}, accepted},
		{"a gateway that breaks", both, []event{late, replied(refused), probed(refused), replied(accepted)},
			[]kind{sendProbe, sendInit, reopenLegacy, sendInit, finish}, accepted},
		{"a gateway that breaks, in the other order", both, []event{late, probed(refused), replied(refused), replied(accepted)},
			[]kind{sendProbe, sendInit, reopenLegacy, sendInit, finish}, accepted},
		{"a gateway that hangs", both, []event{late, replied(refused), late, replied(accepted)},
			[]kind{sendProbe, sendInit, reopenLegacy, sendInit, finish}, accepted},
		{"a gateway that begins a session for the probe", both, []event{probed(refused), replied(refusedNow), replied(accepted)},
			[]kind{sendProbe, sendInit, reopenLegacy, sendInit, finish}, accepted},
		{"the same error over HTTP", stateless, []event{probed(refused), replied(refusedNow)}, []kind{sendProbe, sendInit, finish}, refused},
		{"a refusal of both, one after the other", both, []event{probed(refused), replied(refused)}, []kind{sendProbe, sendInit, finish}, refused},
		{"dies of the probe", both, []event{func(s *handshakeState) { probed(lost)(s); end(s) }, replied(accepted)},
			[]kind{sendProbe, reopenLegacy, sendInit, finish}, accepted},
		{"dies of initialize", both, []event{late, probed(accepted), func(s *handshakeState) { replied(lost)(s); end(s) }, probed(accepted)},
			[]kind{sendProbe, sendInit, reopenModern, sendProbe, finish}, accepted},
	} {
		s, got := tt.start, []kind(nil)
		for events := tt.events; ; {
			a := s.next(time.Second)
			if a.kind == await {
				if len(events) == 0 {
					t.Errorf("%s: waits after %v", tt.name, got)
					break
				}
				events[0](&s)
				events = events[1:]
				continue
			}
			got = append(got, a.kind)
			if a.kind == finish {
				break
			} else if a.kind >= reopenLegacy {
				s.reopened(a.kind)
			} else {
				s.sent(a.kind)
			}
		}
		if !slices.Equal(got, tt.want) || s.session != tt.result && s.probe != tt.result {
			t.Errorf("%s: %v with %d and %d, want %v", tt.name, got, s.probe, s.session, tt.want)
		}
	}
}

// TestSupportedVersions reads the data of refusals, which servers get wrong.
func TestSupportedVersions(t *testing.T) {
	for data, want := range map[string][]string{
		`{"requested":"x","supported":["a","b"]}`: {"a", "b"},
		`{"supported":[]}`:                        nil,
		`{"supported":null}`:                      nil,
		`{"supported":["a",7]}`:                   nil,
		`{"supported":"a"}`:                       nil,
		`["a"]`:                                   nil,
		`null`:                                    nil,
		``:                                        nil,
	} {
		if got := supportedVersions(&jsonrpc.Error{Data: RawMessage(data)}); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
}

// TestHintLateStream: a client does not wait for the stream of a session if an earlier one
// did within a day.
func TestHintLateStream(t *testing.T) {
	for ago, want := range map[time.Duration]bool{time.Hour: true, 25 * time.Hour: false, -25 * time.Hour: false} {
		late := new(atomic.Bool)
		c := newClient(t.Context(), &Options{CachedServer: &ServerInfo{StreamLate: time.Now().Add(-ago)}})
		c.features = &jsonrpc.Features{StreamLate: late}
		if c.hintLateStream(); late.Load() != want {
			t.Errorf("%v ago: %v, want %v", ago, late.Load(), want)
		}
	}
}
