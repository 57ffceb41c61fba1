package wire_test

import (
	"fmt"

	"github.com/stdmcp/stdmcp/internal/wire"
)

func ExampleReader() {
	text := []byte(`{"name": "caf\u00e9", "seats": [2, 4], "menu": {"soup": 4.50}, "open": true}`)
	var name string
	var seats []int64
	var menu []byte
	r := wire.NewReader(text)
	for r.Object(); r.More(); {
		switch string(r.Key()) {
		case "name":
			name = r.String()
		case "seats":
			for r.Array(); r.More(); {
				seats = append(seats, r.Int())
			}
		case "menu":
			menu = r.Raw()
		default:
			r.Skip()
		}
	}
	fmt.Println(name, seats, string(menu), r.End())
	// Output: café [2 4] {"soup": 4.50} <nil>
}

func ExampleReader_Kind() {
	r := wire.NewReader([]byte(`["one", 2, null]`))
	for r.Array(); r.More(); {
		switch r.Kind() {
		case wire.String:
			fmt.Println("text", r.String())
		case wire.Number:
			fmt.Println("number", r.Int())
		default:
			fmt.Println(r.Kind())
			r.Skip()
		}
	}
	fmt.Println(r.End())
	// Output:
	// text one
	// number 2
	// null
	// <nil>
}

func ExampleValid() {
	fmt.Println(wire.Valid([]byte(`{"a": [1, 2]}`)))
	fmt.Println(wire.Valid([]byte(`{"a": [1, 2}`)))
	// Output:
	// <nil>
	// JSON: want a comma or a closing bracket at byte 11
}

func ExampleAppendKey() {
	b := []byte("{")
	b = wire.AppendString(wire.AppendKey(b, "name"), "a \"quoted\"\nname")
	b = wire.AppendInt(wire.AppendKey(b, "size"), 42)
	b = wire.AppendBool(wire.AppendKey(b, "ok"), true)
	b = wire.AppendBase64(wire.AppendKey(b, "blob"), []byte("bytes"))
	b = append(b, '}')
	fmt.Println(string(b))
	// Output: {"name":"a \"quoted\"\nname","size":42,"ok":true,"blob":"Ynl0ZXM="}
}

func ExampleAppendComma() {
	b := []byte("[")
	for _, s := range []string{"a", "b", "c"} {
		b = wire.AppendString(wire.AppendComma(b), s)
	}
	fmt.Println(string(append(b, ']')))
	// Output: ["a","b","c"]
}

func ExampleAppendString() {
	fmt.Println(string(wire.AppendString(nil, "tab\t and byte \xff")))
	// Output: "tab\t and byte �"
}

func ExampleAppendFloat() {
	b, err := wire.AppendFloat(nil, 2.50)
	fmt.Println(string(b), err)
	// Output: 2.5 <nil>
}

func ExampleAppendLine() {
	fmt.Println(string(wire.AppendLine(nil, []byte("{\n  \"a\": 1.0\n}\n"))))
	// Output: {"a":1.0}
}

func ExampleAppendRaw() {
	b, err := wire.AppendRaw([]byte("data:"), []byte(`[1, 2`))
	fmt.Println(string(b), err)
	// Output: data: JSON: unexpected end of input at byte 5
}

func ExampleAppendValue() {
	b, err := wire.AppendValue(nil, map[string]any{"path": "/tmp", "lines": []int{1, 2}, "raw": []byte{1}})
	fmt.Println(string(b), err)
	_, err = wire.AppendValue(nil, struct{ Path string }{"/tmp"})
	fmt.Println(err)
	// Output:
	// {"lines":[1,2],"path":"/tmp","raw":"AQ=="} <nil>
	// a value of the type struct { Path string } has no natural form in JSON; convert it, give a json.RawMessage or json.Marshaler, or use typed.Args
}
