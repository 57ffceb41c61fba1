package wire

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unsafe"
)

// Strings are scanned in words of eight bytes, the first byte as the lowest.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// view returns b as a string that shares memory with it.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// load returns the word at the start of s. It compiles to one instruction.
func load(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// store writes a word to the start of b.
func store(b []byte, x uint64) { binary.LittleEndian.PutUint64(b, x) }

// A function that marks bytes of a word sets the high bit of each. Only the
// lowest mark is certain, as subtracting borrows. first returns its index.
func first(marks uint64) int { return bits.TrailingZeros64(marks) / 8 }

func zero(x uint64) uint64 { return (x - ones) &^ x & highs }

func backslash(x uint64) uint64 { return zero(x ^ ones*'\\') }

func quote(x uint64) uint64 { return zero(x ^ ones*'"') }

// special marks what is not plain ASCII: a quote, a backslash, a control
// character or a byte outside ASCII.
func special(x uint64) uint64 {
	return ((x - ones*' ') | ((x ^ ones*'"') - ones) | ((x ^ ones*'\\') - ones) | x) & highs
}

const (
	// longRun is the length of plain text after which functions that take many
	// bytes at a time pay.
	longRun = 64

	// block is how much of a string blocks takes at a time.
	block = 512
)

// blocks returns the length of the blocks at the start of s that are plain
// ASCII. It takes several steps over each, every one of which does many bytes
// at a time: that is three times as fast as a loop over words.
func blocks(s string) (n int) {
	for ; n+block <= len(s); n += block {
		b := s[n : n+block]
		if strings.IndexByte(b, '"') >= 0 || strings.IndexByte(b, '\\') >= 0 {
			break
		}
		var bad uint64 // marks bytes outside ASCII and control characters
		for i := 0; i < block; i += 16 {
			x, y := load(b[i:i+8]), load(b[i+8:i+16])
			bad |= x | (x - ones*' ') | y | (y - ones*' ')
		}
		if bad&highs != 0 {
			break
		}
	}
	return n
}

// isLone reports whether x begins with a sequence of two bytes and a byte of ASCII,
// as letters with accents do in most words.
func isLone(x uint64) bool { return x&0x80C0E0 == 0x80C0 && x&0x1E != 0 }

// multibyte returns the length of the valid UTF-8 at the start of s that is
// outside ASCII.
func multibyte(s string) (n int) {
	for n < len(s) && s[n] >= 0x80 {
		var x uint64 // 0, which is none of these, near the end
		if n+8 <= len(s) {
			x = load(s[n : n+8])
		}
		switch {
		case twoOfEmoji(x):
			n += 8
		case twoOfThree(x):
			n += 6
		default:
			k := sequence(s[n:])
			if k == 0 {
				return n
			}
			n += k
		}
	}
	return n
}

// letters returns 8 if x is ASCII and sequences of two bytes, 7 if the last byte is the
// first one of a sequence, and 0 for other words.
func letters(x uint64) int {
	// The second byte of a sequence is marked where its first byte, moved, is.
	lead := x & (x << 1) & highs
	second := x &^ (x << 1) & highs
	overlong := lead &^ (x&(ones*0x1E) + ones*0x7E)
	if lead&(x<<2)|overlong != 0 || lead<<8 != second {
		return 0
	}
	return 8 - int(lead>>63)
}

// twoOfThree reports whether x begins with two sequences of three bytes whose
// second byte may be any: the first byte is neither 0xE0 nor 0xED.
func twoOfThree(x uint64) bool {
	leads := uint64(1)<<(x&0xF) | uint64(1)<<(x>>24&0xF)
	return x&0xC0C0F0C0C0F0 == 0x8080E08080E0 && leads&(1<<0|1<<0xD) == 0
}

// twoOfEmoji reports whether x is two characters from U+1F000 to U+1FFFF.
func twoOfEmoji(x uint64) bool {
	return x&0xC0C0FFFFC0C0FFFF == 0x80809FF080809FF0
}

// sequence returns the length of the sequence at the start of s, whose first
// byte is outside ASCII, or 0 if it is not valid UTF-8.
func sequence(s string) int {
	n, low, high := 2, byte(0x80), byte(0xBF) // the second byte is from low to high
	switch c := s[0]; {
	case c < 0xC2 || c > 0xF4:
		return 0
	case c < 0xE0:
	case c < 0xF0:
		n = 3
		if c == 0xE0 {
			low = 0xA0 // else overlong
		} else if c == 0xED {
			high = 0x9F // else a surrogate
		}
	default:
		n = 4
		if c == 0xF0 {
			low = 0x90 // else overlong
		} else if c == 0xF4 {
			high = 0x8F // else beyond U+10FFFF
		}
	}
	if len(s) < n || s[1] < low || s[1] > high {
		return 0
	}
	for i := 2; i < n; i++ {
		if s[i]&0xC0 != 0x80 {
			return 0
		}
	}
	return n
}
