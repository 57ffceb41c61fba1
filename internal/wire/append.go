package wire

import (
	"bytes"
	"encoding/base64"
	"errors"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Each byte that is not valid UTF-8
// becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(Grow(dst, len(s)+2), '"')
	for i, run := 0, 0; i < len(s); run = i {
		if cap(dst)-len(dst) < longRun {
			dst = Grow(dst, min(len(s)-i, longRun))
		}
		b, w := dst[:cap(dst)], len(dst)
	words:
		for i+8 <= len(s) && w+8 <= len(b) {
			x := load(s[i : i+8])
			store(b[w:w+8], x)
			m := special(x)
			if m == 0 {
				i += 8
				w += 8
				if i-run == longRun {
					n := blocks(s[i:])
					b = append(b[:w], s[i:i+n]...)
					i += n
					w += n
					break
				}
				continue
			}
			if m == x&highs {
				switch letters(x) {
				case 8:
					i += 8
					w += 8
					run = i
					continue
				case 7:
					i += 7
					w += 7
					run = i
					continue
				}
			}
			// The rest of a word moves behind each escape of two bytes.
			end := i + 8
			for m != 0 {
				k := bits.TrailingZeros64(m) & 56
				y := x >> k
				if isLone(y) {
					m &^= 0x8080 << k
					continue
				}
				c := short[byte(y)]
				i += k / 8
				w += k / 8
				if c == 0 || w+10 > len(b) {
					break words
				}
				b[w], b[w+1] = '\\', c
				i++
				w += 2
				x = y >> 8
				m = m >> k >> 8
				store(b[w:w+8], x)
			}
			w += end - i
			i, run = end, end
		}
		dst = b[:w]
		switch {
		case i == len(s):
		case s[i] >= 0x80:
			n := multibyte(s[i:])
			dst = append(dst, s[i:i+n]...)
			if n == 0 {
				dst = append(dst, "\uFFFD"...)
				n = 1
			}
			i += n
		case s[i] < ' ' || s[i] == '"' || s[i] == '\\':
			dst = appendEscape(dst, s[i])
			i++
		default: // the run goes on, or the end is near
			dst = append(dst, s[i])
			i++
		}
	}
	return append(dst, '"')
}

// short has the second bytes of the escapes of two bytes.
var short = [256]byte{'"': '"', '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't'}

func appendEscape(dst []byte, c byte) []byte {
	if e := short[c]; e != 0 {
		return append(dst, '\\', e)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// AppendKey appends a comma, unless dst ends with the opening of an object or
// array, then the key of a member and its colon.
func AppendKey(dst []byte, key string) []byte {
	return append(AppendString(AppendComma(dst), key), ':')
}

// AppendComma appends a comma, unless dst is empty or ends with the opening of
// an object or array or with a colon.
//
//go:noinline
func AppendComma(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' && dst[n-1] != '[' && dst[n-1] != ':' {
		dst = append(dst, ',')
	}
	return dst
}

// Grow is slices.Grow for bytes. It stays out of line, as AppendComma, AppendInt,
// AppendBool and Trim do: inlined in their many callers, they would add 2.7 KB to a stdio
// program.
//
//go:noinline
func Grow(dst []byte, n int) []byte { return slices.Grow(dst, n) }

// AppendInt appends an integer.
//
//go:noinline
func AppendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// AppendBool appends a boolean.
//
//go:noinline
func AppendBool(dst []byte, v bool) []byte { return strconv.AppendBool(dst, v) }

var errNotFinite = errors.New("JSON has no NaN and no infinity")

// AppendFloat appends a number in the shortest form that reads back as f. It
// returns an error when f is not finite.
func AppendFloat(dst []byte, f float64) ([]byte, error) { return appendFloat(dst, f, 64) }

func appendFloat(dst []byte, f float64, bits int) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return dst, errNotFinite
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, bits), nil
}

// AppendBase64 appends data as a JSON string in standard base64.
func AppendBase64(dst, data []byte) []byte {
	n := base64.StdEncoding.EncodedLen(len(data))
	dst = append(Grow(dst, n+2), '"')
	base64.StdEncoding.Encode(dst[len(dst):len(dst)+n], data)
	return append(dst[:len(dst)+n], '"')
}

// AppendRaw appends a JSON value from elsewhere, as [AppendLine]
// does. It returns an error when raw is not one valid value.
func AppendRaw(dst, raw []byte) ([]byte, error) {
	if err := Valid(raw); err != nil {
		return dst, err
	}
	return AppendLine(dst, raw), nil
}

// AppendLine appends raw, which must be a valid JSON value, on one line. The
// white space around it goes, and if it holds line breaks, so does that between
// its tokens.
func AppendLine(dst, raw []byte) []byte {
	raw = Trim(raw)
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return append(dst, raw...)
	}
	return AppendCompact(dst, raw)
}

// AppendCompact appends raw, which must be valid JSON, without white space between
// its tokens.
func AppendCompact(dst, raw []byte) []byte {
	for len(raw) > 0 {
		n := 1
		if raw[0] == '"' {
			n = stringLen(view(raw))
		}
		if raw[0] > ' ' {
			dst = append(dst, raw[:n]...)
		}
		raw = raw[n:]
	}
	return dst
}

// Trim returns s without the white space around it, as JSON defines it. Those of
// packages bytes and strings would add 4 KB each to a program.
//
//go:noinline
func Trim[T string | []byte](s T) T {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// IndexAny is strings.IndexAny for ASCII characters, 2 KB smaller.
func IndexAny(s, chars string) int {
	for i := range len(s) {
		if strings.IndexByte(chars, s[i]) >= 0 {
			return i
		}
	}
	return -1
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }
