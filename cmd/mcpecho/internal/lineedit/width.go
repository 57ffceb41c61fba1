package lineedit

import (
	"slices"
	"unicode"
)

const joiner = 0x200d // ZERO WIDTH JOINER

// widePictures are wide characters in otherwise narrow ranges.
var widePictures = []rune("⌚⌛⏩⏪⏫⏬⏰⏳◽◾☔☕♈♉♊♋♌♍♎♏♐♑♒♓♿⚓⚡⚪⚫⚽⚾⛄⛅⛎⛔⛪⛲⛳⛵⛺⛽✅✊✋✨❌❎❓❔❕❗➕➖➗➰➿⬛⬜⭐⭕")

// RuneWidth returns the approximate number of columns of r on a terminal.
func RuneWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me), 0x200b <= r && r <= joiner, 0x1160 <= r && r <= 0x11ff:
		return 0 // accents, joiners, variation selectors, and vowels of Hangul
	case r < 0x3000 && slices.Contains(widePictures, r):
		return 2
	case 0x1100 <= r && r <= 0x115f, 0x2e80 <= r && r <= 0xa4cf, 0xac00 <= r && r <= 0xd7a3, 0xf900 <= r && r <= 0xfaff,
		0xfe30 <= r && r <= 0xfe6f, 0xff00 <= r && r <= 0xff60, 0xffe0 <= r && r <= 0xffe6,
		0x1f300 <= r && r <= 0x1faff, 0x20000 <= r && r <= 0x3fffd:
		return 2 // East Asian scripts and pictures
	}
	return 1
}

// TextWidth returns the approximate number of columns of s on a terminal.
func TextWidth(s string) (width int) {
	for _, r := range s {
		width += RuneWidth(r)
	}
	return width
}

// next returns the end of the character that begins at text[i]: a rune with the
// accents, selectors and joined pictures that follow it.
func next(text []rune, i int) int {
	if i >= len(text) {
		return len(text)
	}
	first := text[i]
	i++
	if first == '\n' {
		return i
	}
	if isFlag(first) && i < len(text) && isFlag(text[i]) {
		i++
	}
	for i < len(text) && (extends(text[i]) || text[i-1] == joiner && unicode.Is(unicode.So, text[i])) {
		i++
	}
	return i
}

// prev returns the start of the character that ends at text[i].
func prev(text []rune, i int) int {
	start := lineStart(text, i)
	if start == i {
		return max(0, i-1)
	}
	for {
		end := next(text, start)
		if end >= i {
			return start
		}
		start = end
	}
}

// lineStart returns the start of the line that holds text[i].
func lineStart(text []rune, i int) int {
	for i > 0 && text[i-1] != '\n' {
		i--
	}
	return i
}

// lineEnd returns the end of the line that holds text[i].
func lineEnd(text []rune, i int) int {
	for i < len(text) && text[i] != '\n' {
		i++
	}
	return i
}

// isFlag reports whether r is half of a flag.
func isFlag(r rune) bool { return 0x1f1e6 <= r && r <= 0x1f1ff }

// extends reports whether r belongs to the character before it.
func extends(r rune) bool {
	return r >= 0x300 && (unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc) || r == joiner ||
		0x1160 <= r && r <= 0x11ff || 0x1f3fb <= r && r <= 0x1f3ff)
}

// shown returns r as it is drawn: control characters and those that reorder text
// become escapes such as \u202e.
func shown(r rune) string {
	if ' ' <= r && r <= '~' || r == joiner || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
		return string(r)
	}
	const digits = "0123456789abcdef"
	b := []byte(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b = append(b, digits[r>>shift&15])
	}
	if r > 0xffff {
		return `\U000` + string(digits[r>>16&15]) + string(b[2:])
	}
	return string(b)
}
