package wire_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// nested returns n arrays or objects, one inside the other.
func nested(n int, open, end string) string {
	return strings.Repeat(open, n) + strings.Repeat(end, n)
}

// walk reads a value through Object, Key and Array, as callers do.
func walk(r *wire.Reader) {
	switch r.Kind() {
	case wire.Object:
		for r.Object(); r.More(); {
			r.Key()
			walk(r)
		}
	case wire.Array:
		for r.Array(); r.More(); {
			walk(r)
		}
	case wire.Null:
		r.Null()
	case wire.Bool:
		r.Bool()
	case wire.Number:
		r.Number()
	default:
		_ = r.String()
	}
}

func walked(text string) error {
	r := wire.NewReader([]byte(text))
	walk(&r)
	return r.End()
}

// checkError fails the test unless err's text is want; "" means no error.
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

func TestErrorsSayWhatIsWrongAndWhere(t *testing.T) {
	for _, tt := range []struct{ text, err string }{
		{` {"a" : [ 1 , "b" , true , false , null , { } , [ ] ] } `, ``},
		{"\t\r\n1 ", ``},
		{``, `JSON: unexpected end of input at byte 0`},
		{`  `, `JSON: unexpected end of input at byte 2`},
		{`?`, `JSON: unexpected character '?' at byte 0`},
		{"\uFEFF{}", `JSON: unexpected character '\ufeff' at byte 0`},
		{"\xff", `JSON: unexpected character '\ufffd' at byte 0`},
		{"\v1", `JSON: unexpected character '\v' at byte 0`},
		{`{} {}`, `JSON: unexpected text after the value at byte 3`},
		{`]`, `JSON: unexpected character ']' at byte 0`},
		{`[`, `JSON: unexpected end of input at byte 1`},
		{`[1`, `JSON: unexpected end of input at byte 2`},
		{`[1}`, `JSON: want a comma or a closing bracket at byte 2`},
		{`[1 2]`, `JSON: want a comma or a closing bracket at byte 3`},
		{`[,1]`, `JSON: unexpected character ',' at byte 1`},
		{`[1,]`, `JSON: unexpected character ']' at byte 3`},
		{`[1,,2]`, `JSON: unexpected character ',' at byte 3`},
		{`{"a":1,}`, `JSON: unexpected character '}' at byte 7`},
		{`{,}`, `JSON: unexpected character ',' at byte 1`},
		{`{1:2}`, `JSON: want a string, got a number at byte 1`},
		{`{"a"}`, `JSON: want a colon after the key at byte 4`},
		{`{"a"`, `JSON: want a colon after the key at byte 4`},
		{`{"a":}`, `JSON: unexpected character '}' at byte 5`},
		{`{"a":1]`, `JSON: want a comma or a closing bracket at byte 6`},
		{`{"a":1 "b":2}`, `JSON: want a comma or a closing bracket at byte 7`},
		{`nul`, `JSON: want null at byte 0`},
		{`[nulL]`, `JSON: want null at byte 1`},
		{`trUe`, `JSON: want true at byte 0`},
		{`fals`, `JSON: want false at byte 0`},
		{`truex`, `JSON: unexpected text after the value at byte 4`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			checkError(t, wire.Valid([]byte(tt.text)), tt.err)
			if tt.text == "" || strings.HasPrefix(tt.err, "JSON: unexpected") {
				return // walk asks for a string where no value starts
			}
			checkError(t, walked(tt.text), tt.err)
		})
	}
}

func TestSyntaxErrorCarriesItsOffset(t *testing.T) {
	var e *wire.SyntaxError
	if err := wire.Valid([]byte(`[1,x]`)); !errors.As(err, &e) || e.Offset != 3 {
		t.Errorf("error %v, want a SyntaxError at 3", err)
	}
}

func TestWrongKindIsAnError(t *testing.T) {
	reads := []struct {
		kind string
		read func(*wire.Reader)
	}{
		{"a boolean", func(r *wire.Reader) { r.Bool() }},
		{"a number", func(r *wire.Reader) { r.Number() }},
		{"a number", func(r *wire.Reader) { r.Int() }},
		{"a number", func(r *wire.Reader) { r.Float() }},
		{"a string", func(r *wire.Reader) { _ = r.String() }},
		{"a string", func(r *wire.Reader) { r.Bytes() }},
		{"a string", func(r *wire.Reader) { r.Key() }},
		{"an array", (*wire.Reader).Array},
		{"an object", (*wire.Reader).Object},
	}
	values := []struct{ kind, text string }{
		{"null", `null`}, {"a boolean", `true`}, {"a number", `1`},
		{"a string", `"a"`}, {"an array", `[]`}, {"an object", `{}`},
	}
	for _, read := range reads {
		for _, v := range values {
			if read.kind == v.kind {
				continue
			}
			r := wire.NewReader([]byte(v.text))
			read.read(&r)
			checkError(t, r.Err(), "JSON: want "+read.kind+", got "+v.kind+" at byte 0")
		}
		r := wire.NewReader(nil)
		read.read(&r)
		checkError(t, r.Err(), "JSON: unexpected end of input at byte 0")
	}
}

func TestKindLooksWithoutReading(t *testing.T) {
	for text, want := range map[string]wire.Kind{
		`null`: wire.Null, ` true`: wire.Bool, "\nfalse": wire.Bool, `-1`: wire.Number, `9`: wire.Number,
		`"a"`: wire.String, `[1]`: wire.Array, `{}`: wire.Object, ``: wire.Invalid, `x`: wire.Invalid, `+1`: wire.Invalid,
	} {
		r := wire.NewReader([]byte(text))
		if got := r.Kind(); got != want || r.Kind() != want {
			t.Errorf("Kind of %q is %v, want %v", text, got, want)
		}
		if err := r.Err(); err != nil {
			t.Errorf("Kind of %q failed: %v", text, err)
		}
	}
}

func TestNullReadsOnlyNull(t *testing.T) {
	r := wire.NewReader([]byte(`[null,0]`))
	r.Array()
	if !r.More() || !r.Null() {
		t.Error("null was not read as null")
	}
	if !r.More() || r.Null() || r.Int() != 0 {
		t.Error("0 was taken for null")
	}
	if r.More() || r.End() != nil {
		t.Error(r.Err())
	}
}

func TestFirstErrorSticks(t *testing.T) {
	r := wire.NewReader([]byte(` {"a": x, "b": [1]}`))
	r.Object()
	r.More()
	r.Key()
	r.Skip()
	first, offset := r.Err(), r.Offset()
	if first == nil {
		t.Fatal("the bad value was accepted")
	}
	r.Fail(errors.New("a later error"))
	r.Object()
	r.Array()
	if r.Kind() != wire.Invalid || r.More() || r.Null() || r.Bool() || r.Key() != nil || r.Raw() != nil ||
		r.String() != "" || r.Bytes() != nil || r.Number() != nil || r.Int() != 0 || r.Float() != 0 {
		t.Error("a value was read after the error")
	}
	if r.Skip(); r.Err() != first || r.End() != first || r.Offset() != offset {
		t.Errorf("error %v at %d, want %v at %d", r.Err(), r.Offset(), first, offset)
	}
}

func TestFailEndsTheLoop(t *testing.T) {
	mine := errors.New("mine")
	r := wire.NewReader([]byte(`[1,2,3]`))
	n := 0
	for r.Array(); r.More(); n++ {
		r.Fail(mine)
	}
	if n != 1 || r.End() != mine {
		t.Errorf("%d rounds, error %v", n, r.Err())
	}
}

func TestMoreOutsideItsPlaceIsAnError(t *testing.T) {
	r := wire.NewReader([]byte(`1`))
	if r.More() {
		t.Error("More is true outside a container")
	}
	checkError(t, r.Err(), "JSON: no array or object is open at byte 0")

	r = wire.NewReader([]byte(`[1]`))
	r.Array()
	if !r.More() || r.More() {
		t.Error("More is true again though the element was not read")
	}
	checkError(t, r.Err(), "JSON: want a comma or a closing bracket at byte 1")

	r = wire.NewReader([]byte(`[]`))
	r.Array()
	for range 2 {
		if r.More() {
			t.Error("More is true in an empty array")
		}
	}
	checkError(t, r.Err(), "JSON: no array or object is open at byte 2")
}

func TestEndWantsTheWholeValueRead(t *testing.T) {
	r := wire.NewReader([]byte(`[1]`))
	r.Array()
	checkError(t, r.End(), "JSON: the value has not been read to its end at byte 1")
}

func TestDepthIsLimitedTo128(t *testing.T) {
	for _, brackets := range [][2]string{{"[", "]"}, {`{"a":`, "}"}, {`[{"a":`, "}]"}} {
		step := strings.Count(brackets[0], "[") + strings.Count(brackets[0], "{")
		inner := func(n int) string { return strings.Replace(nested(n, brackets[0], brackets[1]), ":}", ":0}", 1) }
		for _, read := range []func(string) error{walked, func(s string) error { return wire.Valid([]byte(s)) }} {
			if err := read(inner(128 / step)); err != nil {
				t.Errorf("128 of %s: %v", brackets[0], err)
			}
			if err := read(inner(128/step + 1)); err == nil || !strings.Contains(err.Error(), "nested deeper than 128") {
				t.Errorf("more than 128 of %s: %v", brackets[0], err)
			}
		}
	}
	side := "[" + strings.Repeat("[[]],", 500) + "[]]" // many containers, none deep
	if err := walked(side); err != nil {
		t.Error(err)
	}
}

func TestKeysAreExact(t *testing.T) {
	r := wire.NewReader([]byte(`{"Name":1,"name":2,"NAME":3,"n\u0061me ":4,"":5}`))
	var got []string
	for r.Object(); r.More(); r.Skip() {
		got = append(got, string(r.Key()))
	}
	if want := []string{"Name", "name", "NAME", "name ", ""}; r.End() != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("keys %q, error %v", got, r.Err())
	}
}

func TestDuplicateKeyIsRefusedWhereKeysAreRead(t *testing.T) {
	for _, tt := range []struct{ text, err string }{
		{`{"a":1,"a":2}`, `JSON: key "a" occurs twice at byte 7`},
		{`{"":1,"":2}`, `JSON: key "" occurs twice at byte 6`},
		{`{"a":1,"\u0061":2}`, `JSON: key "a" occurs twice at byte 7`},
		{`{"\u0061":1,"a":2}`, `JSON: key "a" occurs twice at byte 12`},
		{`{"\u0061":1,"\u0061":2}`, `JSON: key "a" occurs twice at byte 12`},
		{`{"é":1,"\u00e9":2}`, `JSON: key "é" occurs twice at byte 8`},
		{`{"a":{"b":{},"c":[{"b":1}]},"a":1}`, `JSON: key "a" occurs twice at byte 28`},
		{`[{"a":1},{"a":1}]`, ``},
		{`{"a":{"a":{"a":1},"b":1},"b":{"a":1}}`, ``},
		{`{"a":{},"":{"":{}},"b":{}}`, ``},
	} {
		checkError(t, walked(tt.text), tt.err)
		checkError(t, wire.Valid([]byte(tt.text)), ``)
	}
}

func TestSkippedValueMayRepeatKeys(t *testing.T) {
	const twice = `{"a":1,"a":2}`
	r := wire.NewReader([]byte(`{"x":` + twice + `,"y":` + twice + `}`))
	r.Object()
	r.More()
	r.Key()
	r.Skip()
	r.More()
	r.Key()
	if got := string(r.Raw()); got != twice || r.More() || r.End() != nil {
		t.Errorf("Raw returned %q, error %v", got, r.Err())
	}
}

// Objects with more keys than the reader has room for inside itself, around
// and beside others.
func TestDuplicateKeyIsFoundAmongMany(t *testing.T) {
	members := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(`"k` + strconv.Itoa(i) + `":{"k` + strconv.Itoa(i) + `":0},`)
		}
		return b.String()
	}
	if err := walked(`{` + members(500) + `"last":0}`); err != nil {
		t.Error(err)
	}
	for _, i := range []int{0, 22, 23, 24, 25, 99} {
		text := `{"out":{` + members(100) + `"k` + strconv.Itoa(i) + `":0}}`
		if err := walked(text); err == nil || !strings.Contains(err.Error(), "occurs twice") {
			t.Errorf("k%d a second time: %v", i, err)
		}
	}
	if err := walked(`{` + members(511) + `"last":0}`); err != nil {
		t.Error(err)
	}
	if err := walked(`{` + members(512) + `"last":0}`); err == nil || !strings.Contains(err.Error(), "more than 512 members") {
		t.Errorf("513 members: %v", err)
	}
}

func TestErrorsQuoteNoLongText(t *testing.T) {
	long := strings.Repeat("9", 1<<16)
	r := wire.NewReader([]byte(long))
	r.Int()
	for _, err := range []error{r.Err(), walked(`{"` + long + `":1,"` + long + `":2}`)} {
		if err == nil || len(err.Error()) > 200 {
			t.Errorf("want a short error, got %.300v", err)
		}
	}
}

func TestRawIsTheTextItself(t *testing.T) {
	const text = ` [ {"a" : 1.50 , "b":"\u0041"} , "x" ] `
	data := []byte(text)
	r := wire.NewReader(data)
	r.Array()
	r.More()
	raw := r.Raw()
	if string(raw) != `{"a" : 1.50 , "b":"\u0041"}` || &raw[0] != &data[3] {
		t.Errorf("Raw returned %q", raw)
	}
}

func TestAppendToWhatWasReadLeavesTheTextAlone(t *testing.T) {
	const text = `{"key":{"a":1},"s":"text","n":12   }`
	data := []byte(text)
	r := wire.NewReader(data)
	r.Object()
	for _, read := range []func() []byte{r.Raw, r.Bytes, r.Number} {
		r.More()
		_ = append(r.Key(), "!!!!"...)
		_ = append(read(), "!!!!"...)
	}
	if r.More() || r.End() != nil || string(data) != text {
		t.Errorf("the text is now %s, error %v", data, r.Err())
	}
}

func TestOffsetIsWhereReadingStopped(t *testing.T) {
	r := wire.NewReader([]byte(`[10, 20]`))
	var got []int
	for r.Array(); r.More(); r.Int() {
		got = append(got, r.Offset())
	}
	if got = append(got, r.Offset()); fmt.Sprint(got) != "[1 4 8]" {
		t.Errorf("offsets %v", got)
	}
}

func TestReadingAMessageAllocatesNothing(t *testing.T) {
	text := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	n := testing.AllocsPerRun(100, func() {
		r := wire.NewReader(text)
		for r.Object(); r.More(); {
			if string(r.Key()) == "id" {
				r.Int()
			} else {
				r.Raw()
			}
		}
		if r.End() != nil {
			t.Error(r.Err())
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
