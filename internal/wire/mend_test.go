package wire_test

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// TestMend covers texts that were cut in the middle of a character.
func TestMend(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`"\ud83d"`, `"\ufffd"`},
		{`"\uDE00"`, `"\ufffd"`},
		{`"\ud83d\ud83d\ude00"`, `"\ufffd\ud83d\ude00"`},
		{`"\ude00\ud83d"`, `"\ufffd\ufffd"`},
		{`"\ud83d\u0041"`, `"\ufffd\u0041"`},
		{`"\\ud83d"`, `"\\ud83d"`},
		{`"\\\ud83d"`, `"\\\ufffd"`},
		{`"` + strings.Repeat("x", 1000) + `\ud83d…"`, `"` + strings.Repeat("x", 1000) + `\ufffd…"`},
		{`{"\ud83d":["a",{"b":"\udfff"}],"\"\ud800":1}`, `{"\ufffd":["a",{"b":"\ufffd"}],"\"\ufffd":1}`},
	} {
		before := []byte(tt.text)
		if strings.Contains(tt.want, "fffd") == (wire.Valid(before) == nil) {
			t.Errorf("%s: without Mend: %v", tt.text, wire.Valid(before))
		}
		r := wire.NewReader(before)
		r.Mend()
		got := string(r.Raw())
		if err := r.End(); err != nil || got != tt.want || string(before) != tt.text || (r.Odd() != "") != strings.Contains(tt.want, "fffd") {
			t.Errorf("%s: %s, %v, noted %q, the text is now %s", tt.text, got, err, r.Odd(), before)
		}
	}
}

func TestMendKeepsErrors(t *testing.T) {
	for _, text := range []string{`"\ud83d`, `"\ud83`, `"\ud83d\x"`, "\"\\ud83d\xff\"", "\"\\ud83d\n\"", `"\ud83d" x`, `"\u"`, `{"\ud83d":1`} {
		r := wire.NewReader([]byte(text))
		if r.Mend(); r.Raw() != nil && r.End() == nil {
			t.Errorf("%q is valid", text)
		}
	}
}

// TestMendManyTakesLinearTime copies and scans the text once.
func TestMendManyTakesLinearTime(t *testing.T) {
	text := []byte(`["` + strings.Repeat(`\ud83d`, 1000) + `"` + strings.Repeat(`,"\ud83d"`, 100_000) + `]`)
	if n := testing.AllocsPerRun(1, func() {
		r := wire.NewReader(text)
		r.Mend()
		r.Skip()
		if r.End() != nil {
			t.Error(r.Err())
		}
	}); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func TestExact(t *testing.T) {
	for text, want := range map[string]string{`"a"`: "a", `"\ud83d"`: "", `"�"`: "�", `"\\ufffd"`: `\ufffd`, `"x\udfffy"`: ""} {
		r := wire.NewReader([]byte(text))
		r.Mend()
		if got := r.Exact(); got != want || (r.End() == nil) != (want != "") {
			t.Errorf("%s: %q, %v", text, got, r.Err())
		}
	}
}
