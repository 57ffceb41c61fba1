package skills

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// refusals returns why files of a skill are not to be written to disk, by their names.
func refusals(files []File) map[string]string {
	refused := make(map[string]string)
	seen := make(map[string]string) // a file or a directory, by its path as fold returns it
	for _, f := range files {
		reason := unportable(f.Name)
		folded, done := fold(f.Name), 0
		if reason == "" && strings.ContainsFunc(folded, isRewritten) {
			reason = "some systems write it with other characters"
		}
		for i := range len(folded) + 1 {
			if i < len(folded) && folded[i] != '/' {
				continue
			}
			path := f.Name
			if i < len(folded) { // the directory before the next slash, with the slash
				done += strings.IndexByte(f.Name[done:], '/') + 1
				path = f.Name[:done]
			}
			first, ok := seen[folded[:i]]
			if !ok {
				seen[folded[:i]] = path
			} else if reason == "" && !(strings.HasSuffix(first, "/") && strings.HasSuffix(path, "/")) {
				reason = "some systems take it for " + wire.Quote(first) // of two directories they make one
			}
		}
		if reason != "" {
			refused[f.Name] = reason
		}
	}
	return refused
}

// unportable returns why no file with a path should be written, or "". Some system drops
// or replaces a part of it, opens a device instead, or shows it as another.
func unportable(path string) string {
	for part := range strings.SplitSeq(path, "/") {
		switch last := part[len(part)-1]; {
		case last == ' ' || last == '.':
			return "it ends with a space or a dot"
		case display.EscapeName(part) != part:
			return "it contains invisible characters"
		case isDevice(part):
			return "it is a device of Windows"
		case isShort(part):
			return "it is a short name of Windows"
		}
	}
	return ""
}

// isDevice reports whether Windows opens a device instead of the file with a name. An
// extension, and spaces before it, make no difference.
func isDevice(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	name = strings.ToUpper(strings.TrimRight(name, " "))
	switch name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	port, ok := strings.CutPrefix(name, "COM")
	if !ok {
		port, ok = strings.CutPrefix(name, "LPT")
	}
	return ok && utf8.RuneCountInString(port) == 1 && strings.Contains("0123456789¹²³", port)
}

// isShort reports whether Windows may give this name to a file with a longer one, such as
// REFERE~1 to references.
func isShort(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	before, number, ok := strings.Cut(name, "~")
	return ok && len(name) <= 8 && before != "" && number != "" && strings.Trim(number, "0123456789") == ""
}

// fold returns a path that is equal for paths which some system takes for the same: those
// that differ in case, or in whether a letter and its accent are one character. Of the
// letters with accents, it covers Latin with one accent, Cyrillic, Japanese and Korean.
// Other accents remain in the path, for isRewritten.
func fold(path string) string {
	out := make([]rune, 0, len(path))
	for _, r := range path {
		last := len(out) - 1
		if last >= 0 {
			if c := compose(out[last], r); c != 0 {
				out[last] = c
				continue
			}
		}
		out = append(out, r)
	}
	for i, r := range out {
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			out[i] = min(out[i], other)
		}
	}
	return strings.ReplaceAll(string(out), "ß", "SS")
}

// isRewritten reports whether macOS may replace r, a character of a path that fold has
// returned, by another one: an accent that could be part of the letter before it, as in
// Vietnamese and Greek, a ligature, or a character that Unicode defines twice.
func isRewritten(r rune) bool {
	const iota = 0x345 // an accent that fold turns into the letter iota
	return 0x300 <= r && r < 0x370 && r != iota || 0xf900 <= r && r < 0xfb50 || 0x2f800 <= r && r < 0x2fa20 || 0x1f70 < r && r < 0x1f7e && r%2 == 1
}

// compose returns the character that is the same text as two, or 0.
func compose(first, mark rune) rune {
	const leading, vowel, trailing, syllable = 0x1100, 0x1161, 0x11a7, 0xac00 // of Hangul; 19, 21, 28 and their product
	switch l, v, t := first-leading, mark-vowel, mark-trailing; {
	case 0 <= l && l < 19 && 0 <= v && v < 21:
		return syllable + (l*21+v)*28
	case syllable <= first && first < syllable+19*21*28 && (first-syllable)%28 == 0 && 0 < t && t < 28:
		return first + t
	}
	pairs := accents[mark]
	for pairs != "" {
		letter, n := utf8.DecodeRuneInString(pairs)
		both, m := utf8.DecodeRuneInString(pairs[n:])
		if letter == first {
			return both
		}
		pairs = pairs[n+m:]
	}
	return 0
}

// accents holds, for a combining character, letters without and with it.
var accents = map[rune]string{
	0x300:  "AÀEÈIÌOÒUÙaàeèiìoòuùЕЀИЍеѐиѝ",
	0x301:  "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzźГЃКЌгѓкќ",
	0x302:  "AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷ",
	0x303:  "AÃNÑOÕaãnñoõIĨiĩUŨuũ",
	0x308:  "AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸЕЁІЇеёії",
	0x30a:  "AÅaåUŮuů",
	0x327:  "CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţ",
	0x304:  "AĀaāEĒeēIĪiīOŌoōUŪuū",
	0x306:  "AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭУЎИЙийуў",
	0x328:  "AĄaąEĘeęIĮiįUŲuų",
	0x307:  "CĊcċEĖeėGĠgġIİZŻzż",
	0x30c:  "CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzž",
	0x30b:  "OŐoőUŰuű",
	0x3099: "かがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはばひびふぶへべほぼうゔゝゞカガキギクグケゲコゴサザシジスズセゼソゾタダチヂツヅテデトドハバヒビフブヘベホボウヴワヷヰヸヱヹヲヺヽヾ",
	0x309a: "はぱひぴふぷへぺほぽハパヒピフプヘペホポ",
	0x326:  "SȘsșTȚtț",
}
