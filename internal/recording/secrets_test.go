package recording_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/recording"
)

// TestSentSecretsAreLearned: a Writer masks a value that the client sends under the name of
// a secret wherever the server repeats it.
func TestSentSecretsAreLearned(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"password":"hunter22","db":{"api_key":"k-12345"},"passwords":["listed-one"],"credentials":{"pair":{"user":"nested-one"},"k-of-map1":true},"body":"{\"pwd\":\"inner-one\"}","key":"counter"}}}`
	var b bytes.Buffer
	w := recording.NewWriter(&b)
	n := w.Connection()
	w.Message(n, false, []byte(`{"jsonrpc":"2.0","method":"x","params":{"password":"opensesame"}}`))
	w.Message(n, true, []byte(call))
	w.Message(n, false, []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no \"hunter22\" for k-12345, counter, opensesame, listed-one, nested-one, k-of-map1, inner-one"}]}}`))
	w.Text(n, false, []byte("password: hunter22"))
	w.End(n, "bad password hunter22")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"hunter22": false, "k-12345": false, "listed-one": false, "nested-one": false, "k-of-map1": false, "inner-one": false, "counter, opensesame": true, `no \"***\" for ***`: true, "bad password ***": true} {
		if strings.Contains(b.String(), text) != want {
			t.Errorf("%q: %t, want %t, in\n%s", text, !want, want, b.String())
		}
	}
}

// TestLearnIsBounded: a client may send any number of secrets.
func TestLearnIsBounded(t *testing.T) {
	s := recording.NewSecrets("known-value")
	for i := range 1000 {
		s.Learn(fmt.Appendf(nil, `{"password":"secret-%d-","token":"***"}`, i))
	}
	s.Learn([]byte(`{"password":"` + strings.Repeat("x", 1<<20) + `"}`))
	if got := s.Redact("known-value secret-0- secret-99- secret-100- *** xxxxx"); got != "*** *** *** secret-100- *** xxxxx" {
		t.Error(got)
	}
	var none *recording.Secrets
	if none.Learn([]byte(`{"token":"abcdef"}`)); none.Redact("abcdef") != "abcdef" {
		t.Error("no secrets hide something")
	}
}
