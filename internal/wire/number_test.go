package wire_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

func TestNumberIsKeptAsWritten(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "-0.0", "1", "10", "1.50", "1E5", "1e+05", "1e-05", "0e0", "0.1e1",
		"123456789012345678901234567890.000", "1e999999", "-1E-400",
	} {
		r := wire.NewReader([]byte(" " + text + " "))
		if got := r.Number(); string(got) != text || r.End() != nil {
			t.Errorf("%s was read as %q, error %v", text, got, r.Err())
		}
	}
}

func TestMalformedNumberIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"-":       "invalid number at byte 1",
		"-a":      "invalid number at byte 1",
		"--1":     "invalid number at byte 1",
		"1.":      "invalid number at byte 2",
		"1.e1":    "invalid number at byte 2",
		"1e":      "invalid number at byte 2",
		"1e+":     "invalid number at byte 3",
		"1e1.5":   "unexpected text after the value at byte 3",
		"01":      "unexpected text after the value at byte 1",
		"-01":     "unexpected text after the value at byte 2",
		"0x1":     "unexpected text after the value at byte 1",
		"1_000":   "unexpected text after the value at byte 1",
		"+1":      "unexpected character '+' at byte 0",
		".5":      "unexpected character '.' at byte 0",
		"NaN":     "unexpected character 'N' at byte 0",
		"1\u0661": "unexpected text after the value at byte 1",
	} {
		checkError(t, wire.Valid([]byte(text)), "JSON: "+want)
	}
}

func TestIntTakesWhatIsAnInteger(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "7": 7, "-7": -7,
		"9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64,
		"9007199254740993": 1<<53 + 1,
		"1.0":              1, "-0.0": 0, "1e3": 1000, "1.5e1": 15, "100e-2": 1,
		"9007199254740991.0": 1<<53 - 1, "-9007199254740991e0": -1<<53 + 1,
	} {
		r := wire.NewReader([]byte(text))
		if got := r.Int(); got != want || r.End() != nil {
			t.Errorf("%s was read as %d, error %v", text, got, r.Err())
		}
	}
	for _, text := range []string{
		"9223372036854775808", "-9223372036854775809", "0.5", "1e-1", "1e400", "-1e400", "1e18",
		"9007199254740992.0", "9007199254740993.0", "-9007199254740993e0",
	} {
		r := wire.NewReader([]byte("[" + text + "]"))
		r.Array()
		r.More()
		if got := r.Int(); got != 0 {
			t.Errorf("%s was read as %d", text, got)
		}
		checkError(t, r.Err(), "JSON: number "+text+" is not an integer of 64 bits at byte 1")
	}
}

func TestFloatTakesEveryNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "1": 1, "-2.5": -2.5, "1e3": 1000, "0.1": 0.1, "1e-400": 0,
		"1e400": math.Inf(1), "-1e400": math.Inf(-1), "1.7976931348623157e308": math.MaxFloat64,
		"1" + strings.Repeat("0", 400): math.Inf(1),
	} {
		r := wire.NewReader([]byte(text))
		if got := r.Float(); got != want || r.End() != nil {
			t.Errorf("%s was read as %v, error %v", text, got, r.Err())
		}
	}
	r := wire.NewReader([]byte("-0"))
	if got := r.Float(); !math.Signbit(got) {
		t.Errorf("-0 lost its sign")
	}
}
