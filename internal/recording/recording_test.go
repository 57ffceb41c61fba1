package recording

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/diag"
)

const request = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"greet","arguments":{"message":"hello"},"_meta":` +
	`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

// TestSecretsAreMasked by name and by value.
func TestSecretsAreMasked(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, "opensesame")
	w.message(1, true, []byte(`{"a":[{"access_token":"abc"}],"text":"say opensesame","max_tokens":5,`+"\n"+`"progressToken":"p"}`))
	w.message(1, false, []byte("not JSON"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if want := `{"a":[{"access_token":"***"}],"text":"say ***","max_tokens":5,"progressToken":"p"}` + "\nend 1\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("recorded %s\nwant %s", b.String(), want)
	}
	entries, err := Read(&b)
	if err != nil || len(entries) != 1 || !entries[0].Sent || entries[0].Line != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

// FuzzRead: what is read can be written again with the same messages.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.message(1, true, []byte(request))
	w.message(1, false, []byte(`{"jsonrpc":"2.0","id":7,"result":{}}`))
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Add([]byte("stdmcp recording 1\nend 0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		w := NewWriter(&b)
		for _, e := range entries {
			w.message(e.Conn, e.Sent, []byte(e.Text))
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(&b); err != nil {
			t.Error(err)
		}
	})
}

// FuzzIsPlain: of a message that is recorded as it is, mask changes nothing.
func FuzzIsPlain(f *testing.F) {
	for _, seed := range []string{request, `{"token":"a"}`, `{"a\"token" : "b"}`, `{"t\u006fken":"x"}`, `{"a":"opensesame"}`,
		`{"a":"x\":y"}`, `{"a":1}}`, "{\"a\":\n1}", `{"a":["b:c",{"secret":"d"}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := NewWriter(io.Discard, "opensesame")
		if !w.isPlain(data) {
			return
		}
		found := false
		_, ok := mask(nil, data, diag.NewRedactor(), func(name []byte) bool {
			found = found || isSecret(name)
			return false
		})
		if !ok || found || diag.Redact(string(data), "opensesame") != string(data) || bytes.ContainsAny(data, "\r\n") {
			t.Errorf("%q is taken as it is", data)
		}
	})
}

func BenchmarkMessage(b *testing.B) {
	w, data := NewWriter(io.Discard), []byte(request)
	for b.Loop() {
		w.message(1, true, data)
	}
}
