package jsonrpc

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestIDsAreKeptAsWritten(t *testing.T) {
	for _, text := range []string{
		`0`, `1`, `-1`, `-0`, `1.0`, `1e3`, `1E+3`, `-0.0`, `0.1e-7`, `1e400`,
		`9007199254740993`, `9223372036854775807`, `-9223372036854775808`, `9223372036854775808`,
		`123456789012345678901234567890`, `""`, `"1"`, `"a\"b"`, `"é 😀"`, `null`,
	} {
		m, err := Parse([]byte(`{"jsonrpc":"2.0","id":` + text + `,"error":{"code":1,"message":""}}`))
		if err != nil || m.ID.String() != text {
			t.Errorf("Parse with id %s: id %s, %v", text, m.ID, err)
		}
		var id ID
		if err := id.UnmarshalJSON([]byte(" " + text + " ")); err != nil || id != m.ID {
			t.Errorf("UnmarshalJSON(%s) = %s, %v", text, id, err)
		}
		if b, err := json.Marshal(id); err != nil || string(b) != text {
			t.Errorf("Marshal of %s = %s, %v", text, b, err)
		}
	}
}

func TestIDsThatAreWrittenDifferentlyDiffer(t *testing.T) {
	seen := make(map[ID]string)
	for _, text := range []string{`1`, `1.0`, `"1"`, `1e0`, `"1.0"`, `null`, `"null"`, `0`, `-0`, `""`} {
		var id ID
		if err := json.Unmarshal([]byte(text), &id); err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[id]; ok {
			t.Errorf("%s == %s", text, other)
		}
		seen[id] = text
	}
	if _, ok := seen[ID{}]; ok || !(ID{}).IsZero() || (ID{}).String() != "" {
		t.Error("the zero ID is one of a request")
	}
	if NumberID(1) == StringID("1") {
		t.Error(`1 == "1"`)
	}
}

func TestIDRejectsWhatIsNone(t *testing.T) {
	for _, text := range []string{``, `true`, `{}`, `[1]`, `01`, `+1`, `1 2`, `"a`, "\"\xff\"", `nul`, `0x1`, `.5`} {
		id := NumberID(7)
		if err := id.UnmarshalJSON([]byte(text)); err == nil || id != NumberID(7) {
			t.Errorf("UnmarshalJSON(%q) = %v, and the id is %s", text, err, id)
		}
	}
}

func TestIDStandsForANumber(t *testing.T) {
	for text, want := range map[string]int64{
		`1`: 1, `"1"`: 1, `1.0`: 1, `1e0`: 1, `10e-1`: 1, `"2147483647"`: 2147483647, `"0"`: 0, `-1`: -1,
		`"01"`: -9, `"+1"`: -9, `" 1"`: -9, `"1.0"`: -9, `""`: -9, `"one"`: -9, `"-0"`: -9, `1.5`: -9,
		`1e400`: -9, `null`: -9, `"99999999999999999999"`: -9, `99999999999999999999`: -9,
	} {
		var id ID
		if err := json.Unmarshal([]byte(text), &id); err != nil {
			t.Fatal(err)
		}
		if n, ok := id.number(); ok != (want != -9) || ok && n != want {
			t.Errorf("%s stands for %d, %t", text, n, ok)
		}
	}
}

func TestIDOutlivesTheBytesItWasReadFrom(t *testing.T) {
	text := []byte(`"` + strings.Repeat("x", 10_000) + `"`)
	var id ID
	if err := id.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	want := id.String()
	clear(text)
	if id.String() != want {
		t.Error("the id changed with the bytes that it was read from")
	}
}
