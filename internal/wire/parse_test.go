package wire_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// checkFloat compares ParseFloat with package strconv, which knows other numbers too.
func checkFloat(t *testing.T, s string) {
	t.Helper()
	want, err := strconv.ParseFloat(s, 64)
	if err == nil && len(s) > 800 { // where strconv is wrong about 1000…000e-1000
		exact, _, err := big.ParseFloat(s, 10, uint(8*len(s)), big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		want, _ = exact.Float64()
	}
	known := strings.Trim(s, "0123456789+-.eE") == ""
	got, ok := wire.ParseFloat(s)
	if valid := err == nil && known; ok != valid || known && math.Float64bits(got) != math.Float64bits(want) {
		t.Errorf("%.60q is %v, %t, want %v, %v", s, got, ok, want, err)
	}
}

// numbers are hard cases: ends of ranges, middles between two float64, subnormal
// numbers, long ones and invalid ones.
var numbers = []string{
	"0", "-0", "+0", "0e5", "0.0e-400", "1", "-1", "+1.5", ".5", "5.", "00012.500", "1e22", "1e23", "1e-22", "1e-23",
	"123456789012345e22", "9007199254740993", "9007199254740993.0000000000000000000000001", "9007199254740995",
	"1.7976931348623157e308", "1.7976931348623158e308", "1.797693134862315807e308", "1.7976931348623159e308",
	"2.2250738585072014e-308", "2.2250738585072011e-308", "4.9e-324", "2.4703282292062327e-324",
	"2.4703282292062328e-324", "2.5e-324", "1e-323", "1e309", "-1e309", "1e-330", "1e-331", "1e310", "1e99999999999999999999",
	"1e-99999999999999999999", "0e99999999999999999999", "0.000001", "0.1", "0.3", "1.15", "8.5e-300", "3.14159265358979323846264338327950288",
	"1" + strings.Repeat("0", 400), "1" + strings.Repeat("0", 5000) + "e-5000", "0." + strings.Repeat("0", 5000) + "1e5001",
	"9007199254740993." + strings.Repeat("0", 2000) + "1", strings.Repeat("123456789", 300) + "e-2500",
	"2.47032822920623272088284396434110686182e-324" + strings.Repeat("0", 3),
	"", "-", "+", ".", "e", "e5", ".e5", "1e", "1e+", "1e-", "1e++5", "1e+-5", "--1", "+-1", "1.2.3", "1e5.5", "1e5e5", " 1", "1 ",
	"inf", "NaN", "0x1p-2", "1_000", "1e0x5", "½", "/", ":",
}

func TestParseFloat(t *testing.T) {
	t.Parallel()
	for _, s := range numbers {
		checkFloat(t, s)
		checkFloat(t, "-"+s)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		f := math.Float64frombits(r.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		checkFloat(t, strconv.FormatFloat(f, 'g', -1, 64))
		checkFloat(t, strconv.FormatFloat(f, 'e', r.IntN(40), 64))
		if exact := strconv.FormatFloat(f, 'f', 1100, 64); r.IntN(20) == 0 {
			checkFloat(t, exact)
			// The middle between f and the next float64 has one more bit.
			checkFloat(t, exact[:len(exact)-1]+"5")
		}
	}
}

// TestParseFloatMiddles: numbers in the exact middle between two float64, and just
// beside it.
func TestParseFloatMiddles(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 2_000 {
		n := 1<<53 | r.Uint64()>>11 | 1 // 54 bits, of which the last is the half
		exp := r.IntN(900)
		whole := new(strings.Builder)
		whole.WriteString(shifted(strconv.FormatUint(n, 10), exp))
		checkFloat(t, whole.String())
		checkFloat(t, whole.String()+".0000000000000000000000001")
	}
}

// shifted returns a decimal integer times 2^n.
func shifted(s string, n int) string {
	d := []byte(s)
	for range n {
		carry := byte(0)
		for i := len(d) - 1; i >= 0; i-- {
			v := 2*(d[i]-'0') + carry
			d[i], carry = '0'+v%10, v/10
		}
		if carry > 0 {
			d = append([]byte{'0' + carry}, d...)
		}
	}
	return string(d)
}

func FuzzParseFloat(f *testing.F) {
	for _, s := range numbers {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, exponent, _ := strings.Cut(strings.ToLower(s), "e"); len(exponent) > 5 {
			t.Skip("strconv reads 10000 as the largest exponent")
		}
		checkFloat(t, s)
	})
}

func TestParseInt(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"0", "-0", "7", "-7", "007", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809",
		"18446744073709551615", "18446744073709551616", "-18446744073709551616", "99999999999999999999", "", "-", "--1", "1.0", "1e3",
		"a", "0x1", "1_0", " 1", "½", "/", ":", "\x11",
	} {
		want, err := strconv.ParseInt(s, 10, 64)
		if got, ok := wire.ParseInt(s); ok != (err == nil) || ok && got != want {
			t.Errorf("%q is %d, %t, want %d, %v", s, got, ok, want, err)
		}
		for _, base := range []int{8, 10, 16} {
			want, err := strconv.ParseUint(s, base, 64)
			if got, ok := wire.ParseUint(s, base); ok != (err == nil) || got != want {
				t.Errorf("%q in base %d is %d, %t, want %d, %v", s, base, got, ok, want, err)
			}
		}
	}
	for c := range 256 {
		want, err := strconv.ParseUint(string([]byte{byte(c)}), 16, 64)
		if got, ok := wire.ParseUint(string([]byte{byte(c)}), 16); ok != (err == nil) || got != want {
			t.Errorf("%q is %d, %t", c, got, ok)
		}
	}
}

func BenchmarkParseFloat(b *testing.B) {
	for _, s := range []string{"0.75", "0.1234567890123456789", "1.7976931348623157e308"} {
		b.Run(s, func(b *testing.B) {
			for b.Loop() {
				wire.ParseFloat(s)
			}
		})
	}
}
