package display

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

func inner(s string) string { return s[1 : len(s)-1] }

func TestRedact(t *testing.T) {
	for _, c := range []struct {
		text    string
		secrets []string
		want    string
	}{
		{"no secret", nil, "no secret"},
		{"no secret", []string{"hunter22", ""}, "no secret"},
		{"password hunter22!", []string{"hunter22"}, "password ***!"},
		{"12345 and 1234", []string{"12345", "1234"}, "*** and 1234"},
		{"a longer one first", []string{"longer", "longer one"}, "a *** first"},
		{"overlap abcdefgh end", []string{"abcdef", "cdefgh"}, "overlap *** end"},
		{"itself xaxaxaxay", []string{"xaxax"}, "itself ***ay"},
		{"q=a+b%2Fc%3Dd", []string{"a b/c=d"}, "q=***"},
		{`{"k":"a\"bcd\ne"}`, []string{"a\"bcd\ne"}, `{"k":"***"}`},
		{`{"k":"a\u003cb\u0026c"}`, []string{"a<b&c"}, `{"k":"***"}`},
		{`{"k":"a\/b\/c"}`, []string{"a/b/c"}, `{"k":"***"}`},
		{"q=a%20b%2fc", []string{"a b/c"}, "q=***"},
		{"Basic dXNlcjpodW50ZXIyMg==", []string{"hunter22"}, "Basic dXNlcjp***g=="},
		{"Basic dTpodW50ZXIyMg==", []string{"hunter22"}, "Basic dTp***g=="},
		{"wrapped hunt\nerhun\r\nter, next", []string{"hunterhunter"}, "wrapped ***, next"},
		{"\nhunter22\r\n\nhunter22\n", []string{"hunter22"}, "\n***\r\n\n***\n"},
		{`\nhunter22\r\n\nhunter22\n`, []string{"hunter22"}, `\n***\r\n\n***\n`},
		{"\r%0Ahun%0Ater22%0A\r", []string{"hunter22"}, "\r%0A***%0A\r"},
		{"hunter22\\\n", []string{"hunter22"}, "***\\\n"},
		{"1\n2\n\n3", []string{"hunter22"}, "1\n2\n\n3"},
		{"wrapped aHVudGVyMjJo\ndW50ZXIyMg==", []string{"hunter22hunter22"}, "wrapped ***g=="},
		{"key line two of it is bad", []string{"--- begin\nline two of it\nend"}, "key *** is bad"},
		{"key line two of it is bad", []string{`{"key":"--- begin\nline two of it\nend"}`}, "key *** is bad"},
		{"--- begin line two of it end", []string{"--- begin\r\nline two of it\r\nend"}, "*** *** end"},
		{`{"b" : "\u0068unter22", "a":[123456, "x"]}`, []string{`{"a":[123456],"b":"hunter22"}`}, `{"b" : "***", "a":[***, "x"]}`},
		{"hunter22 of an object in a string", []string{`["{\"a\":\"hunter22\"}"]`}, "*** of an object in a string"},
		{"of a file: hunter22.", []string{"\n hunter22\n"}, "of a file:***."},
		{"of a file:hunter22.", []string{" hunter22\n"}, "of a file:***."},
		{"of spaces:      .", []string{"     "}, "of spaces:***."},
		{`\u{68}\u{75}nt\u{000065}r22 \u{} \u{g}`, []string{"hunter22"}, `*** \u{} \u{g}`},
		{`\u{1F600}xunter22`, []string{"\U0001f600xunter22"}, `***`},
		{`\147r\303\274\303\237e22`, []string{"gr\u00fc\u00dfe22"}, "***"},
		{"é" + strings.Repeat("a", 20) + "é", []string{strings.Repeat("a", 5)}, "é***é"},
	} {
		if got := Redact(c.text, c.secrets...); got != c.want {
			t.Errorf("%q without %q: %q, want %q", c.text, c.secrets, got, c.want)
		}
	}
}

// TestRedactShortText: a text that is shorter than a secret contains none of its forms,
// which are then not made.
func TestRedactShortText(t *testing.T) {
	for _, secret := range []string{"hunter22", "a\"b\\c\x00", "\xff\xfe\xfd\xfc\xfb", "héllo", "a b/c<&>", strings.Repeat("\b", 9)} {
		for _, form := range forms(secret) {
			if len(form) < len(secret) {
				t.Errorf("%q is a form of %q", form, secret)
			}
		}
	}
	if n := testing.AllocsPerRun(10, func() { Redact("short", "hunter22") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestRedactEncodings: a server quotes a secret in another way than it was sent.
func TestRedactEncodings(t *testing.T) {
	for _, secret := range []string{"hunter22", "a b/c+d=&e", "\"quoted\" \\x", "größe😀grün", "line1\nline2\x01", "%41%42%43", "<script>&amp;", "&#1;\\u0041%"} {
		var percent, short, long, x []byte
		for _, c := range []byte(secret) {
			percent = fmt.Appendf(percent, "%%%02x", c)
			x = fmt.Appendf(x, `\x%02X`, c)
		}
		for _, r := range secret {
			for _, unit := range utf16.Encode([]rune{r}) {
				short = fmt.Appendf(short, `\u%04x`, unit)
			}
			long = fmt.Appendf(long, `\U%08X`, r)
		}
		quoted, _ := json.Marshal(secret)
		twice, _ := json.Marshal(string(quoted))
		for name, form := range map[string]string{
			"plain": secret, "percent": string(percent), "upper percent": strings.ToUpper(string(percent)), "query": url.QueryEscape(secret), "path": url.PathEscape(secret),
			"u": string(short), "upper u": strings.ReplaceAll(strings.ToUpper(string(short)), `\U`, `\u`), "U": string(long), "x": string(x),
			"JSON": inner(string(quoted)), "JSON twice": inner(string(twice)),
			"Go": inner(strconv.Quote(secret)), "ASCII": inner(strconv.QuoteToASCII(secret)), "percent of JSON": url.QueryEscape(inner(string(quoted))), "percent twice": url.QueryEscape(string(percent)),
			"JSON of percent": strings.ReplaceAll(url.PathEscape(secret), "&", `\u0026`), "slashes": strings.ReplaceAll(inner(string(quoted)), "/", `\/`),
			"hex": hex.EncodeToString([]byte(secret)), "upper hex": strings.ToUpper(hex.EncodeToString([]byte(secret))),
			"base64": base64.StdEncoding.EncodeToString([]byte(secret)), "base64url": base64.RawURLEncoding.EncodeToString([]byte(secret)),
			"base64 inside": base64.StdEncoding.EncodeToString([]byte("u:" + secret + ".")), "base64 in a URL": url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(secret))),
		} {
			got := Redact("<"+form+">", secret)
			if rest, found := strings.CutPrefix(got, "<"); !found || !strings.Contains(rest, diag.Mask) || len(rest) > 13 {
				t.Errorf("%q as %s: %s becomes %s", secret, name, form, got)
			}
		}
	}
}

// TestNotRedacted: SECURITY.md says what is not found.
func TestNotRedacted(t *testing.T) {
	for text, secret := range map[string]string{"pin 1234": "1234", "&#104;unter22": "hunter22", "%252568unter22": "hunter22", `\\\\u0068unter22`: "hunter22", "aHVudGVyMg==": "hunter2"} {
		if got := Redact(text, secret); got != text {
			t.Errorf("%s without %s: %s", text, secret, got)
		}
	}
}

// TestRedactTakesLinearTime: whatever the text repeats, and in a long one, too.
func TestRedactTakesLinearTime(t *testing.T) {
	secret := "hunter22hunter22"
	for _, part := range []string{"hunter22", "%", `\`, `\\`, "&", "&#", "%25", "%5c", `\u0025`, `\u005c`, "&#37;", "h", "%68", `\x68`, "+", "aHVudGVy", "68756e74"} {
		text := strings.Repeat(part, 4<<20/len(part))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begun := time.Now()
		Redact(text, secret)
		took := time.Since(begun)
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; took > 10*time.Second || bytes > 32*13*uint64(len(text)) {
			t.Errorf("%q: %v and %d bytes", part, took, bytes)
		}
	}
	for before := range 4 { // parts begin at any place of a long row of slashes
		for more := range 4 {
			if got := Redact("xxx"[:before]+strings.Repeat(`\\`, 3*minPart/2+more)+`\u0068unter22`, "hunter22"); !strings.HasSuffix(got, diag.Mask) {
				t.Errorf("%d characters, %d slashes more: %s", before, 2*more, got[len(got)-20:])
			}
		}
	}
	text := strings.Repeat(`\n`, 1<<20)
	for _, at := range []int{0, minPart - 6, minPart, minPart + 2, 3*minPart - 8, len(text)} {
		if got := Redact(text[:at]+`\u0068unter22%68unter22`+text[at:], secret+"x", "hunter22"); len(got) != len(text)+len(diag.Mask) {
			t.Errorf("at %d: %d bytes of %d", at, len(got), len(text))
		}
	}
}

func TestCache(t *testing.T) {
	c := &Cache{}
	secrets := make([]string, 100)
	for i := range secrets {
		secrets[i] = fmt.Sprintf("secret-%d", i)
	}
	text := "text of some length that has none of them"
	c.Redact(text, secrets...)
	if n := testing.AllocsPerRun(10, func() {
		if got := c.Redact(text, secrets...); got != text {
			t.Error(got)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if got := c.Redact("a secret-7", slices.Clone(secrets)...); got != "a ***" {
		t.Error(got)
	}
	if got := c.Redact("a secret-7, another one"); got != "a secret-7, another one" {
		t.Error(got)
	}
	if got := c.Redact("a secret-7, another one", "another one"); got != "a secret-7, ***" {
		t.Error(got)
	}
}

// TestLongSecretIsRepeated: a server may issue a long token and quote it again and again.
func TestLongSecretIsRepeated(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"a", "ab\\", "\x00"} {
		secret := strings.Repeat(part, 256<<10/len(part))
		if got := Redact("<"+strings.Repeat(part, 2<<20)+">", secret); len(got) > 10 || !strings.HasPrefix(got, "<***") {
			t.Errorf("%q: %d bytes", part, len(got))
		}
	}
}

// escapeSome escapes characters of s in one way: those that choices says, and those
// that begin escapes.
func escapeSome(s string, kind int, choices string) string {
	var b []byte
	for i, r := range s {
		chosen := i%2 == 0
		if len(choices) > 0 {
			chosen = choices[i%len(choices)]%2 == 0
		}
		mark := `%\\`[kind]
		if !chosen && r != rune(mark) && r != '+' {
			b = utf8.AppendRune(b, r)
			continue
		}
		switch kind {
		case 0:
			for _, c := range []byte(string(r)) {
				b = fmt.Appendf(b, "%%%02X", c)
			}
		case 1:
			for _, c := range []byte(string(r)) {
				b = fmt.Appendf(b, `\x%02x`, c)
			}
		case 2:
			for _, unit := range utf16.Encode([]rune{r}) {
				b = fmt.Appendf(b, `\u%04X`, unit)
			}
		}
	}
	return string(b)
}

// breaksEscape reports whether an escape at the end of s could include what follows.
func breaksEscape(s string) bool { return strings.ContainsAny(s[max(0, len(s)-12):], escapes) }

func FuzzRedact(f *testing.F) {
	f.Add("got ", " and ", "s3cret", "another one")
	f.Add("", "", "aaaaa", "aaaaaa")
	f.Add("abc", "", "cabca", "abcab")
	f.Fuzz(func(t *testing.T, before, between, first, second string) {
		if len(withoutBreaks(first)) >= minSecret && !strings.Contains(first, "*") && utf8.ValidString(first) {
			for kinds := range 9 {
				once := escapeSome(first, kinds/3, between)
				for _, form := range []string{once, escapeSome(once, kinds%3, second)} {
					if got := Redact(before+form+between, first); strings.Contains(got, form) && !strings.Contains(before+between, form) && !breaksEscape(before) {
						t.Errorf("%q as %q after %q: %q", first, form, before, got)
					}
				}
			}
		}
		secrets := []string{first, second}
		forms := []func(string) string{
			func(s string) string { return s },
			url.QueryEscape,
			func(s string) string { return inner(strconv.Quote(s)) },
			func(s string) string { return inner(wire.Quote(s)) },
			func(s string) string {
				if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
					return s // JSON has several forms of these
				}
				b, _ := json.Marshal(s)
				return inner(string(b))
			},
			url.PathEscape,
		}
		if utf8.ValidString(first) && len(withoutBreaks(first)) >= minEncoded {
			for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
				got := Redact(encoding.EncodeToString([]byte(before+first+between)), first)
				if decoded, err := encoding.DecodeString(got); err == nil && strings.Contains(string(decoded), first) {
					t.Errorf("%q without %q: %q", before+first+between, first, got)
				}
			}
		}
		for _, form := range forms {
			text := before + form(first) + between + form(second)
			got := Redact(text, secrets...)
			for _, secret := range secrets {
				if len(withoutBreaks(secret)) < minSecret || strings.Contains(secret, "*") {
					continue // a mask may complete a secret of stars
				}
				if p := NewRedactor(secrets...).Printable(text, 0); strings.Contains(p, secret) {
					t.Errorf("%q, printable without %q: %q", text, secrets, p)
				}
				broken := strings.ContainsAny(before+between+first, escapes) // a sign before may begin an escape
				if strings.Contains(got, secret) || strings.Contains(got, form(secret)) && !broken {
					t.Errorf("%q without %q: %q", text, secrets, got)
				}
			}
			if again := Redact(got, secrets...); !strings.ContainsAny(first+second, "*") && again != got {
				t.Errorf("%q, then %q", got, again)
			}
		}
	})
}

func TestPrintable(t *testing.T) {
	if got := NewRedactor("secret", "sec\tret").Printable("se\x1b[0mcret and sec\tret", 0); got != "*** and ***" {
		t.Error(got)
	}
}

func withoutBreaks(s string) string { return strings.NewReplacer("\r", "", "\n", "").Replace(s) }

// TestLongSecretsOverlap compares with a search from each byte, for secrets that repeat
// themselves, and begin or end as others do.
func TestLongSecretsOverlap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(unit string) string {
		return strings.Repeat(unit, longForm+2*longHead+6)[:longHead+random.IntN(2)*longForm+random.IntN(70)]
	}
	for range 1000 {
		units := []string{"y", "yz", "yzz", strings.Repeat("y", longHead) + "z"}
		var text string
		var secrets []string
		for range 1 + random.IntN(4) {
			secrets = append(secrets, word(units[random.IntN(len(units))]))
		}
		for range 6 {
			text += word(units[random.IntN(len(units))])
		}
		hidden := []byte(text)
		for _, secret := range secrets {
			for i := range text {
				if strings.HasPrefix(text[i:], secret) {
					copy(hidden[i:], strings.Repeat("*", len(secret)))
				}
			}
		}
		want := regexp.MustCompile(`\*+`).ReplaceAllString(string(hidden), diag.Mask)
		if got := Redact(text, secrets...); got != want {
			t.Fatalf("%q without %q: %q, want %q", text, secrets, got, want)
		}
	}
}

// TestLongSecretsWithOneBeginning: a text repeats what all secrets begin with.
func TestLongSecretsWithOneBeginning(t *testing.T) {
	var secrets []string
	begun, most := time.Now(), strings.Repeat("y", 60<<10)
	for i := range 60 {
		secrets = append(secrets, most+strconv.Itoa(100+i)+"y")
	}
	if text := most + most; Redact(text, secrets...) != text {
		t.Error("the text changes")
	}
	if took := time.Since(begun); took > 20*time.Second { // comparing each with the others takes minutes
		t.Error(took)
	}
}
