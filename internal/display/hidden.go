package display

// IsHidden reports whether r, between two other characters of a name or 0, takes up no
// space, looks like a space without being one, or changes the order of the text around
// it, so that the name looks like another. Joiners and variation selectors are not
// hidden where they have a meaning: in emoji, and within words of the scripts of
// Persian, Hindi and their neighbors.
func IsHidden(before, r, after rune) bool {
	switch {
	case r == 0x200c, r == 0x200d:
		return !(isEmoji(before) && isEmoji(after) && r == 0x200d || isJoined(before) && (isJoined(after) || isVirama(before)))
	case r == 0xfe0e, r == 0xfe0f:
		return !isEmoji(before) && after != 0x20e3 // a keycap
	}
	return isMark(r) || Reorders(r)
}

// Reorders reports whether r changes the order of the text around it.
func Reorders(r rune) bool {
	return r == 0x61c || r == 0x200e || r == 0x200f || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}

// isMark reports whether r is invisible wherever it is.
func isMark(r rune) bool {
	switch {
	case r == 0xad, r == 0x34f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xfeff, r == 0xffa0:
		return true
	case 0x180b <= r && r <= 0x180f, r == 0x200b, 0x2060 <= r && r <= 0x206f, 0xfe00 <= r && r <= 0xfe0d,
		0xfff0 <= r && r <= 0xfffb, 0x1d173 <= r && r <= 0x1d17a, 0xe0000 <= r && r <= 0xe0fff:
		return true
	}
	return false
}

// isEmoji reports whether r may stand before or after a joiner in an emoji.
func isEmoji(r rune) bool {
	return 0x1f000 <= r && r < 0x1fb00 || 0x2190 <= r && r < 0x2c00 && r != 0x2800 || r == 0xa9 || r == 0xae || r == 0x203c || r == 0x2049 || r == 0x2122 ||
		r == 0x3030 || r == 0x303d || r == 0x3297 || r == 0x3299 || r == 0xfe0f
}

// isJoined reports whether r belongs to a script in which joiners form letters: from
// Arabic to Mongolian, without Hangul and Ethiopic.
func isJoined(r rune) bool {
	return 0x620 <= r && r < 0xe00 || 0x1000 <= r && r < 0x10a0 || 0x1780 <= r && r < 0x17b4 || 0x17b6 <= r && r < 0x180b || 0x1810 <= r && r < 0x18b0 ||
		0xa800 <= r && r < 0xa900 || 0xfb50 <= r && r < 0xfe00 || 0xfe70 <= r && r < 0xfeff || 0x11000 <= r && r < 0x12000
}

// isVirama reports whether r is the sign of an Indic script that joins consonants.
func isVirama(r rune) bool { return 0x900 <= r && r < 0xd80 && r&0x7f == 0x4d || r == 0xdca }
