package diag

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
)

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
		{"é" + strings.Repeat("a", 20) + "é", []string{strings.Repeat("a", 5)}, "é***é"},
	} {
		if got := Redact(c.text, c.secrets...); got != c.want {
			t.Errorf("%q without %q: %q, want %q", c.text, c.secrets, got, c.want)
		}
	}
}

func TestIsSecretName(t *testing.T) {
	for _, name := range []string{"Authorization", "set-cookie", "X-Api-Key", "GITHUB_TOKEN", "clientSecret", "Mcp-Session-Id",
		"pwd", "JWT", "session", "DB_PWD", "--password", "passwd", "PASS_WORD", "passphrase", "AWS_CREDENTIALS", "--header"} {
		if !IsSecretName(name) {
			t.Errorf("%s is not secret", name)
		}
	}
	for _, name := range []string{"", "Accept", "--verbose", "PATH", "Content-Type", "compass"} {
		if IsSecretName(name) {
			t.Errorf("%s is secret", name)
		}
	}
}

// TestRedactShortText: a text that is shorter than a secret contains none of its forms,
// which are then not made.
func TestRedactShortText(t *testing.T) {
	for _, secret := range []string{"hunter22", "a\"b\\c\x00", "\xff\xfe\xfd\xfc\xfb", "héllo", "a b/c<&>", strings.Repeat("\b", 9)} {
		for _, form := range Forms(secret) {
			if len(form) < len(secret) {
				t.Errorf("%q is a form of %q", form, secret)
			}
		}
	}
	if n := testing.AllocsPerRun(10, func() { Redact("short", "hunter22") }); n > 0 {
		t.Errorf("%v allocations", n)
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

func FuzzRedact(f *testing.F) {
	f.Add("got ", " and ", "s3cret", "another one")
	f.Add("", "", "aaaaa", "aaaaaa")
	f.Add("abc", "", "cabca", "abcab")
	f.Fuzz(func(t *testing.T, before, between, first, second string) {
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
		if utf8.ValidString(first) && len(first) >= minEncoded {
			for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
				got := Redact(encoding.EncodeToString([]byte(before+first+between)), first)
				if decoded, err := encoding.DecodeString(got); err == nil && strings.Contains(string(decoded), first) {
					t.Errorf("%q without %q: %q", before+first+between, first, got)
				}
			}
		}
		for _, form := range Forms(first) {
			if len(form) < len(first) {
				t.Errorf("%q is a form of %q", form, first)
			}
		}
		for _, form := range forms {
			text := before + form(first) + between + form(second)
			got := Redact(text, secrets...)
			for _, secret := range secrets {
				if len(secret) < minSecret || strings.Contains(secret, "*") {
					continue // a mask may complete a secret of stars
				}
				if p := PrintableWithout(text, 0, secrets...); strings.Contains(p, secret) {
					t.Errorf("%q, printable without %q: %q", text, secrets, p)
				}
				if strings.Contains(got, secret) || strings.Contains(got, form(secret)) {
					t.Errorf("%q without %q: %q", text, secrets, got)
				}
			}
			if again := Redact(got, secrets...); !strings.ContainsAny(first+second, "*") && again != got {
				t.Errorf("%q, then %q", got, again)
			}
		}
	})
}

func TestHideUserinfo(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"no URL, a@b":                     "no URL, a@b",
		"http://h/a@b":                    "http://h/a@b",
		"http://u:p@h":                    "http://***@h",
		"x http://u:p@q@h:1/ y ftp://v@g": "x http://***@h:1/ y ftp://***@g",
		"://@":                            "://***@",
	} {
		if got := HideUserinfo(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
