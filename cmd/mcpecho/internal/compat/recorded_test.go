package compat

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/recording"
)

// record returns the entries of a recording; messages of the client begin with >.
func record(t *testing.T, lines ...string) []recording.Entry {
	t.Helper()
	var b bytes.Buffer
	w := recording.NewWriter(&b)
	conn := w.Connection()
	for _, line := range lines {
		w.Message(conn, line[0] == '>', []byte(line[1:]))
	}
	w.End(conn, "exited with status 1")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := recording.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

const (
	initialize = `>{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}}}}`
	server1    = `<{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},"capabilities":{"prompts":{}}}}`
	listTools  = `>{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
)

func TestRecorded(t *testing.T) {
	k, err := Recorded(record(t, initialize, server1, listTools,
		`<{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"old"}]}}`,
		`>{"jsonrpc":"2.0","id":3,"method":"tools/list"}`,
		`<Loading`,
		`<{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"a"}],"nextCursor":"x"}}`,
		`>{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"x"}}`,
		`<{"jsonrpc":"2.0","id":4,"result":{"tools":[{"name":"b"}]}}`,
		`>{"jsonrpc":"2.0","id":5,"method":"tools/list"}`,
		`<{"jsonrpc":"2.0","id":5,"result":{"tools":[{"name":"c"}],"nextCursor":"y"}}`,
		`>{"jsonrpc":"2.0","id":6,"method":"prompts/list"}`,
		`<{"jsonrpc":"2.0","id":6,"error":{"code":-32601,"message":"Method not found"}}`,
	))
	if err != nil {
		t.Fatal(err)
	}
	if k.Server() != "s 1" || k.ProtocolVersion() != "2025-11-25" || k.declared.raw != `{"sampling":{}}` {
		t.Errorf("%+v", k)
	}
	if changes := Compare(k, k); len(changes) != 0 {
		t.Errorf("%v", changes)
	}
	want := catalog(`{"name":"a"}` + "\n" + `{"name":"b"}`)
	want.server = k.server
	if changes := Compare(want, k); len(changes) != 0 {
		t.Errorf("the last complete list is another one: %v", changes)
	}
	want.SetDeclared([]byte(`{}`))
	if changes := Compare(want, k); len(changes) != 1 || changes[0].Kind != Unknown {
		t.Errorf("other capabilities: %v", changes)
	}
}

func TestRecordedWithoutLists(t *testing.T) {
	if _, err := Recorded(record(t, initialize, server1, listTools)); err == nil || !strings.Contains(err.Error(), "no list") {
		t.Error(err)
	}
	k, err := Recorded(record(t, initialize, server1, listTools, `<{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`))
	if err != nil {
		t.Fatal(err)
	}
	full := catalog()
	full.server = k.server
	if changes := Compare(full, k); len(changes) != 1 || changes[0].Kind != Unknown || changes[0].Item != "prompts" {
		t.Errorf("%v", changes)
	}
	if changes := Compare(k, k); len(changes) != 1 || changes[0].Kind != Noted {
		t.Errorf("%v", changes)
	}
}

func TestServers(t *testing.T) {
	old, new := catalog(), catalog()
	parsed := func(text string) *value { return must(text) }
	old.server = server{"2025-11-25", parsed(`{"name":"s","version":"1"}`), nil, parsed(`{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}}`)}
	new.server = server{"2025-06-18", parsed(`{"name":"s","version":"2"}`), text("Hello"), parsed(`{"tools":{"listChanged":false},"resources":{"subscribe":true},"completions":{}}`)}
	var got []string
	for _, c := range Compare(old, new) {
		got = append(got, c.Kind.String()+" "+c.Path)
	}
	want := "unknown protocol version,noted version,noted instructions,unknown capabilities/tools/listChanged,unknown capabilities/logging,ok capabilities/completions"
	if strings.Join(got, ",") != want {
		t.Errorf("%q", got)
	}
	if got := kinds(Compare(new, old)); !strings.HasPrefix(got, "noted noted noted ok") {
		t.Errorf("%q", got)
	}
}
