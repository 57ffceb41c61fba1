package wire

import "errors"

// base64Digits are the digits of base64 in the standard and the URL-safe alphabet, with a
// bit that no other byte has.
var base64Digits = [256]byte{
	'A': 0x40, 'B': 0x41, 'C': 0x42, 'D': 0x43, 'E': 0x44, 'F': 0x45, 'G': 0x46, 'H': 0x47,
	'I': 0x48, 'J': 0x49, 'K': 0x4a, 'L': 0x4b, 'M': 0x4c, 'N': 0x4d, 'O': 0x4e, 'P': 0x4f,
	'Q': 0x50, 'R': 0x51, 'S': 0x52, 'T': 0x53, 'U': 0x54, 'V': 0x55, 'W': 0x56, 'X': 0x57,
	'Y': 0x58, 'Z': 0x59, 'a': 0x5a, 'b': 0x5b, 'c': 0x5c, 'd': 0x5d, 'e': 0x5e, 'f': 0x5f,
	'g': 0x60, 'h': 0x61, 'i': 0x62, 'j': 0x63, 'k': 0x64, 'l': 0x65, 'm': 0x66, 'n': 0x67,
	'o': 0x68, 'p': 0x69, 'q': 0x6a, 'r': 0x6b, 's': 0x6c, 't': 0x6d, 'u': 0x6e, 'v': 0x6f,
	'w': 0x70, 'x': 0x71, 'y': 0x72, 'z': 0x73, '0': 0x74, '1': 0x75, '2': 0x76, '3': 0x77,
	'4': 0x78, '5': 0x79, '6': 0x7a, '7': 0x7b, '8': 0x7c, '9': 0x7d, '+': 0x7e, '/': 0x7f,
	'-': 0x7e, '_': 0x7f,
}

const isBase64 = 0x40

var errBase64 = errors.New("not base64")

// DecodeBase64 decodes the standard or the URL-safe alphabet, with or without
// padding and white space: servers send all of these. Package base64 would add 6 KB to
// a program.
func DecodeBase64(s string) ([]byte, error) {
	for pad := 0; s != "" && (isSpace(s[len(s)-1]) || s[len(s)-1] == '=' && pad < 2); s = s[:len(s)-1] {
		if s[len(s)-1] == '=' {
			pad++
		}
	}
	b, w := make([]byte, len(s)/4*3+3), 0
	bits, n := uint32(0), 0 // of which n are not yet in b
	for i := 0; i < len(s); i++ {
		for ; n == 0 && len(s)-i > 4; i += 4 {
			q, r, t, u := base64Digits[s[i]], base64Digits[s[i+1]], base64Digits[s[i+2]], base64Digits[s[i+3]]
			if q&r&t&u&isBase64 == 0 {
				break
			}
			v := uint32(q)<<26 | uint32(r&63)<<20 | uint32(t&63)<<14 | uint32(u&63)<<8
			b[w], b[w+1], b[w+2] = byte(v>>24), byte(v>>16), byte(v>>8)
			w += 3
		}
		d := base64Digits[s[i]]
		if d == 0 && isSpace(s[i]) {
			continue
		}
		if d == 0 {
			return nil, errBase64
		}
		bits = bits<<6 | uint32(d&63)
		if n += 6; n >= 8 {
			n -= 8
			b[w] = byte(bits >> n)
			w++
		}
	}
	if n == 6 { // of one digit
		return nil, errBase64
	}
	return b[:w], nil
}
