package wire

import (
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Bytes that are not valid UTF-8
// become U+FFFD.
func AppendString[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start := 0 // of what has not been appended
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			// At most four bytes are converted, which never allocates.
			r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + n
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

// AppendKey appends a comma, unless dst ends with the opening of an object or
// array, then the key of a member and its colon.
func AppendKey(dst []byte, key string) []byte {
	return append(AppendString(AppendComma(dst), key), ':')
}

// AppendComma appends a comma, unless dst is empty or ends with the opening of
// an object or array or with a colon.
func AppendComma(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' && dst[n-1] != '[' && dst[n-1] != ':' {
		dst = append(dst, ',')
	}
	return dst
}

// AppendInt appends an integer.
func AppendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// AppendBool appends a boolean.
func AppendBool(dst []byte, v bool) []byte { return strconv.AppendBool(dst, v) }

var errNotFinite = errors.New("JSON has no NaN and no infinity")

// AppendFloat appends a number in the shortest form that reads back as f.
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
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), data), '"')
}

// AppendRaw appends a JSON value that somebody else wrote, byte for byte but
// for the white space between tokens where that holds line breaks. It returns
// an error when raw is not one valid value.
func AppendRaw(dst, raw []byte) ([]byte, error) {
	if err := Valid(raw); err != nil {
		return dst, err
	}
	return AppendLine(dst, raw), nil
}

// AppendLine appends a valid JSON value, on one line: white space goes where
// it holds line breaks, and around the value.
func AppendLine(dst, raw []byte) []byte {
	start, multiline := 0, false
	for start < len(raw) && raw[start] <= ' ' {
		start++
	}
	for start < len(raw) && raw[len(raw)-1] <= ' ' {
		raw = raw[:len(raw)-1]
	}
	raw = raw[start:]
	for _, c := range raw {
		if c == '\n' || c == '\r' {
			multiline = true
			break
		}
	}
	if !multiline {
		return append(dst, raw...)
	}
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
		case '"':
			r := Reader{data: raw, pos: i}
			r.scanString()
			dst = append(dst, raw[i:r.pos]...)
			i = r.pos
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}
