package wire

import (
	"math"
	"strings"
)

// The functions of package strconv would add 14 KB to a program: their errors, and
// tables for short digits.

// ParseUint reads a number without a sign. ok is false if s is no such number, or if n
// would be larger than MaxUint64, which it is then.
func ParseUint(s string, base int) (n uint64, ok bool) {
	for i := 0; i < len(s); i++ {
		digit := strings.IndexByte("0123456789abcdef", s[i]|0x20)
		if digit < 0 || digit >= base || s[i] < '0' {
			return 0, false
		}
		if n > (math.MaxUint64-uint64(digit))/uint64(base) {
			return math.MaxUint64, false
		}
		n = n*uint64(base) + uint64(digit)
	}
	return n, s != ""
}

// ParseInt reads a decimal integer of 64 bits.
func ParseInt(s string) (n int64, ok bool) {
	abs, negative := strings.CutPrefix(s, "-")
	u, ok := ParseUint(abs, 10)
	switch {
	case negative && u <= 1<<63:
		return -int64(u), ok
	case negative || u > math.MaxInt64:
		return 0, false
	}
	return int64(u), ok
}

// ParseFloat returns the float64 that is nearest to a decimal number, which may have
// a sign, a fraction and an exponent. ok is false if s is no such number, or if f is
// infinite because s is out of range.
func ParseFloat(s string) (f float64, ok bool) {
	var usual [24]byte // on the stack
	d := decimal{digits: usual[:0]}
	negative, ok := d.parse(s)
	if !ok {
		return 0, false
	}
	f = d.float()
	if negative {
		f = -f
	}
	return f, !math.IsInf(f, 0)
}

// A decimal is the number 0.d₁d₂d₃… × 10^point. The first digit is not 0, and there
// are none if the number is 0.
type decimal struct {
	digits []byte // 0 to 9
	point  int
}

const (
	// maxDigits is the number of digits that count: a number in the middle between
	// two float64 has at most 767.
	maxDigits = 800

	// maxPoint and minPoint are beyond the range of float64.
	maxPoint, minPoint = 310, -330

	// maxExponent is the largest exponent that is read. It is larger than the length
	// of any number.
	maxExponent = 1 << 30

	// maxShift is the number of bits by which a decimal is multiplied at once, and
	// shiftDigits is the number of digits that this adds.
	maxShift, shiftDigits = 56, 17
)

// parse sets d, whose digits are an empty buffer, to the number without its sign.
func (d *decimal) parse(s string) (negative, ok bool) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative, s = s[0] == '-', s[1:]
	}
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" {
		return negative, false
	}
	digits := append(append(d.digits, whole...), fraction...)
	for i := range digits {
		if digits[i] -= '0'; digits[i] > 9 {
			return negative, false
		}
	}
	point := len(whole)
	if hasExponent {
		abs := strings.TrimPrefix(strings.TrimPrefix(exponent, "-"), "+")
		n, valid := ParseUint(abs, 10)
		if !valid && n == 0 || len(exponent)-len(abs) > 1 {
			return negative, false
		}
		n = min(n, maxExponent)
		if exponent[0] == '-' {
			point -= int(n)
		} else {
			point += int(n)
		}
	}
	d.set(digits, point)
	return negative, true
}

// set removes zeros at both ends, and the digits that do not count. If one of those is
// not 0, the last digit that remains is not 0 either.
func (d *decimal) set(digits []byte, point int) {
	for len(digits) > 0 && digits[0] == 0 {
		digits, point = digits[1:], point-1
	}
	end := len(digits)
	for end > 0 && digits[end-1] == 0 {
		end--
	}
	if end > maxDigits {
		end = maxDigits
		digits[end-1] |= 1
	}
	if end == 0 {
		point = 0
	}
	d.digits, d.point = digits[:end], point
}

// float returns the float64 that is nearest to d.
func (d *decimal) float() float64 {
	if exp := d.point - len(d.digits); len(d.digits) <= 15 && -22 <= exp && exp <= 22 {
		return d.short(exp)
	}
	switch {
	case d.point > maxPoint:
		return math.Inf(1)
	case d.point < minPoint:
		return 0
	}
	exp := 0 // the number is d × 2^exp
	for d.point > 0 {
		n := min(3*d.point, maxShift)
		d.divide(n)
		exp += n
	}
	for d.point < 0 || d.digits[0] < 5 {
		n := max(1, min(-3*d.point, maxShift))
		d.multiply(n)
		exp -= n
	}
	// Now d is at least 0.5 and below 1. A float64 has 53 bits, or fewer below 2^-1022.
	bits := max(0, 53+min(0, exp+1021))
	d.multiply(bits)
	return math.Ldexp(float64(d.round()), exp-bits)
}

// short returns the float64 of a number whose digits and whose power of ten are exact
// as a float64.
func (d *decimal) short(exp int) float64 {
	f, power := 0.0, 1.0
	for _, digit := range d.digits {
		f = 10*f + float64(digit)
	}
	for range max(exp, -exp) {
		power *= 10
	}
	if exp < 0 {
		return f / power
	}
	return f * power
}

// multiply multiplies d by 2^n.
func (d *decimal) multiply(n int) {
	product, rest := make([]byte, shiftDigits+len(d.digits)), uint64(0)
	for i := len(product) - 1; i >= 0; i-- {
		if i >= shiftDigits {
			rest += uint64(d.digits[i-shiftDigits]) << n
		}
		product[i] = byte(rest % 10)
		rest /= 10
	}
	d.set(product, d.point+shiftDigits)
}

// divide divides d by 2^n.
func (d *decimal) divide(n int) {
	var quotient []byte
	rest := uint64(0)
	for i := 0; i < len(d.digits) || rest > 0; i++ {
		rest *= 10
		if i < len(d.digits) {
			rest += uint64(d.digits[i])
		}
		quotient = append(quotient, byte(rest>>n))
		rest &= 1<<n - 1
	}
	d.set(quotient, d.point)
}

// round returns the integer that is nearest to d, or the even one of two.
func (d *decimal) round() (n uint64) {
	for i := range max(0, d.point) {
		n *= 10
		if i < len(d.digits) {
			n += uint64(d.digits[i])
		}
	}
	if d.point < 0 || d.point >= len(d.digits) {
		return n
	}
	half := d.digits[d.point] == 5 && len(d.digits) == d.point+1
	if d.digits[d.point] > 5 || d.digits[d.point] == 5 && !half || half && n%2 == 1 {
		n++
	}
	return n
}
