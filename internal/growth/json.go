package growth

import (
	"strconv"
	"strings"
)

// Beside returns a dimension of n bytes of text beside the rest of the input.
func Beside(name, before, text, after string) Dimension {
	return Dimension{name, func(n int, inner string) string { return before + Numbered(n, text) + after + inner }}
}

// Around returns a dimension of n bytes of text in a JSON text around another.
func Around(name, before, text, middle, after string) Dimension {
	return Dimension{name, func(n int, inner string) string { return before + Numbered(n, text) + middle + inner + after }}
}

// In returns dimensions of one of several texts that NUL bytes separate in an input.
func In(part int, dimensions ...Dimension) []Dimension {
	var in []Dimension
	for _, d := range dimensions {
		in = append(in, Dimension{d.Name, func(n int, inner string) string {
			parts := strings.Split(inner, "\x00")
			parts[part] = d.Grow(n, parts[part])
			return strings.Join(parts, "\x00")
		}})
	}
	return in
}

// JSON returns the dimensions of JSON text. Each has a value around inner.
func JSON() []Dimension {
	return []Dimension{
		Around("length of a key", `{"`, "k", `":`, `}`),
		Around("length of a string", `["`, "s", `",`, `]`),
		Around("escapes of a string", `["`, `\u00e9`, `",`, `]`),
		Around("digits of a number", `[1`, "0", `,`, `]`),
		Around("members", `{`, `"k00000000":{},`, `"last":`, `}`),
		Around("items", `[`, `{},`, ``, `]`),
		{"depth", func(n int, inner string) string { return strings.Repeat("[", n/2) + inner + strings.Repeat("]", n/2) }},
	}
}

// Schemas returns the dimensions of JSON Schemas. An input is a schema and the members of
// its $defs, which [Schema] joins.
func Schemas() []Dimension {
	dimensions := In(0,
		Around("length of a name", `{"properties":{"`, "p", `":`, `}}`),
		Around("length of a description", `{"description":"`, "d", `","allOf":[`, `]}`),
		Around("properties", `{"properties":{`, `"p00000000":{},`, `"last":`, `}}`),
		Around("required", `{"required":[`, `"p00000000",`, `"last"],"allOf":[`, `]}`),
		Around("all of", `{"allOf":[`, `{},`, ``, `]}`),
		Around("any of", `{"anyOf":[`, `{"type":"null"},`, ``, `]}`),
		Around("enum", `{"enum":[`, `"e00000000",`, `"v"],"allOf":[`, `]}`),
		Around("references", `{"allOf":[`, `{"$ref":"#/$defs/d"},`, ``, `]}`),
		Around("unknown keywords", `{"enum":[{`, `"k00000000":{},`, `"last":0}],"allOf":[`, `]}`),
		Dimension{"depth", func(n int, inner string) string {
			return strings.Repeat(`{"not":`, n/8) + inner + strings.Repeat(`}`, n/8)
		}},
	)
	moved := func(name string, grow func(n int, name string) string) {
		dimensions = append(dimensions, Dimension{name, func(n int, inner string) string {
			parts := strings.SplitN(inner, "\x00", 3)
			name := "m" + strconv.Itoa(len(parts[1]))
			parts[0], parts[1] = grow(n, name), parts[1]+`,"`+name+`":`+parts[0]
			return strings.Join(parts, "\x00")
		}})
	}
	moved("references to what is around", func(n int, name string) string {
		return `{"allOf":[` + Numbered(n, `{"$ref":"#/$defs/`+name+`"},`) + `{}]}`
	})
	moved("references in properties", func(n int, name string) string {
		return `{"properties":{` + Numbered(n, `"p00000000":{"$ref":"#/$defs/`+name+`"},`) + `"last":{}}}`
	})
	return append(dimensions, Dimension{"length of a reference", func(n int, inner string) string {
		parts := strings.SplitN(inner, "\x00", 3)
		name := strconv.Itoa(len(parts[1])) + strings.Repeat("l", n/2)
		parts[0], parts[1] = `{"$ref":"#/$defs/`+name+`"}`, parts[1]+`,"`+name+`":`+parts[0]
		return strings.Join(parts, "\x00")
	}})
}

// Schema joins a schema, which must not be empty, and the members of its $defs.
func Schema(schema, defs string) string {
	return strings.TrimSuffix(schema, "}") + `,"$defs":{"d":{"description":"d"}` + defs + `}}`
}

// Numbered returns about n bytes of a text in which a number replaces each 00000000, each
// time the next number.
func Numbered(n int, text string) string {
	pieces := strings.Split(text, "00000000")
	if len(pieces) == 1 {
		return strings.Repeat(text, n/len(text)+1)
	}
	b := make([]byte, 0, n+len(text))
	for i := 100_000_000; len(b) < n; i++ {
		b = append(b, pieces[0]...)
		number := strconv.Itoa(i)[1:]
		for _, piece := range pieces[1:] {
			b = append(append(b, number...), piece...)
		}
	}
	return string(b)
}
