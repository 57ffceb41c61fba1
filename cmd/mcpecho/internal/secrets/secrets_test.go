package secrets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

func TestSecretsAreMasked(t *testing.T) {
	for text, want := range map[string]string{
		`{"Authorization":"Bearer abc"}`:                      `{"Authorization":"***"}`,
		`{"a":[{"access_token":"abc","expires":5}]}`:          `{"a":[{"access_token":"***","expires":5}]}`,
		`{"apiKey":"abc","API-KEY":"abc","x_api_key":12}`:     `{"apiKey":"***","API-KEY":"***","x_api_key":"***"}`,
		`{"password":"abc","clientSecret":"abc","cookie":""}`: `{"password":"***","clientSecret":"***","cookie":"***"}`,
		`{"secrets":{"db":"abc"},"token":["abc"]}`:            `{"secrets":{"db":"***"},"token":["***"]}`,
		`{"token":null,"has_password":true}`:                  `{"token":null,"has_password":true}`,
		`{"progressToken":"p1","maxTokens":100,"tokens":7}`:   `{"progressToken":"p1","maxTokens":100,"tokens":7}`,
		`{"properties":{"token":{"type":"string"}}}`:          `{"properties":{"token":{"type":"string"}}}`,
		`{"properties":{"token":"abc"}}`:                      `{"properties":{"token":"***"}}`,
		`{"header":"bearer abc"}`:                             `{"header":"Bearer ***"}`,
		`{"text":"{\"token\":\"abc\",\"n\":1.0}"}`:            `{"text":"{\"token\":\"***\",\"n\":1.0}"}`,
		`{"text":"\u00e9 [x", "n":1.50}`:                      `{"text":"\u00e9 [x","n":1.50}`,
		"{\"a\":\n\t[1, 2]}":                                  `{"a":[1,2]}`,
	} {
		got, err := Set{}.Mask([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("mask(%s) = %s, %v, want %s", text, got, err, want)
		}
	}
}

// TestMaskWithManySecrets: a message of many strings takes memory for its strings and for
// the secrets, and not for each with each.
func TestMaskWithManySecrets(t *testing.T) {
	var values []string
	for i := range 500 {
		values = append(values, fmt.Sprintf("secret-%d", i))
	}
	message := []byte("[" + strings.Repeat(`"some text of a message",`, 2000) + `"secret-7"]`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := Set{Values: values}.Mask(message)
	runtime.ReadMemStats(&after)
	if err != nil || !bytes.HasSuffix(got, []byte(`,"***"]`)) {
		t.Errorf("%s, %v", got, err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
		t.Errorf("%d bytes are allocated", n)
	}
}

// Whatever is masked is JSON on one line, and its shape is the same but for
// what was masked.
func FuzzMask(f *testing.F) {
	f.Add([]byte(`{"token":"a","x":[{"password":{"b":1}},"{\"secret\":\"c\"}","Basic d"],"properties":{"token":{}}}`))
	f.Add([]byte("[1.50,\n true , null, \"\\u001b\"]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Set{}.Mask(data)
		if err != nil {
			return
		}
		if wire.Valid(got) != nil || !json.Valid(got) || bytes.ContainsAny(got, "\r\n") {
			t.Fatalf("mask(%q) = %q", data, got)
		}
		again, err := Set{}.Mask(got)
		if err != nil || !bytes.Equal(got, again) {
			t.Errorf("mask(%q) = %q, and again %q, %v", data, got, again, err)
		}
		if !bytes.Contains(got, []byte("***")) && !reflect.DeepEqual(decoded(t, data), decoded(t, got)) {
			t.Errorf("mask(%q) = %q without a secret in it", data, got)
		}
	})
}

func decoded(t *testing.T, data []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	return v
}

// TestHideJSON: what hide leaves of JSON is JSON, also where it masks numbers.
func TestHideJSON(t *testing.T) {
	hide := Set{Values: []string{"7654321"}}.Hide
	for text, want := range map[string]string{
		`{"session":"a", "s":"x7654321"}`:          `{"session":"a", "s":"x***"}`,
		`{"s":"x7654321","n":[7654321,-76543210]}`: `{"s":"x***","n":["***","-***0"]}`,
		`{"s":7654321`: `{"s":***`,
		``:             ``,
	} {
		if got := HideJSON([]byte(text), hide); string(got) != want {
			t.Errorf("HideJSON(%s) = %s, want %s", text, got, want)
		}
	}
}
