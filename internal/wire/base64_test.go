package wire_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

func TestDecodeBase64(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", " \n": "", "QQ": "A", "QQ=": "A", "QQ==": "A", "QUI": "AB", "QUI=": "AB", "QUI==": "AB", "QUJD": "ABC", "QUJD=": "ABC",
		"QUJDRA==\r\n": "ABCD", " Q U\tJ\nDRA": "ABCD", "QQ= =": "A", "-_-_": "\xfb\xff\xbf", "+/+/": "\xfb\xff\xbf", "-/": "\xfb", "QR": "A",
	} {
		if got, err := wire.DecodeBase64(text); string(got) != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"Q", "QUJDR", "QQ===", "=", "Q=", "=QQ", "QQ==QQ==", "QU%D", "QUJDQUJ\x00", "\xff\xff\xff\xff", "QUJDQUJDQ\u00e4JD"} {
		if got, err := wire.DecodeBase64(text); text != "=" && err == nil || got != nil && text != "=" {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// FuzzDecodeBase64 compares with package base64: what it accepts is the same, and all
// that it encodes is decoded, in every form that servers send.
func FuzzDecodeBase64(f *testing.F) {
	for _, seed := range []string{"", "A", "QUJD", "QUJDRA==", "-_", "Q Q", "====", "QUJDQUJDQUJDQUJDQQ==\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := wire.DecodeBase64(text)
		if want, failed := base64.StdEncoding.DecodeString(text); failed == nil && (err != nil || !bytes.Equal(got, want)) {
			t.Fatalf("%q: %q, %v, want %q", text, got, err, want)
		}
		bare := strings.NewReplacer("-", "+", "_", "/", " ", "", "\t", "", "\r", "", "\n", "").Replace(text)
		bare = strings.TrimSuffix(strings.TrimSuffix(bare, "="), "=")
		if want, failed := base64.RawStdEncoding.DecodeString(bare); (failed == nil) != (err == nil) || err == nil && !bytes.Equal(got, want) {
			t.Fatalf("%q: %q, %v, want %q, %v", text, got, err, want, failed)
		}
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
			if got, err := wire.DecodeBase64(encoding.EncodeToString([]byte(text))); err != nil || string(got) != text {
				t.Fatalf("%q: %q, %v", text, got, err)
			}
		}
	})
}

func BenchmarkDecodeBase64(b *testing.B) {
	text := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("ab\xffdefghi"), 1<<17))
	b.Run("wire", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			wire.DecodeBase64(text)
		}
	})
	b.Run("base64", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			base64.StdEncoding.DecodeString(text)
		}
	})
}
