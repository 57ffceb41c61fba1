package display

import "testing"

func TestEscapeName(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"read\u200b_file":             `read\u200b_file`,
		"\u2060a\ufeffb\u00adc":       `\u2060a\ufeffb\u00adc`,
		"a\u200d\u200cb\ufe0f":        `a\u200d\u200cb\ufe0f`,
		"\u3164\u2800\u115f":          `\u3164\u2800\u115f`,
		"x\U000e0101":                 `x\udb40\udd01`,
		"line\nbreak\u202ereversed\t": `line\u000abreak\u202ereversed\u0009`,
		"broken \xff\xc3(":            `broken \xff\xc3(`,
		"\u2028\u009b":                `\u2028\u009b`,
		"Grüße 👩\u200d👩\u200d👧 ⚙️ 世界 1️⃣":        "Grüße 👩\u200d👩\u200d👧 ⚙️ 世界 1️⃣",
		"👩🏽\u200d💻 ❤️\u200d🔥":                    "👩🏽\u200d💻 ❤️\u200d🔥",
		"می\u200cخواهم.md":                       "می\u200cخواهم.md", // Persian, with a non-joiner
		"क्\u200dष क्\u200cष शक्\u200d":          "क्\u200dष क्\u200cष शक्\u200d",
		"سلام\u200c.md":                          `سلام\u200c.md`, // at the end of a word
		"می\u200c\u200cخ":                        `می\u200c\u200cخ`,
		"a\u200cم م\u200ca":                      `a\u200cم م\u200ca`,
		"👩\u200c👩 👩\u200d a":                     `👩\u200c👩 👩\u200d a`,
		"\u200d👩":                                `\u200d👩`,
		"abc\u202edcba\u2066x\u2069\u061c\u200f": `abc\u202edcba\u2066x\u2069\u061c\u200f`,
	} {
		if got := EscapeName(text); got != want {
			t.Errorf("EscapeName(%q) = %q, want %q", text, got, want)
		}
	}
}
