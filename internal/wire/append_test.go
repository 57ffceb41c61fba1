package wire_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

func TestAppendStringEscapesOnlyWhatItMust(t *testing.T) {
	for _, tt := range []struct{ s, want string }{
		{``, `""`},
		{`plain <b>&amp;</b> / text`, `"plain <b>&amp;</b> / text"`},
		{`a "quoted" \ text`, `"a \"quoted\" \\ text"`},
		{"a\nb\rc\td", `"a\nb\rc\td"`},
		{"\x00\b\f\x1f\x7f", `"\u0000\u0008\u000c\u001f` + "\x7f\""},
		{"é€😀天\u2028\uFEFF", "\"é€😀天\u2028\uFEFF\""},
		{"\uFFFD", "\"\uFFFD\""},
		{"a\xffb\xc3", "\"a\uFFFDb\uFFFD\""},
		{"\xe2\x82é", "\"\uFFFD\uFFFDé\""},
		{"\xed\xa0\x80\n", "\"\uFFFD\uFFFD\uFFFD\\n\""},
		{strings.Repeat("é", 50) + "\xff\"", `"` + strings.Repeat("é", 50) + "\uFFFD\\\"\""},
	} {
		if got := string(wire.AppendString(nil, tt.s)); got != tt.want {
			t.Errorf("%q became %s, want %s", tt.s, got, tt.want)
		}
		// What stands before is kept, even if it is not text.
		if got := string(wire.AppendString([]byte("\xff:"), tt.s)); got != "\xff:"+tt.want {
			t.Errorf("%q became %s, want %s", tt.s, got, tt.want)
		}
	}
}

func TestAppendStringEscapesAtEveryPlace(t *testing.T) {
	for c := range 256 {
		for before := range 17 {
			s := strings.Repeat("x", before) + string([]byte{byte(c)}) + "yyyyyyyyy"
			var got string
			if err := json.Unmarshal(wire.AppendString(nil, s), &got); err != nil || got != string([]rune(s)) {
				t.Fatalf("%q became %q, error %v", s, got, err)
			}
		}
	}
}

func TestCommasGoBetweenMembers(t *testing.T) {
	b := wire.AppendComma(nil)
	b = append(b, '{')
	b = append(wire.AppendKey(b, `a"b`), '[')
	for i := range 3 {
		b = wire.AppendInt(wire.AppendComma(b), int64(i))
	}
	b = append(b, ']')
	b = append(wire.AppendComma(wire.AppendKey(b, "c")), "{}"...)
	b = append(wire.AppendKey(b, ""), "[{},"...)
	b = wire.AppendBool(b, true)
	b = append(b, "]}"...)
	if got, want := string(b), `{"a\"b":[0,1,2],"c":{},"":[{},true]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := string(wire.AppendComma([]byte(`"{"`))); got != `"{",` {
		t.Errorf("a string that holds a brace was taken for an opening: %s", got)
	}
}

func TestAppendScalars(t *testing.T) {
	for _, tt := range []struct {
		got  []byte
		want string
	}{
		{wire.AppendInt(nil, math.MinInt64), "-9223372036854775808"},
		{wire.AppendInt([]byte("x"), 0), "x0"},
		{wire.AppendBool(nil, true), "true"},
		{wire.AppendBool(nil, false), "false"},
		{wire.AppendBase64([]byte("x"), nil), `x""`},
		{wire.AppendBase64(nil, []byte{0xfb, 0xff}), `"+/8="`},
	} {
		if string(tt.got) != tt.want {
			t.Errorf("%s, want %s", tt.got, tt.want)
		}
	}
}

func TestAppendFloatIsShortAndExact(t *testing.T) {
	for _, tt := range []struct {
		f    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "-0"}, {1, "1"}, {-1.5, "-1.5"}, {0.1, "0.1"},
		{1e20, "100000000000000000000"}, {1e21, "1e+21"}, {1e-6, "0.000001"}, {1e-7, "1e-07"},
		{math.MaxFloat64, "1.7976931348623157e+308"}, {math.SmallestNonzeroFloat64, "5e-324"},
	} {
		if got, err := wire.AppendFloat(nil, tt.f); string(got) != tt.want || err != nil {
			t.Errorf("%v became %s, error %v; want %s", tt.f, got, err, tt.want)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got, err := wire.AppendFloat([]byte("x"), f); string(got) != "x" || err == nil {
			t.Errorf("%v became %s, error %v", f, got, err)
		}
	}
}

func TestAppendLineWritesOneLine(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{`1`, `1`},
		{" \t\r\n1\n\r\t ", `1`},
		{` { "a" : [ 1 , 2 ] } `, `{ "a" : [ 1 , 2 ] }`}, // kept byte for byte
		{"{\n  \"a\" : [1,\t2],\r\n  \"b c\": \" d\\n \"\n}\n", `{"a":[1,2],"b c":" d\n "}`},
		{"[\r1.0,\"\\\"\\\\\" , null]", `[1.0,"\"\\",null]`},
		{"[\n\"é 天\u2028\"]", "[\"é 天\u2028\"]"},
	} {
		if got := string(wire.AppendLine([]byte("x"), []byte(tt.raw))); got != "x"+tt.want {
			t.Errorf("AppendLine of %q is %q, want %q", tt.raw, got, tt.want)
		}
		if got, err := wire.AppendRaw([]byte("x"), []byte(tt.raw)); string(got) != "x"+tt.want || err != nil {
			t.Errorf("AppendRaw of %q is %q, error %v; want %q", tt.raw, got, err, tt.want)
		}
	}
}

func TestAppendRawRefusesWhatIsNotOneValue(t *testing.T) {
	for _, raw := range []string{``, ` `, `{`, `1 2`, `{"a":1}}`, `"\ud800"`, "\"\xff\"", "\"a\nb\"", nested(129, "[", "]")} {
		if got, err := wire.AppendRaw([]byte("x"), []byte(raw)); string(got) != "x" || err == nil {
			t.Errorf("AppendRaw of %q is %q, error %v", raw, got, err)
		}
	}
}

func TestAppendCompact(t *testing.T) {
	for in, want := range map[string]string{
		` { "a b" : [ 1 , "\" \\" , "" ] } `: `{"a b":[1,"\" \\",""]}`,
		"\t[\r\n]\n":                         `[]`,
	} {
		if got := string(wire.AppendCompact(nil, []byte(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestTrim(t *testing.T) {
	for in, want := range map[string]string{"": "", " \t\r\n": "", "a": "a", " a b\r\n": "a b", "\va\u00a0": "\va\u00a0"} {
		if got := wire.Trim(in); got != want {
			t.Errorf("Trim of %q is %q", in, got)
		}
		if got := wire.Trim([]byte(in)); string(got) != want {
			t.Errorf("Trim of the bytes %q is %q", in, got)
		}
	}
}
