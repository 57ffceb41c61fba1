package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// texts are strings of about 1 MB, each hard on another part of the scanner.
var texts = []struct{ name, text string }{
	{"plain", strings.Repeat("The quick brown fox jumps over the lazy dog. ", 1<<20/45)},
	{"lines", strings.Repeat(strings.Repeat("x", 59)+"\n", 1<<20/60)},
	{"quotes", strings.Repeat(`{"key": "value"}, `, 1<<20/18)},
	{"cjk", strings.Repeat("天地玄黃宇宙洪荒", 1<<20/24)},
	{"mixed", strings.Repeat("Größe: 3 m². ", 1<<20/16)},
	{"cyrillic", strings.Repeat("Съешьещёэтихмягкихбулок", 1<<20/46)},
	{"cyrillic words", strings.Repeat("Съешь ещё этих мягких булок ", 1<<20/51)},
	{"emoji", strings.Repeat("😀😃😄😁", 1<<20/16)},
	{"escape every 20", strings.Repeat("if (a < b) return 1\n", 1<<20/20)},
	{"escape every 5", strings.Repeat("a = \"b\"\n", 1<<20/9)},
}

// encoded returns the JSON strings of texts, and one of escapes with digits alone.
func encoded() map[string][]byte {
	list := map[string][]byte{"hex": []byte(`"` + strings.Repeat(`\u0416\u00e9\u4e2d\u20ac`, 1<<20/24) + `"`)}
	for _, t := range texts {
		list[t.name] = wire.AppendString(nil, t.text)
	}
	return list
}

// BenchmarkCopy is the floor: nothing that hands out a copy can be faster.
func BenchmarkCopy(b *testing.B) {
	text := wire.AppendString(nil, texts[0].text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var s string
	for b.Loop() {
		s = string(text)
	}
	_ = s
}

func BenchmarkSkipString(b *testing.B) {
	benchmarkTexts(b, (*wire.Reader).Skip)
}

// BenchmarkSkipTrusted looks only for the end of a string.
func BenchmarkSkipTrusted(b *testing.B) {
	benchmarkTexts(b, func(r *wire.Reader) {
		r.Trust()
		r.Skip()
	})
}

func BenchmarkString(b *testing.B) {
	benchmarkTexts(b, func(r *wire.Reader) { _ = r.String() })
}

func benchmarkTexts(b *testing.B, read func(*wire.Reader)) {
	list := encoded()
	for _, name := range wire.SortedKeys(list) {
		b.Run(name, func(b *testing.B) {
			text := list[name]
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				r := wire.NewReader(text)
				read(&r)
				if err := r.End(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendString(b *testing.B) {
	for _, t := range texts {
		b.Run(t.name, func(b *testing.B) {
			dst := wire.AppendString(nil, t.text)
			b.SetBytes(int64(len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				dst = wire.AppendString(dst[:0], t.text)
			}
		})
	}
}

func BenchmarkAppendLine(b *testing.B) {
	indented := strings.ReplaceAll(string(toolList(50)), `,"`, ",\n  \"")
	for _, t := range []struct{ name, text string }{
		{"one line", string(wire.AppendString(nil, texts[0].text))},
		{"indented", indented},
	} {
		b.Run(t.name, func(b *testing.B) {
			raw, dst := []byte(t.text), []byte(nil)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				dst = wire.AppendLine(dst[:0], raw)
			}
		})
	}
}

// toolList returns the result of a tools/list with n tools of usual size.
func toolList(n int) []byte {
	b := []byte(`{"tools":[`)
	for i := range n {
		b = append(wire.AppendComma(b), '{')
		b = wire.AppendString(wire.AppendKey(b, "name"), fmt.Sprintf("tool_%d", i))
		b = wire.AppendString(wire.AppendKey(b, "description"), "Reads a file and returns the lines that match.\nBinary files are refused.")
		b = append(wire.AppendKey(b, "inputSchema"), `{"type":"object","properties":{`+
			`"path":{"type":"string","description":"The file to read"},`+
			`"pattern":{"type":"string","description":"A regular expression"},`+
			`"limit":{"type":"integer","minimum":1,"maximum":1000,"default":100}},`+
			`"required":["path","pattern"],"additionalProperties":false}}`...)
	}
	return append(b, "]}"...)
}

func BenchmarkSkipToolList(b *testing.B) {
	text := toolList(50)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := wire.Valid(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadToolList(b *testing.B) {
	text := toolList(50)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readTools(text); err != nil {
			b.Fatal(err)
		}
	}
}

type tool struct {
	name, description string
	schema            []byte
}

func readTools(text []byte) ([]tool, error) {
	var tools []tool
	r := wire.NewReader(text)
	for r.Object(); r.More(); {
		if string(r.Key()) != "tools" {
			r.Skip()
			continue
		}
		for r.Array(); r.More(); {
			var t tool
			for r.Object(); r.More(); {
				switch string(r.Key()) {
				case "name":
					t.name = r.String()
				case "description":
					t.description = r.String()
				case "inputSchema":
					t.schema = r.Raw()
				default:
					r.Skip()
				}
			}
			tools = append(tools, t)
		}
	}
	return tools, r.End()
}

func BenchmarkSmallMessage(b *testing.B) {
	text := []byte(`{"jsonrpc":"2.0","id":12345,"result":{"content":[{"type":"text","text":"hello"}]}}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r := wire.NewReader(text)
		var id int64
		var result []byte
		for r.Object(); r.More(); {
			switch string(r.Key()) {
			case "id":
				id = r.Int()
			case "result":
				result = r.Raw()
			default:
				r.Skip()
			}
		}
		if err := r.End(); err != nil || id == 0 || result == nil {
			b.Fatal(err)
		}
	}
}
