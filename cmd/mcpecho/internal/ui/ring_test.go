package ui

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
)

func TestRingDescribesMessages(t *testing.T) {
	r := ring{limit: ringBytes}
	for _, m := range []struct {
		conn int
		sent bool
		text string
	}{
		{1, true, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{}}}`},
		{2, true, `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{1, false, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`},
		{1, false, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"a log line"}}`},
		{1, false, `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`},
		{1, false, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{1, true, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no roots"}}`},
		{1, false, `{"jsonrpc":`},
	} {
		r.message(m.conn, m.sent, []byte(m.text+"\n"))
	}
	want := []string{"request tools/call add 0 false ", "request ping  0 false ", "request roots/list  0 false ", "notification notifications/message a log line 0 false ",
		"response tools/call add 1 true ", "response   0 false ", "error roots/list  3 false -32601 no roots", "invalid"}
	for i, e := range r.since(0, 100) {
		got := fmt.Sprint(e.Kind, " ", e.Method, " ", e.Name, " ", e.Of, " ", e.Failed, " ", e.Text)
		if !strings.HasPrefix(got, want[i]) {
			t.Errorf("entry %d is %q, want %q", i, got, want[i])
		}
		if (e.Of != 0) != (e.Took != nil) || e.Seq != int64(i+1) {
			t.Errorf("entry %d: %+v", i, e)
		}
	}
}

func TestRingIsBounded(t *testing.T) {
	r := ring{limit: 100_000}
	big := []byte(`{"jsonrpc":"2.0","method":"x","params":{"a":"` + strings.Repeat("a", 9000) + `"}}`)
	for i := range 1000 {
		r.message(1, false, big)
		r.message(1, true, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"%s"}`, i, strings.Repeat("m", 1000)))
		size := 0
		for _, e := range r.entries {
			size += e.bytes()
		}
		if size != r.size || size > r.limit || len(r.pending) > maxPending {
			t.Fatalf("the ring holds %d bytes and counts %d", size, r.size)
		}
	}
	if int64(len(r.entries))+r.dropped != 2000 || r.last != 2000 || len(r.entries) < 10 {
		t.Errorf("%d entries, %d dropped", len(r.entries), r.dropped)
	}
	if e := r.get(2000); e == nil || e.Seq != 2000 || len(e.Method) > maxName+10 {
		t.Errorf("the last entry is %+v", e)
	}
	if r.get(1) != nil || r.get(2001) != nil || r.get(-5) != nil {
		t.Error("an entry that was dropped")
	}
	if list := r.since(0, 3); len(list) != 3 || list[0].Seq != r.dropped+1 {
		t.Errorf("since 0: %+v", list)
	}
	r.message(1, false, append(big, make([]byte, 200_000)...))
	if e := r.get(2001); e == nil || e.data != nil || e.Size == 0 || r.size > r.limit {
		t.Errorf("a message larger than the ring: %+v", e)
	}
	r.clear()
	if len(r.since(0, 10)) != 0 || len(r.entries) == 0 || r.get(2001) != nil { // a recording still has them
		t.Error("entries after clear")
	}
	if e := r.text(kindStderr, "", "after"); e.Seq != 2002 || r.get(2002) != e {
		t.Errorf("after clear: %+v", e)
	}
}

// TestRingForgetsUnansweredRequests: what waits for a response is a few words, even if the
// server never gets one.
func TestRingForgetsUnansweredRequests(t *testing.T) {
	r := ring{limit: 1 << 20}
	pad := strings.Repeat("x", 100_000)
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	for i := range 300 {
		r.message(1, false, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"q%d","method":"sampling/createMessage","params":{"name":"n","pad":"%s"}}`, i, pad))
		r.message(1, false, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"%d%s","method":"m%s","params":{"uri":"%s"}}`, i, pad, pad, pad))
	}
	if kept := heap() - before; kept > 4<<20 {
		t.Errorf("600 requests without a response keep %d bytes", kept)
	}
	r.message(1, true, []byte(`{"jsonrpc":"2.0","id":"q0","result":{}}`))
	if e := r.get(601); e.Of != 1 || e.Method != "sampling/createMessage" || e.Name != "n" || e.Took == nil || r.get(1) != nil {
		t.Errorf("the response to a request that is no longer kept: %+v", e)
	}
	runtime.KeepAlive(&r)
}

// TestStateIsBounded: what a server sends again and again does not make the state grow.
func TestStateIsBounded(t *testing.T) {
	var items []*item
	for i := range 300 { // other items each time
		items = compare(kindTool, items, []*item{{Name: fmt.Sprint("new", i), raw: []byte(strings.Repeat("r", 10_000))}}, true, true)
	}
	size := 0
	for _, i := range items {
		size += len(i.raw)
	}
	if len(items) > maxRemoved+1 || size > maxRemovedBytes+10_000 || items[1].Name != "new298" || items[1].Change != changeRemoved {
		t.Errorf("%d items of %d bytes, then %+v", len(items), size, items[1])
	}
	endless := func(yield func(*mcp.Tool, error) bool) { // pages without end
		for i := 0; yield(&mcp.Tool{Name: fmt.Sprint(i, strings.Repeat("n", 10_000))}, nil); i++ {
		}
	}
	if list, err := collect(endless, toolItem); !errors.Is(err, errLongList) || len(list) < 1000 || len(list) > maxListBytes/10_000 {
		t.Errorf("%d items of a list without end: %v", len(list), err)
	}
	b := New(Config{Explain: error.Error})
	if text := b.config.Explain(errors.New(strings.Repeat("e", 1<<20))); len(text) > maxReason+10 {
		t.Errorf("a reason of %d bytes", len(text))
	}
	for i := range 5 {
		b.asks = append(b.asks, &ask{ID: i + 1, Message: strings.Repeat("m", 1000)})
	}
	if text := string(encoded(b.partLocked(partAsks))); len(text) > 1200 || !strings.Contains(text, `"more":4`) {
		t.Errorf("questions: %.300s", text)
	}
}
