package recording

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/wire"
)

func TestMaskJSON(t *testing.T) {
	hide := func(s string) string { return display.Redact(s, "hunter22", "12345678") }
	for text, want := range map[string]string{
		`{"password": "x", "author":"y", "api_key":["a"]}`:                         `{"password":"***","author":"y","api_key":["***"]}`,
		`{"cookies":[{"name":"a","value":1,"ok":true}],"session":{"n":{"m":"x"}}}`: `{"cookies":[{"name":"***","value":"***","ok":true}],"session":{"n":{"m":"***"}}}`,
		`{"$defs":{"Session":{"type":"object"}},"properties":{"token":["a"]}}`:     `{"$defs":{"Session":{"type":"object"}},"properties":{"token":["***"]}}`,
		`{"_meta":{"progressToken":7},"tokens":9}`:                                 `{"_meta":{"progressToken":7},"tokens":9}`,
		`{"session_count":3,"passwordLength":"a","password":12,"max-pwd":1}`:       `{"session_count":3,"passwordLength":"***","password":"***","max-pwd":"***"}`,
		`{"properties":{"password":{"type":"string"}}}`:                            `{"properties":{"password":{"type":"string"}}}`,
		`{"auth":{"kind":"key"},"tokens":{"k-12345":{"user":1}},"author":"y"}`:     `{"auth":{"kind":"***"},"tokens":{"k-12345":{"user":1}},"author":"y"}`,
		`{"api_keys":{"k-12345":{"user":"x"},"default":true}}`:                     `{"api_keys":{"***":{"user":"***"},"default":true}}`,
		`{"text":"Bearer abc","more":"DPoP abc","x":"\u0061"}`:                     `{"text":"Bearer ***","more":"DPoP ***","x":"\u0061"}`,
		`{"text":"{\"jwt\":\"abc\"}","hunter22":12345678}`:                         `{"text":"{\"jwt\":\"***\"}","***":"***"}`,
		`["has hunter22", "hunter\u00322", "aHVudGVyMjI=", true, 1]`:               `["has ***","***","***I=",true,1]`,
	} {
		if got, err := MaskJSON([]byte(text), hide); err != nil || string(got) != want {
			t.Errorf("%s becomes %s, %v; want %s", text, got, err, want)
		}
	}
	if _, err := MaskJSON([]byte(`{"a":`), hide); err == nil {
		t.Error("no error for text that is not JSON")
	}
}

// TestPlainNames: what is not looked up is not the name of a secret.
func TestPlainNames(t *testing.T) {
	for _, key := range []string{"jsonrpc", "id", "method", "params", "result", "name", "arguments", "content", "type", "text", "description", "_meta"} {
		if !isPlain(key) || isSecretKey(key, wire.String) || isSecret(key) {
			t.Error(key)
		}
	}
}

// oneLine joins the lines of a secret, which a text may break anywhere.
var oneLine = strings.NewReplacer("\r", "", "\n", "")

// FuzzMaskJSON plants a secret in a message: in a string, in JSON in a string, as a
// name and in the encodings that servers use. What is printed shows none of them,
// and is JSON.
func FuzzMaskJSON(f *testing.F) {
	for _, secret := range []string{"hunter22", "a b/c=d&e", `quo"te\d`, "<script>&", "gr\u00fc\u00dfe-aus", "line1\nline2", "1278L35 ", "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f", "12345678.5"} {
		f.Add(secret)
	}
	f.Fuzz(func(t *testing.T, secret string) {
		if len(oneLine.Replace(secret)) < 8 || !utf8.ValidString(secret) || strings.Contains(secret, "*") {
			return // a star may come from a mask
		}
		quoted, _ := json.Marshal(secret)
		base := base64.StdEncoding.EncodeToString([]byte(secret))
		inside := base64.StdEncoding.EncodeToString([]byte("user:" + secret + ":x"))
		nested, _ := json.Marshal(map[string]any{"a": []string{secret, url.QueryEscape(secret)}, secret: 1})
		message, err := json.Marshal(map[string]any{
			"plain": secret, "percent": url.QueryEscape(secret), "path": url.PathEscape(secret), "base64": base, "inside": inside,
			"JSON": string(quoted), "nested": string(nested), secret: "name", "list": []any{map[string]any{"x": "of " + secret + "."}},
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := MaskJSON(message, func(s string) string { return display.Redact(s, secret) })
		if err != nil || !json.Valid(got) {
			t.Fatalf("%s becomes %s, %v", message, got, err)
		}
		for _, form := range []string{secret, string(quoted[1 : len(quoted)-1]), url.QueryEscape(secret), url.PathEscape(secret), base} {
			if strings.Contains(string(got), form) && !strings.Contains(`{"plain":"***","percent":"***","path":"***","base64":"***","inside":"","JSON":"","nested":"","list":[{"x":"of ***."}]}`, form) {
				t.Errorf("%q: %s shows %s", secret, got, form)
			}
		}
	})
}
