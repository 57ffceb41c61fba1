package recording

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// asking is a session in which the server asks twice before it responds, and the client
// answers in the other order.
const asking = `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}
< {"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":{}}
< {"jsonrpc":"2.0","id":"b","method":"roots/list"}
> {"jsonrpc":"2.0","id":"b","result":{"roots":[]}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"roots"}}
> {"jsonrpc":"2.0","id":"a","result":{"action":"accept","content":{"name":"Ada","age":36}}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"name"}}
< {"jsonrpc":"2.0","id":"c","method":"ping"}
< {"jsonrpc":"2.0","id":1,"result":{}}`

// TestReplayAwaitsAnswers: what the server sent after an answer comes after it, what it
// sent before does not wait, and nothing waits for an answer that was not recorded.
func TestReplayAwaitsAnswers(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	for line := range strings.SplitSeq(asking, "\n") {
		w.Message(1, line[0] == '>', []byte(line[2:]))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ answer, differs string }{
		{`"result":{"content":{"age":36,"name":"Ada"},"action":"accept","_meta":{"x":1}}`, ""},
		{`"result":{"action":"decline"}`, `[the client responds to elicitation/create of line 3 with {"action":"decline"}; in line 7 it was {"action":"accept","content":{"age":36,"name":"Ada"}}]`},
		{`"error":{"code":-32601,"message":"no"}`, `[the client responds to elicitation/create of line 3 with error -32601; in line 7 it was {"action":"accept","content":{"age":36,"name":"Ada"}}]`},
	} {
		synctest.Test(t, func(t *testing.T) {
			var differs []string
			r := NewReplay(entries, &Options{Differs: func(problem string) { differs = append(differs, problem) }})
			client, server := jsonrpc.Pipe()
			go r.Serve(server) // ends with client
			var got []string
			go func() { // ends with client
				for {
					data, err := client.Read()
					if err != nil {
						return
					}
					m, err := jsonrpc.Parse(data)
					if err != nil {
						t.Error(err)
					}
					got = append(got, m.Method+m.ID.String()+string(m.Params))
				}
			}()
			for _, step := range []struct{ send, want string }{
				{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask"}}`, `elicitation/create"a"{} roots/list"b"`},
				{`{"jsonrpc":"2.0","id":"a",` + test.answer + `}`, ""},
				{`{"jsonrpc":"2.0","id":"a","result":"a second time"}`, ""},
				{`{"jsonrpc":"2.0","id":"b","result":{"roots":[]}}`,
					`notifications/message{"data":"roots"} notifications/message{"data":"name"} ping"c" 7`},
			} {
				got = nil
				if _, err := client.Write([]byte(step.send + "\n")); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if have := strings.Join(got, " "); have != step.want {
					t.Errorf("after %s: %s\nwant %s", step.send, have, step.want)
				}
			}
			if have := fmt.Sprint(differs); have != test.differs && (have != "[]" || test.differs != "") {
				t.Errorf("%s\nwant %s", have, test.differs)
			}
			client.Close()
		})
	}
}

// faulty is a session with a server that makes mistakes, as "mcpecho proxy" records it. The
// errors of the proxy in place of responses are not responses of the server.
const faulty = `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"junk"}}
<text Listening on port 3000
< {"jsonrpc":"2.0","id":2,"result":{"n":1}}
< {"jsonrpc":"2.0","id":2,"result":{"n":2}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wrong"}}
< {"jsonrpc":"2.0","id":"3","result":{}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"other"}}
< {"jsonrpc":"2.0","id":999,"result":{}}
< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"crash"}}
end exited with status 3
<proxy {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"mcpecho proxy: exited with status 3"}}
<proxy {"jsonrpc":"2.0","id":5,"error":{"code":-32001,"message":"mcpecho proxy: exited with status 3"}}`

// TestReplayOfFaults: a replay makes the recorded mistakes again, with the ids of today.
func TestReplayOfFaults(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	for line := range strings.SplitSeq(faulty, "\n") {
		switch kind, text, _ := strings.Cut(line, " "); kind {
		case "end":
			w.End(1, text)
		case "<proxy":
			w.Refusal(1, []byte(text))
		default:
			w.Message(1, kind == ">", []byte(text))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"hang":  nil,
		"junk":  {"Listening on port 3000", `{"jsonrpc":"2.0","id":70,"result":{"n":1}}`, `{"jsonrpc":"2.0","id":70,"result":{"n":2}}`},
		"wrong": {`{"jsonrpc":"2.0","id":"70","result":{}}`},
		"other": {`{"jsonrpc":"2.0","id":999,"result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`},
		"crash": {"end: exited with status 3"},
		"new":   {`"data":{"notInRecording":true}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			var got []string
			client, server := jsonrpc.Pipe()
			go NewReplay(entries, &Options{Ended: func(how string) { got = append(got, "end: "+how) }}).Serve(server) // ends with client
			go func() {                                                                                               // ends with client
				for {
					data, err := client.Read()
					if err != nil {
						return
					}
					got = append(got, strings.TrimSpace(string(data)))
				}
			}()
			// The recording has no request for logs, which changes nothing, and no empty arguments.
			_, _ = client.Write([]byte(`{"jsonrpc":"2.0","id":69,"method":"logging/setLevel","params":{"level":"debug"}}` + "\n"))
			synctest.Wait()
			if len(got) != 1 || got[0] != `{"jsonrpc":"2.0","id":69,"result":{}}` {
				t.Errorf("logging/setLevel: %q", got)
			}
			got = nil
			_, _ = client.Write([]byte(`{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"` + name + `","arguments":{ }}}` + "\n"))
			synctest.Wait()
			if name == "new" && len(got) == 1 && strings.Contains(got[0], want[0]) {
				want = got
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
			_ = client.Close()
		})
	}
}

// recorded returns the entries of a recording that add makes.
func recorded(t *testing.T, add func(*Writer)) []Entry {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	add(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// TestNearest: of the requests with the same method, the nearest is one for the same tool,
// and of those the one with the fewest different arguments, not the one that looks alike.
func TestNearest(t *testing.T) {
	lines := []string{
		`"tools/call","params":{"name":"weather","arguments":{"city":"Rome","days":3}}`,
		`"tools/call","params":{"name":"forecast","arguments":{"city":"Oslo","days":3,"unit":"c"}}`,
		`"tools/call","params":{"name":"weather","arguments":{"unit":"f","days":10,"city":"Oslo, the capital of the kingdom of Norway"}}`,
		`"tools/call","params":{"name":"search","arguments":{"query":{"text":"fjords","limit":5},"page":1}}`,
		`"tools/call","params":{"name":"search","arguments":{"query":{"text":"fjords","limit":50},"page":2}}`,
		`"resources/read","params":{"uri":"file:///etc/hosts"}`,
		`"resources/read","params":{"uri":"file:///etc/hostname"}`,
		`"prompts/get","params":{"name":"greet"}`,
		`"tools/list"`,
	}
	r := NewReplay(recorded(t, func(w *Writer) {
		for i, line := range lines {
			w.Message(1, true, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%s}`, i, line))
		}
	}), nil)
	for asked, want := range map[string]int{
		`"tools/call","params":{"name":"weather","arguments":{"city":"Oslo","days":3,"unit":"c"}}`:                                   0,
		`"tools/call","params":{"name":"weather","arguments":{"days":10,"unit":"f","city":"Oslo"}}`:                                  2,
		`"tools/call","params":{"name":"weather","_meta":{"progressToken":1},"arguments":{"city":"Rome"}}`:                           0,
		`"tools/call","params":{"arguments":{"page":1,"all":true,"query":{"limit":5,"text":"fjords"}},"name":"search"}`:              3,
		`"tools/call","params":{"name":"search","arguments":{"page":2}}`:                                                             4,
		`"tools/call","params":{"name":"forecast"}`:                                                                                  1,
		`"tools/call","params":{"name":"forecasts","arguments":{"city":"Oslo","days":3,"unit":"c"}}`:                                 1,
		`"resources/read","params":{"uri":"file:///etc/hostnames"}`:                                                                  6,
		`"prompts/get","params":{"name":"greet","arguments":{"who":"Ada"}}`:                                                          7,
		`"prompts/get","params":["greet"]`:                                                                                           7,
		`"tools/list","params":{"cursor":"2"}`:                                                                                       8,
		`"tools/call","params":{"name":"weather","arguments":"Rome"}`:                                                                0,
		`"tools/call","params":{"name":"search","arguments":{"page":2,"query":{"text":"fjords","limit":5,"text":"glaciers"}}}`:       4,
		`"tools/call","params":{"name":"search","arguments":{"page":1,"query":{"text":"fjords","limit":5},"a":1,"b":2,"c":3,"d":4}}`: 3,
	} {
		m, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":` + asked + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got, line := r.explain(m), fmt.Sprintf("the nearest is line %d: ", want+2); !strings.Contains(got, line) {
			t.Errorf("%s: %s\nwant %s", asked, got, line)
		}
	}
}

// TestTimedSteps: text and the end of the server also come when they came.
func TestTimedSteps(t *testing.T) {
	const request = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":1}}}`
	entries := recorded(t, func(w *Writer) {
		w.SetTime(0)
		w.Message(1, true, []byte(request))
		for i := range 3 {
			w.SetTime(time.Duration(i+1) * time.Second)
			w.Message(1, false, []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`))
		}
		w.SetTime(5 * time.Second)
		w.Message(1, false, []byte("Traceback"))
		w.SetTime(8 * time.Second)
		w.End(1, "exited")
	})
	for _, timed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			client, server := jsonrpc.Pipe()
			go NewReplay(entries, &Options{Timed: timed}).Serve(server) // ends with the stream
			begun := time.Now()
			_, _ = client.Write([]byte(request + "\n"))
			var got []int
			for {
				_, err := client.Read()
				got = append(got, int(time.Since(begun).Seconds()))
				if err != nil {
					break
				}
			}
			if want := map[bool]string{true: "[1 2 3 5 8]", false: "[0 0 0 0 0]"}[timed]; fmt.Sprint(got) != want {
				t.Errorf("timed %t: %v, want %s", timed, got, want)
			}
		})
	}
}
