package testserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestFaultsAreInOrder(t *testing.T) {
	row, seen := 0, map[string]bool{}
	for _, f := range Faults() {
		if f.Row < row || seen[f.Name] || f.Does == "" || f.On == "" {
			t.Errorf("%s: row %d after %d, twice %v, does %q", f.Name, f.Row, row, seen[f.Name], f.Does)
		}
		row, seen[f.Name] = f.Row, true
	}
}

// TestFaultMessages writes what every fault in messages sends instead of the
// answer to testdata/faults.golden.
func TestFaultMessages(t *testing.T) {
	const file = "testdata/faults.golden"
	var got bytes.Buffer
	for _, f := range Faults() {
		if f.On != "S" && strings.Contains(f.On, "S") {
			fmt.Fprintf(&got, "%s\n", f.Name)
			for _, line := range inject(t, f) {
				fmt.Fprintf(&got, "\t%q\n", line)
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Error(firstDifference(got.String(), string(want)))
	}
}

// strike sends the request that a fault is about and returns what comes until
// the call has ended or been cancelled.
func inject(t *testing.T, f Fault) (lines []string) {
	synctest.Test(t, func(t *testing.T) {
		s := New(&Options{Fault: f.Name, Size: 2})
		session := s.NewSession(nil)
		defer session.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		line := strings.Replace(echoCall, modernMeta, `"_meta":{"progressToken":"tok",`+strings.TrimPrefix(modernMeta, `"_meta":{`), 1)
		switch {
		case f.Method == "initialize":
			line = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
				`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
		case f.Method != "" && f.Method != "*":
			line = `{"jsonrpc":"2.0","id":1,"method":"` + f.Method + `","params":{` + modernMeta + "}}"
		}
		const result = `{"resultType":"complete","content":[{"type":"text","text":"hi"}],` +
			`"_meta":{"io.modelcontextprotocol/serverInfo":` + serverName + `}}`
		reply := func(msg []byte) {
			line := strings.ReplaceAll(string(msg), result, "RIGHT")
			lines = append(lines, line[:min(len(line), 200)])
		}
		if run := session.Handle(ctx, []byte(line), reply); run != nil {
			run()
		}
		if v := s.Violations(); v != nil {
			t.Error(f.Name, v)
		}
	})
	return lines
}

// exchange sends lines to a server in a bubble and returns what it has sent
// when it has come to rest, and whether it has closed the connection.
func converse(t *testing.T, o *Options, lines ...string) (got string, closed bool) {
	synctest.Test(t, func(t *testing.T) {
		conn := New(o).Pipe()
		var mu sync.Mutex // guards out and ended
		var out strings.Builder
		ended := false
		go func() { // ends when the connection is closed
			b := make([]byte, 1<<16)
			for {
				n, err := conn.Read(b)
				mu.Lock()
				out.Write(b[:n])
				ended = err == io.EOF
				mu.Unlock()
				if err != nil {
					return
				}
			}
		}()
		go io.WriteString(conn, strings.Join(lines, "\n")+"\n")
		time.Sleep(time.Hour)
		synctest.Wait()
		mu.Lock()
		got, closed = out.String(), ended
		mu.Unlock()
		conn.Close()
	})
	return got, closed
}

func TestFaultsOfStreams(t *testing.T) {
	other := strings.NewReplacer(`"id":1`, `"id":2`, `"echo"`, `"fail"`).Replace(echoCall)
	healthy, _ := converse(t, nil, echoCall, other)
	answers := strings.SplitAfter(healthy, "\n")
	for _, test := range []struct {
		fault  string
		want   string
		closed bool
	}{
		{fault: "", want: healthy},
		{fault: "byte-by-byte", want: healthy},
		{fault: "split-utf8", want: healthy},
		{fault: "trickle", want: healthy},
		{fault: "crlf", want: strings.ReplaceAll(healthy, "\n", "\r\n")},
		{fault: "byte-order-mark", want: "\uFEFF" + healthy},
		{fault: "chatter", want: "DEBUG sending…\n\n" + answers[0] + "DEBUG sending…\n\n" + answers[1]},
		{fault: "never-answers", want: answers[1]},
		{fault: "answers-late", want: answers[1] + answers[0]},
		{fault: "mute", want: ""},
		{fault: "never-reads", want: "", closed: true},
		{fault: "stops-reading", want: answers[1]},
		{fault: "dies-mid-call", want: "", closed: true},
		{fault: "exits-at-start", want: "", closed: true},
		{fault: "usage-and-exit", want: "Usage: server [options]\n  -h  help\n", closed: true},
		{fault: "cut-off", want: answers[0][:(len(answers[0])-1)/2], closed: true},
		{fault: "floods-stderr", want: ""},
	} {
		o := &Options{Fault: test.fault, Delay: time.Second, Size: 5000}
		got, closed := converse(t, o, echoCall, other)
		if test.fault == "floods-stderr" {
			got = strings.TrimSpace(strings.NewReplacer(answers[0], "", answers[1], "").Replace(got))
		}
		if got != test.want || closed != test.closed {
			t.Errorf("%s: closed %v, got %q", test.fault, closed, got)
		}
	}
}

func TestEndlessLine(t *testing.T) {
	got, closed := converse(t, &Options{Fault: "endless-line", Size: 200_000}, echoCall)
	if len(got) < 200_000 || strings.Contains(got, "\n") || closed {
		t.Errorf("%d bytes, closed %v", len(got), closed)
	}
}
