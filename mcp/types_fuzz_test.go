package mcp

import (
	"bytes"
	"encoding/json"
	"reflect"
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
	f.Fuzz(func(t *testing.T, i uint8, data []byte) {
		tt := types[int(i)%len(types)]
		first := tt.new()
		if err := first.UnmarshalJSON(data); err != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%T: takes what encoding/json refuses", first)
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
		if p, ok := first.(*ElicitParams); ok {
			_, _ = p.Fields()
		}
	})
}
