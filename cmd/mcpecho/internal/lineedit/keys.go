package lineedit

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A key is what the user pressed, or text that the user pasted.
type key struct {
	code keyCode
	r    rune   // of a character or, with Ctrl, its lowercase letter
	text string // pasted
}

type keyCode int

const (
	keyUnknown keyCode = iota
	keyRune
	keyCtrl
	keyPaste
	keyEnter
	keyNewline // Alt-Enter
	keyTab
	keyBackspace
	keyDelete
	keyUp
	keyDown
	keyLeft
	keyRight
	keyHome
	keyEnd
	keyWordLeft
	keyWordRight
	keyDeleteWord         // to the right
	keyDeleteWordBackward // Alt-Backspace
)

const (
	pasteStart, pasteEnd = "\x1b[200~", "\x1b[201~"

	// maxSequence limits a control sequence, in bytes.
	maxSequence = 32
)

// sequences are the keys that terminals send as ESC and these bytes.
var sequences = map[string]keyCode{
	"[A": keyUp, "[B": keyDown, "[C": keyRight, "[D": keyLeft, "[H": keyHome, "[F": keyEnd,
	"OA": keyUp, "OB": keyDown, "OC": keyRight, "OD": keyLeft, "OH": keyHome, "OF": keyEnd,
	"[1~": keyHome, "[7~": keyHome, "[4~": keyEnd, "[8~": keyEnd, "[3~": keyDelete,
	"[1;5C": keyWordRight, "[1;5D": keyWordLeft, "[1;3C": keyWordRight, "[1;3D": keyWordLeft,
	"[5C": keyWordRight, "[5D": keyWordLeft, "Oc": keyWordRight, "Od": keyWordLeft,
	"[3;5~": keyDeleteWord, "[3;3~": keyDeleteWord,
	"b": keyWordLeft, "f": keyWordRight, "d": keyDeleteWord, "\x7f": keyDeleteWordBackward, "\b": keyDeleteWordBackward,
	"\r": keyNewline, "\n": keyNewline,
}

// A decoder splits the input of a terminal into keys.
type decoder struct {
	pending []byte // not decoded yet
	pasting bool
}

// next returns the next key, or false if the input is incomplete.
func (d *decoder) next() (k key, ok bool) {
	if d.pasting {
		return d.pasted()
	}
	k, n := decode(d.pending)
	if n == 0 {
		return key{}, false
	}
	if string(d.pending[:n]) == pasteStart {
		d.pasting = true
	}
	d.pending = d.pending[n:]
	if d.pasting {
		return d.pasted()
	}
	return k, true
}

// pasted returns the next piece of pasted text.
func (d *decoder) pasted() (k key, ok bool) {
	text, rest, ended := bytes.Cut(d.pending, []byte(pasteEnd))
	if !ended {
		// The last bytes may be part of the end or of a character.
		n := len(text) - len(pasteEnd)
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		if n <= 0 {
			return key{}, false
		}
		text, rest = text[:n], text[n:]
	}
	d.pending, d.pasting = rest, !ended
	return key{code: keyPaste, text: cleanPaste(string(text))}, true
}

// cleanPaste removes control characters. A piece that ends between a carriage
// return and a line feed yields an empty line more.
func cleanPaste(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "    ").Replace(s)
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || 0x7f <= r && r <= 0x9f || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
}

// decode returns the first key in b and its length, which is 0 if b is incomplete.
func decode(b []byte) (k key, n int) {
	if len(b) == 0 {
		return k, 0
	}
	switch c := b[0]; {
	case c == 0x1b:
		return decodeEscape(b)
	case c == '\r', c == '\n':
		return key{code: keyEnter}, 1
	case c == '\t':
		return key{code: keyTab}, 1
	case c == 0x7f, c == '\b':
		return key{code: keyBackspace}, 1
	case c < ' ':
		return key{code: keyCtrl, r: rune(c) | 0x60}, 1
	}
	if !utf8.FullRune(b) {
		return k, 0
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError || 0x7f <= r && r <= 0x9f {
		return key{}, n // not text
	}
	return key{code: keyRune, r: r}, n
}

// decodeEscape decodes what begins with ESC.
func decodeEscape(b []byte) (k key, n int) {
	n = 2
	switch {
	case len(b) < 2:
		return k, 0
	case b[1] == 0x1b: // ESC twice
		return k, 1
	case b[1] == 'O':
		n = 3
	case b[1] == '[':
		for n < len(b) && (b[n] < 0x40 || b[n] > 0x7e) {
			if n++; n == maxSequence {
				return k, n
			}
		}
		n++
	case b[1] >= utf8.RuneSelf: // Alt with a character that has no meaning here
		return k, 1
	}
	if n > len(b) {
		return k, 0
	}
	return key{code: sequences[string(b[1:n])]}, n
}
