package wire_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

type (
	named      string
	level      uint8
	broken     struct{}
	brokenText struct{}
	pointers   struct{ _ int }
)

var errBroken = errors.New("broken")

func (level) MarshalText() ([]byte, error)       { return []byte("high\n"), nil }
func (broken) MarshalJSON() ([]byte, error)      { return nil, errBroken }
func (brokenText) MarshalText() ([]byte, error)  { return nil, errBroken }
func (p *pointers) MarshalJSON() ([]byte, error) { return []byte("{\n\"n\": 1 }"), nil }

func TestAppendValueOfNaturalGoValues(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{nil, `null`},
		{true, `true`},
		{"a\nb", `"a\nb"`},
		{int(-1), `-1`}, {int8(-8), `-8`}, {int16(-16), `-16`}, {int32(-32), `-32`}, {int64(math.MinInt64), `-9223372036854775808`},
		{uint(1), `1`}, {uint8(8), `8`}, {uint16(16), `16`}, {uint32(32), `32`}, {uint64(math.MaxUint64), `18446744073709551615`},
		{float32(0.1), `0.1`}, {0.1, `0.1`}, {1e300, `1e+300`},
		{[]any{}, `[]`}, {[]any{1, "b", nil, []any{}}, `[1,"b",null,[]]`},
		{[]string{"a", "b"}, `["a","b"]`}, {[]int{1}, `[1]`}, {[]float64{1, 0.5}, `[1,0.5]`}, {[]bool{true}, `[true]`},
		{[]map[string]any{{}}, `[{}]`}, {map[string]string{"b": "1", "a": "2"}, `{"a":"2","b":"1"}`},
		{map[string]bool{"a": true}, `{"a":true}`}, {map[string]int{"b": 2, "a": 1}, `{"a":1,"b":2}`},
		{map[string]float64{"a": 0.5}, `{"a":0.5}`}, {map[string]json.RawMessage{"a": json.RawMessage("1.0"), "b": nil}, `{"a":1.0,"b":null}`},
		{[]int64{1}, `[1]`}, {[]float32{0.5}, `[0.5]`}, {[]json.RawMessage{json.RawMessage("1.0")}, `[1.0]`},
		{[]map[string]string{{"a": "b"}}, `[{"a":"b"}]`}, {[][]string{{"a"}}, `[["a"]]`}, {[][]float64{{0.5}}, `[[0.5]]`},
		{map[string][]string{"a": {"b"}}, `{"a":["b"]}`}, {map[string]map[string]any{"a": {"b": 1}}, `{"a":{"b":1}}`},
		{[]byte{0xfb, 0xff}, `"+/8="`}, {[]byte{}, `""`},
		{map[string]any{}, `{}`},
		{map[string]any{"b": 1, "a": map[string]any{"z": 1, "": 2}, "A": nil}, `{"A":null,"a":{"":2,"z":1},"b":1}`},
		{json.RawMessage(" {\"a\" : 1.00}\n"), `{"a" : 1.00}`},
		{json.RawMessage("[\n1 ]"), `[1]`},
		{json.Number("1.00"), `1.00`},
		{level(1), `"high\n"`}, {netip.MustParseAddr("::1"), `"::1"`},
		{time.Unix(0, 0).UTC(), `"1970-01-01T00:00:00Z"`}, {big.NewInt(1 << 60), `1152921504606846976`},
		{&pointers{}, `{"n":1}`},
	} {
		got, err := wire.AppendValue([]byte("x"), tt.v)
		if string(got) != "x"+tt.want || err != nil {
			t.Errorf("%T %v became %s, error %v; want %s", tt.v, tt.v, got, err, tt.want)
		}
	}
}

func TestAppendValueOfNil(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{json.RawMessage(nil), `null`},
		{map[string]any(nil), `{}`},
		{[]any(nil), `[]`},
		{[]string(nil), `[]`},
		{[]byte(nil), `""`},
	} {
		if got, err := wire.AppendValue(nil, tt.v); string(got) != tt.want || err != nil {
			t.Errorf("%T became %s, error %v; want %s", tt.v, got, err, tt.want)
		}
	}
}

func TestAppendValueRefusesWhatHasNoNaturalForm(t *testing.T) {
	advice := func(kind string) string {
		return "a value of the type " + kind + " has no natural form in JSON; " +
			"convert it, give a json.RawMessage or json.Marshaler, or use typed.Args"
	}
	for _, tt := range []struct {
		v    any
		want string
	}{
		{struct{ A int }{1}, advice("struct { A int }")},
		{pointers{}, advice("wire_test.pointers")},
		{&struct{}{}, advice("*struct {}")},
		{named("n"), advice("wire_test.named")},
		{[]time.Duration{5}, advice("[]time.Duration")},
		{[]any{1, map[string]any{"f": func() {}}}, `"f": ` + advice("func()")},
		{map[int]string{}, advice("map[int]string")},
		{make(chan int), advice("chan int")},
		{1i, advice("complex128")},
		{(*int)(nil), advice("*int")},
		{(*time.Time)(nil), "a nil pointer, on which MarshalJSON or MarshalText panics"},
		{map[string]any{"l": (*level)(nil)}, `"l": a nil pointer, on which MarshalJSON or MarshalText panics`},
		{math.NaN(), "JSON has no NaN and no infinity"},
		{[]any{float32(math.Inf(1))}, "JSON has no NaN and no infinity"},
		{json.Number("1 2"), `not a number: "1 2"`},
		{json.Number(""), `not a number: ""`},
		{json.RawMessage(`{"a":`), "JSON: unexpected end of input at byte 5"},
		{json.RawMessage{}, "JSON: unexpected end of input at byte 0"},
		{[]any{broken{}}, "broken"},
		{map[string]any{"t": brokenText{}}, `"t": broken`},
	} {
		got, err := wire.AppendValue([]byte("x"), tt.v)
		checkError(t, err, tt.want)
		if string(got) != "x" {
			t.Errorf("%T: %s was left behind", tt.v, got)
		}
	}
	if _, err := wire.AppendValue(nil, broken{}); !errors.Is(err, errBroken) {
		t.Errorf("the marshaler's error became %v", err)
	}
}

type panics string

func (p panics) MarshalJSON() ([]byte, error) { panic(string(p)) }

func TestAppendValuePassesPanics(t *testing.T) {
	defer func() {
		if v := recover(); v != "oh no" {
			t.Errorf("recovered %v", v)
		}
	}()
	_, err := wire.AppendValue(nil, map[string]any{"a": panics("oh no")})
	t.Errorf("returned with %v", err)
}

func TestAppendValueIsAsDeepAsTheReader(t *testing.T) {
	slice, object := any([]any{}), any(map[string]any{})
	for range 127 {
		slice, object = []any{slice}, map[string]any{"a": object}
	}
	for _, v := range []any{slice, object} {
		b, err := wire.AppendValue(nil, v)
		if err != nil || wire.Valid(b) != nil {
			t.Errorf("128 deep: %v, %v", err, wire.Valid(b))
		}
		for _, deeper := range []any{[]any{v}, map[string]any{"a": v}} {
			_, err := wire.AppendValue(nil, deeper)
			checkError(t, err, "value nested deeper than 128")
		}
	}
}

func TestAppendValueOfACycleEnds(t *testing.T) {
	slice := make([]any, 2)
	slice[0], slice[1] = slice, slice
	object := map[string]any{}
	object["self"] = object
	for _, v := range []any{slice, object} {
		got, err := wire.AppendValue([]byte("x"), v)
		if err == nil || !strings.Contains(err.Error(), "nested deeper") || string(got) != "x" {
			t.Errorf("%T: %.40s, error %v", v, got, err)
		}
	}
}
