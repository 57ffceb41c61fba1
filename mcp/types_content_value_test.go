package mcp

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

func TestValue(t *testing.T) {
	const text = `{"a":[1,2.5,"b",null,true,{}],"n":{"x":-1e3}}`
	var want any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if got, err := DecodeValue(RawMessage(text)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, bad := range []string{"", "{", `{"a":1,"a":2}`, "1 2"} {
		if got, err := DecodeValue(RawMessage(bad)); err == nil || got != nil {
			t.Errorf("%q: %v, %v", bad, got, err)
		}
	}
}

func TestParameters(t *testing.T) {
	for schema, want := range map[string]string{
		``:                     `{"type":"object"}`,
		`[]`:                   `{"type":"object"}`,
		`{"properties":{}}`:    `{"properties":{},"type":"object"}`,
		`{"type":"x","a":[1]}`: `{"a":[1],"type":"x"}`,
	} {
		got, err := json.Marshal((&Tool{InputSchema: RawMessage(schema)}).Parameters())
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", schema, got, err, want)
		}
	}
}

func TestBytesOfEveryBase64(t *testing.T) {
	data := []byte{0xfb, 0xff, 0xfe, 0, 1}
	for _, text := range []string{"+//+AAE=", "+//+AAE", "-__-AAE=", "-__-AAE", "+//+\r\nAAE=\n", " +//+\tAA E"} {
		image, blob := Content{Type: ContentImage, Data: text}, ResourceContents{Blob: text, IsBlob: true}
		for _, bytes := range []func() ([]byte, error){image.Bytes, blob.Bytes} {
			if got, err := bytes(); err != nil || string(got) != string(data) {
				t.Errorf("%q: %x, %v", text, got, err)
			}
		}
	}
	for _, text := range []string{"A", "AA===", "A=A=", "ä", "AAA*"} {
		if got, err := (&Content{Data: text}).Bytes(); err == nil {
			t.Errorf("%q is %x", text, got)
		}
	}
	for _, c := range []Content{ImageContent(data, "image/png"), AudioContent(data, "image/png")} {
		if got, err := c.Bytes(); err != nil || string(got) != string(data) || c.MIMEType != "image/png" || c.Data != "+//+AAE=" {
			t.Errorf("%+v: %x, %v", c, got, err)
		}
	}
	if ImageContent(nil, "").Type != ContentImage || AudioContent(nil, "").Type != ContentAudio {
		t.Error("wrong types")
	}
}

func TestLogMessageText(t *testing.T) {
	for data, want := range map[string]string{`"a\nb"`: "a\nb", `{"a":1}`: `{"a":1}`, `""`: "", ``: "", `"`: `"`} {
		if got := (&LogMessage{Data: RawMessage(data)}).Text(); got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
}

func TestProgressFraction(t *testing.T) {
	number := func(f float64) *float64 { return &f }
	for _, tt := range []struct {
		done  float64
		total *float64
		want  float64
		ok    bool
	}{
		{1, number(4), 0.25, true}, {5, number(4), 1, true}, {-1, number(4), 0, true},
		{1, nil, 0, false}, {1, number(0), 0, false}, {1, number(-1), 0, false}, {1, number(math.NaN()), 0, false},
	} {
		p := Progress{Progress: tt.done, Total: tt.total}
		if got, ok := p.Fraction(); got != tt.want || ok != tt.ok {
			t.Errorf("%v of %v: %v, %t", tt.done, tt.total, got, ok)
		}
	}
}
