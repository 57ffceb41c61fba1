package wire

import (
	"math"
	"strconv"
)

// Number reads a number and returns it as it is written.
func (r *Reader) Number() []byte {
	if r.Kind() != Number {
		r.expected(Number)
		return nil
	}
	start := r.pos
	r.scanNumber()
	if r.err != nil {
		return nil
	}
	return r.data[start:r.pos:r.pos]
}

// Int reads a number that must be an integer of 64 bits. As JSON knows one kind
// of number, a fraction or an exponent is taken too when the number is whole
// as a float64, and below 1<<53, from where on a float64 skips integers.
func (r *Reader) Int() int64 {
	b := r.Number()
	if r.err != nil {
		return 0
	}
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		r.pos -= len(b)
		r.syntax("number " + string(b[:min(len(b), 40)]) + " is not an integer of 64 bits")
		return 0
	}
	return int64(f)
}

// Float reads a number as a float64. One beyond its range becomes infinite.
func (r *Reader) Float() float64 {
	b := r.Number()
	if r.err != nil {
		return 0
	}
	f, _ := strconv.ParseFloat(string(b), 64)
	return f
}

// scanNumber reads a number: an integer part without leading zeros, then
// optionally a fraction and an exponent.
func (r *Reader) scanNumber() {
	data, i := r.data, r.pos
	if data[i] == '-' {
		i++
	}
	var ok bool
	if i < len(data) && data[i] == '0' {
		i, ok = i+1, true
	} else {
		i, ok = digits(data, i)
	}
	if ok && i < len(data) && data[i] == '.' {
		i, ok = digits(data, i+1)
	}
	if ok && i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		i, ok = digits(data, i)
	}
	r.pos = i
	if !ok {
		r.syntax("invalid number")
		return
	}
	r.fresh = false
}

func digits(data []byte, i int) (int, bool) {
	start := i
	for i < len(data) && '0' <= data[i] && data[i] <= '9' {
		i++
	}
	return i, i > start
}

// Limit returns a limit that a program sets: n, usual if n is 0, or none if n is
// negative, which means no limit.
func Limit[T int | int64](n, usual, none T) T {
	switch {
	case n == 0:
		return usual
	case n < 0:
		return none
	}
	return n
}
