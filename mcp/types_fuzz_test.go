package mcp

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// FuzzTypes reads any text as any type. What is read must be written as a text
// that is read as the same and written as the same again.
func FuzzTypes(f *testing.F) {
	for i, tt := range types {
		f.Add(uint8(i), []byte(tt.text))
	}
	for i, tt := range types {
		switch tt.new().(type) {
		case *CallToolResult, *ListToolsResult, *Task, *ElicitParams:
			f.Add(uint8(i), []byte(`{"content":[{"text":"","type":"text"},{"type":1},null],"tools":[{"name":1},[]],"ttl":null,"_meta":[],"":1}`))
		}
	}
	for i, tt := range types {
		if _, ok := tt.new().(*ServerCapabilities); ok {
			f.Add(uint8(i), []byte(`{"tools":[{"name":"a"}],"prompts":true,"resources":1}`))
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, data []byte) {
		tt := types[int(i)%len(types)]
		first := tt.new()
		if err := first.UnmarshalJSON(data); err != nil || string(bytes.TrimSpace(data)) == "null" {
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%T: takes what encoding/json refuses", first)
		}
		// What came in a message is read in another way. An array is not an object there.
		if v, ok := tt.new().(object); ok && bytes.TrimSpace(data)[0] != '[' {
			if err := decodeText(data, v); err != nil || !reflect.DeepEqual(v, first.(object)) {
				t.Fatalf("%T: %+v in a message, %v, alone %+v", first, v, err, first)
			}
		}
		text, err := first.MarshalJSON()
		if err != nil {
			if _, ok := err.(*wire.SyntaxError); !ok {
				t.Fatalf("%T: %v", first, err)
			}
			return // nested too deeply for the object around a part of it
		}
		if !json.Valid(text) || bytes.ContainsRune(text, '\n') {
			t.Fatalf("%T: writes %q", first, text)
		}
		second, third := tt.new(), tt.new()
		if err := second.UnmarshalJSON(text); err != nil {
			t.Fatalf("%T: does not read what it wrote: %v\n%s", first, err, text)
		}
		again, err := second.MarshalJSON()
		if err != nil || !bytes.Equal(again, text) {
			t.Fatalf("%T: writes first\n%s\nthen\n%s, %v", first, text, again, err)
		}
		if err := third.UnmarshalJSON(again); err != nil || !reflect.DeepEqual(second, third) {
			t.Fatalf("%T: reads first %+v, then %+v, %v", first, second, third, err)
		}
		switch v := first.(type) {
		case *ServerInfo, *clientCapabilities, *listRootsResult:
			return // they have no Extra: the client writes the last two only
		case *Task:
			if v.Error != nil {
				return // a jsonrpc.Error keeps only what it knows
			}
		}
		var in, out any
		if _, ok := first.(*ServerCapabilities); ok {
			data = objectsOnly(data, "tools", "resources", "prompts")
		}
		if json.Unmarshal(data, &in) == nil && json.Unmarshal(text, &out) == nil && !preserves(in, out) {
			if l, ok := first.(lossyList); !ok || l.page().bad == nil {
				t.Fatalf("%T: loses something of\n%s\nin\n%s", first, data, text)
			}
		}
		if p, ok := first.(*ElicitParams); ok {
			_, _ = p.Fields()
		}
	})
}

// FuzzLongTexts reads results with long texts, decoded in place and not.
func FuzzLongTexts(f *testing.F) {
	f.Add([]byte(`\u0416 \" \\u20ac`), []byte(`,"annotations":{"priority":1}},{"type":"text","text":"b\n"`))
	f.Add([]byte(`é\ud83d\ude00\/`), []byte(`,"annotations":5`)) // does not match the type
	f.Add([]byte(`"`), []byte(`,"type":"hologram"},null,{"text":"`+long+`","type":"text"`))
	f.Add([]byte(``), []byte(`},{"type":"resource","resource":{"uri":"a","text":"`+long+`"}`))
	f.Fuzz(func(t *testing.T, inside, rest []byte) {
		text := []byte(`{"content":[{"text":"` + long + string(inside) + `"` + string(rest) + `}]}`)
		if typed := []byte(`{"content":[{"type":"text","text":"` + long + string(inside) + `"` + string(rest) + `}]}`); wire.Valid(typed) == nil {
			text = typed
		} else if wire.Valid(text) != nil {
			return
		}
		var want, got CallToolResult
		wantErr := decodeText(bytes.Clone(text), &want)
		r := wire.NewReader(text)
		r.Trust()
		r.Postpone()
		err := decodeWhole(&r, &got)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: error %v, want %v", text, err, wantErr)
		}
		if err != nil {
			return
		}
		if r.Postponed() {
			readAgain(&r, &got)
		}
		if r.End() != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: decoded in place %+v, error %v, want %+v", text, got, r.Err(), want)
		}
	})
}

// FuzzQuickResult compares the two ways to read a result that is one text.
func FuzzQuickResult(f *testing.F) {
	const start, end = `"content":[{"type":"text","text":"`, `"}]}`
	for _, text := range []string{"", "hello", `\n \"a\" \\`, `\ud83d\ude00`, `"},{"type":"text","text":"`, `","text":"`, `","_meta":{"a":"`, "é"} {
		f.Add([]byte(`{` + start + text + end))
		f.Add([]byte(`{"resultType":"complete",` + start + text + end))
	}
	f.Add([]byte(`{"resultType":"task",` + start + end))
	f.Add([]byte(`{` + start + end[:3] + `,"isError":true}`))
	f.Add([]byte(`{` + start + end[:2] + `],"content":[]}`))
	f.Add([]byte(`{` + start + strings.Repeat("long", 2000) + end))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if wire.Valid(raw) != nil {
			return
		}
		var want, got CallToolResult
		if !got.readQuick(raw) {
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: changed to %+v", raw, got)
			}
			return
		}
		if err := decodeText(raw, &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: quickly %+v, slowly %+v, %v", raw, got, want, err)
		}
	})
}

// TestUsualResultsAreReadQuickly: readQuick reads what most servers write.
func TestUsualResultsAreReadQuickly(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"content":[{"type":"text","text":"a\n\"b\""}]}`:                              true,
		`{"resultType":"complete","content":[{"type":"text","text":"a"}]}`:             true,
		`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`:          false,
		`{"content":[{"type":"text","text":"a"}],"structuredContent":{"text":"a"}}`:    false,
		`{"content":[{"type":"text","text":"` + strings.Repeat("a", maxQuick) + `"}]}`: false,
	} {
		if got := new(CallToolResult).readQuick([]byte(raw)); got != want {
			t.Errorf("%.80s: %t", raw, got)
		}
	}
}

// long is the beginning of a text that is decoded in place.
var long = strings.Repeat(`long\n`, 700)

// objectsOnly removes capabilities that are not objects, which only say that they are there.
func objectsOnly(data []byte, keys ...string) []byte {
	var all map[string]any
	if json.Unmarshal(data, &all) != nil {
		return data
	}
	for _, key := range keys {
		if _, ok := all[key].(map[string]any); !ok {
			delete(all, key)
		}
	}
	data, _ = json.Marshal(all)
	return data
}

// preserves reports whether everything in a value is in another one, too. Null, ""
// and false may be said by absence, and some of what means the same is written
// in one way.
func preserves(in, out any) bool {
	switch in := in.(type) {
	case nil:
		return true
	case map[string]any:
		o, ok := out.(map[string]any)
		for key, v := range in {
			if !ok || !preserves(v, o[key]) {
				return false
			}
		}
		return ok
	case []any:
		if out, ok := out.(map[string]any); ok {
			return len(in) == 0 || preservesOrder(in, []any{out}) // {}, or one content
		}
		out, ok := out.([]any)
		return ok && preservesOrder(in, out)
	case string:
		if out, ok := out.([]any); ok && len(out) == 1 {
			return in == out[0] // the sizes of an icon
		}
		return in == out || in == "" && out == nil
	case bool:
		return in == out || !in && out == nil
	}
	return reflect.DeepEqual(in, out)
}

func preservesOrder(in, out []any) bool {
	for _, v := range in {
		if len(out) > 0 && preserves(v, out[0]) {
			out = out[1:]
		} else if v != nil {
			return false
		}
	}
	return len(out) == 0
}
