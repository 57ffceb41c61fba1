package jsonschema_test

import (
	"fmt"
	"strings"
)

// An attack is a schema and a value that are expensive to check, each of up to n bytes.
type attack struct {
	name          string
	schema, value func(n int) string
}

// attacks has, for each keyword, what makes its work grow: long strings, keys, numbers and
// references, many of them, and both at once.
var attacks = []attack{
	// Keys, ids and references of schemas.
	{"a long key above many schemas", func(n int) string {
		return `{"properties":{"` + long("k", n) + `":{"anyOf":[` + times("{},", 1000) + `true]}}}`
	}, null},
	{"a long name of $defs above references", func(n int) string {
		return `{"$defs":{"` + long("k", n-60_000) + `":{"anyOf":[` + times(`{"$ref":"#"},`, 3000) + `true]}}}`
	}, null},
	{"a long id with references", func(n int) string {
		return `{"$id":"x://h/` + long("i", n) + `","anyOf":[` + times(`{"$ref":"#/$defs/a"},`, 300) + `true],"$defs":{"a":{}}}`
	}, null},
	{"a long id with ids", func(n int) string {
		return `{"$id":"x://h/` + long("i", 8000) + `/","$defs":{` + members(`{"$id":"%d/"}`, n-9000) + `}}`
	}, null},
	{"ids of ids", func(n int) string {
		return nested(`{"$id":"`+long("i", 8000)+`/","not":`, "{}", "}", min(n/8100, 120))
	}, null},
	{"long references", func(n int) string { return `{"anyOf":[` + list(`{"$ref":"#/`+long("a", 8000)+`%d"},`, n) + `]}` }, null},
	{"relative references to a long id", func(n int) string {
		return `{"$id":"x://h/` + long("i/", 8000) + `","anyOf":[` + list(`{"$ref":"?%d"},`, n-9000) + `]}`
	}, null},
	{"the same relative reference to a long id", func(n int) string {
		return `{"$id":"x://h/` + long("i/", 8000) + `a","anyOf":[` + fill(`{"$ref":"a"},`, min(n, 600_000)) + `true]}`
	}, null},
	{"long references that lead up and down", func(n int) string {
		return `{"$id":"x://h/` + long("i", 4000) + `/` + long("i", 4000) + `/","anyOf":[` + fill(`{"$ref":"`+long("x/../", 8000)+`"},`, n-9000) + `true]}`
	}, null},
	{"pointers to the end of a list", func(n int) string {
		return `{"anyOf":[` + fill(`{"$ref":"#/enum/9"},`, n/10) + fmt.Sprintf(`{"$ref":"#/x/%d"}`, n/3) + `],"x":[` + fill("{},", n*9/10-100) + `{}],"enum":[` + times("{},", 20) + `{}]}`
	}, null},
	{"pointers far into a list", func(n int) string {
		return `{"anyOf":[` + list(`{"$ref":"#/x/2%04d"},`, n/10) + `,true],"x":[` + fill("{},", n*8/10) + `{}]}`
	}, null},
	{"pointers of many steps", func(n int) string {
		return `{"anyOf":[` + fill(`{"$ref":"#`+long("/x", 8000)+`"},`, n/2) + `true],"x":` + nested(`{"x":`, "{}", "}", 4100) + `}`
	}, null},
	{"references that end in a wide object", func(n int) string {
		return `{"anyOf":[` + list(`{"$ref":"#/$defs/%d"},`, n/2) + `,true],"$defs":{` + members(`{}`, n/2) + `}}`
	}, null},
	{"anchors", func(n int) string { return `{"anyOf":[` + list(`{"$anchor":"`+long("a", 4000)+`%d"},`, n) + `]}` }, null},
	{"a long anchor", func(n int) string { return `{"$anchor":"` + long("a", n) + `"}` }, null},
	{"a long dialect", func(n int) string { return `{"$schema":"` + long("a", n) + `"}` }, null},
	{"empty schemas", func(n int) string { return `{"anyOf":[` + fill("{},", n) + `{}]}` }, null},
	{"true schemas", func(n int) string { return `{"allOf":[` + fill("true,", n) + `{}]}` }, null},
	{"unknown keywords", func(n int) string { return `{` + members(`[{}]`, n) + `}` }, null},
	{"schemas with keywords", func(n int) string {
		return `{"properties":{` + members(`{"type":"string","minLength":1,"maxLength":9,"pattern":"^a","not":{"enum":["b"]}}`, n) + `}}`
	}, null},
	{"deep schema", func(n int) string { return nested(`{"not":`, "{}", "}", min(n/10, 20_000)) }, null},
	{"deep value in a schema", func(n int) string { return `{"enum":[` + nested(`[`, "", "]", min(n/2, 9990)) + `]}` }, func(n int) string { return nested(`[`, "", "]", min(n/2, 9990)) }},

	// Patterns.
	{"one long pattern", func(n int) string { return `{"pattern":"` + long("a", min(n, 8000)) + `"}` }, str},
	{"many patterns", func(n int) string { return `{"patternProperties":{` + members("{}", n) + `}}` }, object},
	{"many pattern keywords", func(n int) string { return `{"anyOf":[` + list(`{"pattern":"a%d"},`, n) + `]}` }, str},
	{"patterns of classes", func(n int) string {
		return `{"anyOf":[` + list(`{"pattern":"(?i)[`+long(`\\pL\\PN`, 4000)+`]%d"},`, n) + `]}`
	}, str},
	{"patterns of classes within the limit of instructions", func(n int) string {
		return `{"anyOf":[` + list(`{"pattern":"%d`+long(`\\pL`, 4000)+`"},`, 60_000) + `]}`
	}, func(int) string { return `"a"` }},
	{"one pattern of classes", func(n int) string { return `{"pattern":"` + long(`\\pL`, min(n, 8000)) + `"}` }, str},
	{"one pattern of a class of classes", func(n int) string { return `{"pattern":"(?i)[` + long(`\\pL\\PN`, min(n, 8000)) + `]"}` }, str},
	{"folded letters", func(n int) string { return `{"pattern":"(?i)` + long(`[^a-z]`, min(n, 8000)) + `"}` }, str},
	{"ranges that overlap", func(n int) string { return `{"pattern":"[` + long(`a-zb-y0-9`, min(n, 8000)) + `]*x"}` }, str},
	{"alternatives", func(n int) string { return `{"pattern":"(` + list("ab%d|", min(n, 8000)) + `)*x"}` }, str},
	{"repeated alternatives", func(n int) string { return `{"pattern":"((a|b|c){10}){400}x"}` }, str},
	{"patterns of the size that is allowed", func(n int) string {
		return `{"anyOf":[` + list(`{"pattern":"%d(a?b){1000}"},`, 200) + `]}`
	}, func(int) string { return `"` + long("ab", 2000) + `"` }},
	{"patterns that are not supported", func(n int) string {
		return `{"patternProperties":{` + list(`"(?=%d)":{},`, min(n, 22_000)) + `}}`
	}, object},
	{"many patterns of the number that is allowed", func(n int) string { return `{"patternProperties":{` + members("{}", 17_000) + `}}` }, object},
	{"ranges without case", func(n int) string { return `{"pattern":"(?i)[` + long("Ā-\U0010ffff", 8000) + `]"}` }, str},
	{"wide ranges without case", func(n int) string { return `{"pattern":"(?i)[Ā-\uffff]"}` }, str},
	{"wide ranges written as escapes", func(n int) string { return `{"pattern":"(?i)[` + times(`\\x{100}-\\x{1ffff}`, 400) + `]"}` }, str},
	{"short texts", func(n int) string { return `{"items":{"anyOf":[{"pattern":"(a?){90}b"},true]}}` }, func(n int) string { return "[" + fill(str(100)+",", n-10) + "1]" }},
	{"optional letters", func(n int) string { return `{"pattern":"(a?){1000}b"}` }, str},
	{"patterns times texts", func(n int) string {
		return `{"items":{"anyOf":[` + list(`{"pattern":"(a|b)*%d"},`, min(n, 20_000)) + `,true]}}`
	}, strs},
	{"patterns times names", func(n int) string { return `{"patternProperties":{` + members("{}", min(n, 9000)) + `}}` }, object},

	// Strings.
	{"maxLength of one long string", func(n int) string { return `{"allOf":[` + fill(`{"maxLength":99999999},`, min(n, 690_000)) + `{}]}` }, str},
	{"minLength of characters", func(n int) string { return `{"allOf":[` + fill(`{"minLength":1},`, min(n, 490_000)) + `{}]}` }, func(n int) string { return `"` + fill("é", n-2) + `"` }},
	{"escapes", func(n int) string { return `{"const":"` + fill(`\u0041`, n-20) + `"}` }, func(n int) string { return `"` + fill(`\u0041`, n-10) + `"` }},
	{"invalid bytes", func(n int) string { return `{"const":"` + fill("\xff", n-20) + `"}` }, func(n int) string { return `"` + fill("\xff", n-10) + `"` }},
	{"short strings with escapes", func(n int) string { return `{"enum":[` + fill(`"\n",`, n-20) + `1]}` }, func(n int) string { return `[` + fill(`"\n",`, n-10) + `1]` }},
	{"const of long strings", func(n int) string {
		return `{"$defs":{"a":{"const":"` + long("a", n-600_000) + `"}},"anyOf":[` + fill(`{"not":{"$ref":"#/$defs/a"}},`, 500_000) + `{}]}`
	}, func(n int) string { return `"` + long("a", n-600_000) + `"` }},
	{"enum of strings that differ at the end", func(n int) string {
		return `{"$defs":{"a":{"enum":[` + list(`"`+long("a", n/100)+`%03d",`, n*9/10) + `]}},"anyOf":[` + fill(`{"$ref":"#/$defs/a","type":"null"},`, n/20) + `{}]}`
	}, func(n int) string { return `"` + long("a", n/100) + `xyz"` }},
	{"a long type", func(n int) string { return `{"items":{"not":{"type":"` + long("t", n-100) + `"}}}` }, numbers},
	{"many types", func(n int) string { return `{"items":{"not":{"type":[` + fill(`"null",`, n-100) + `"null"]}}}` }, numbers},

	// Numbers.
	{"a long maximum", func(n int) string { return `{"items":{"not":{"maximum":-1` + long("0", n-100) + `}}}` }, numbers},
	{"a long number and many limits", func(n int) string { return `{"anyOf":[` + fill(`{"not":{"minimum":1}},`, min(n, 500_000)) + `{}]}` }, number},
	{"long numbers and limits", func(n int) string {
		return `{"$defs":{"a":{"minimum":1` + long("0", n-600_000) + `}},"anyOf":[` + fill(`{"not":{"$ref":"#/$defs/a"}},`, 500_000) + `{}]}`
	}, number},
	{"a long fraction", func(n int) string { return `{"type":"integer","minimum":0.` + long("0", n-100) + `1}` }, func(n int) string { return "1." + long("0", n-10) + "1" }},
	{"multipleOf", func(n int) string { return `{"items":{"anyOf":[{"multipleOf":1` + long("7", 900) + `},true]}}` }, func(n int) string { return `[` + fill(`0,1`+long("3", 900)+`,`, n-10) + `0]` }},
	{"multipleOf with exponents", func(n int) string {
		return `{"items":{"anyOf":[{"multipleOf":7.` + long("3", 900) + `e-99999999999},true]}}`
	}, func(n int) string { return `[` + fill(`0,1e999999999999,`, n-10) + `0]` }},
	{"integers with exponents", func(n int) string { return `{"items":{"type":"integer"}}` }, func(n int) string { return `[` + fill(`1e999999999,1.0,`, n-10) + `0]` }},
	{"long counts", func(n int) string {
		return `{"items":{"maxLength":` + long("9", n/2-100) + `,"minLength":0.` + long("0", n/2-100) + `}}`
	}, strs},
	{"a long exponent", func(n int) string { return `{"items":{"minimum":1e-` + long("0", n-100) + `9}}` }, numbers},

	// Lists.
	{"items", func(n int) string { return `{"items":{"type":"integer"}}` }, numbers},
	{"a long name above a list", func(n int) string { return `{"additionalProperties":{"items":{"not":{"type":"string"}}}}` }, func(n int) string { return `{"` + long("k", n/2) + `":[` + fill("0,", n/2-10) + `0]}` }},
	{"escaped name above a list", func(n int) string { return `{"additionalProperties":{"items":{"not":{"type":"string"}}}}` }, func(n int) string { return `{"` + long("~/", n/2) + `":[` + fill("0,", n/2-10) + `0]}` }},
	{"uniqueItems of long strings", unique, func(n int) string { return `[` + list(`"`+long("a", n/3000)+`%04d",`, n-10) + `]` }},
	{"uniqueItems of numbers", unique, func(n int) string { return `[` + list("%d,", n) + `]` }},
	{"uniqueItems of lists", unique, func(n int) string { return `[` + list("["+times("1,", 1000)+"%d],", n-10) + `]` }},
	{"uniqueItems of objects", unique, func(n int) string { return `[` + list(`{"a":1,"b":%d,"c":{}},`, n) + `]` }},
	{"uniqueItems at all levels", func(n int) string { return `{"uniqueItems":true,"items":{"$ref":"#"}}` }, func(n int) string { return nested("[[],1,", `"`+long("a", n-90_000)+`"`, "]", 9000) }},
	{"uniqueItems above members with one name", func(n int) string { return `{"uniqueItems":true,"items":{"$ref":"#"}}` }, func(n int) string { return nested("[1,", `{`+fill(`"":0,`, n-50_000)+`"":0}`, "]", 9000) }},
	{"const of members with one name", func(n int) string {
		return `{"$defs":{"a":{"const":{"":0}}},"anyOf":[` + fill(`{"not":{"$ref":"#/$defs/a"}},`, 500_000) + `{}]}`
	}, func(n int) string { return `{` + fill(`"":0,`, n-10) + `"":0}` }},
	{"uniqueItems many times", func(n int) string {
		return `{"anyOf":[` + fill(`{"uniqueItems":true,"type":"null"},`, min(n, 1_000_000)) + `{}]}`
	}, func(n int) string { return `[` + list("%d,", n) + `]` }},
	{"contains many times", func(n int) string {
		return `{"anyOf":[` + fill(`{"contains":{"type":"null"}},`, min(n, 700_000)) + `{}]}`
	}, numbers},
	{"contains within contains", func(n int) string { return nested(`{"minContains":0,"contains":`, "{}", "}", 100) }, func(n int) string { return nested("["+fill("0,", n/110), "0", "]", 100) }},
	{"prefixItems", func(n int) string { return `{"prefixItems":[` + fill("true,", min(n, 240_000)) + `true]}` }, numbers},
	{"maxItems many times", func(n int) string { return `{"allOf":[` + fill(`{"maxItems":99999999},`, min(n, 690_000)) + `{}]}` }, numbers},

	// Objects.
	{"properties", func(n int) string { return `{"properties":{` + members("{}", min(n, 400_000)) + `}}` }, object},
	{"a long name and many properties", func(n int) string {
		return `{"anyOf":[` + fill(`{"not":{"properties":{"a":{}}}},`, min(n, 400_000)) + `{}]}`
	}, func(n int) string { return `{"` + long("k", n-10) + `":1}` }},
	{"propertyNames", func(n int) string {
		return `{"anyOf":[` + fill(`{"not":{"propertyNames":{"maxLength":99999999}}},`, min(n, 700_000)) + `{}]}`
	}, object},
	{"a long required name", func(n int) string {
		return `{"$defs":{"a":{"required":["` + long("k", n-600_000) + `"]}},"allOf":[` + fill(`{"$ref":"#/$defs/a"},`, 500_000) + `{}]}`
	}, func(n int) string { return `{` + members("1", 1000) + `,"` + long("k", n-600_000) + `":1}` }},
	{"required", func(n int) string {
		return `{"$defs":{"a":{"required":[` + list(`"k%d",`, n/2) + `]}},"allOf":[` + fill(`{"$ref":"#/$defs/a"},`, min(n/4, 900_000)) + `{}]}`
	}, func(n int) string { return `{` + keyed(n-10) + `}` }},
	{"required, but no names", func(n int) string {
		return `{"$defs":{"a":{"required":[` + fill("0,", n/2) + `0]}},"allOf":[` + fill(`{"$ref":"#/$defs/a"},`, min(n/4, 900_000)) + `{}]}`
	}, func(int) string { return `{}` }},
	{"dependentRequired, but no names", func(n int) string {
		return `{"items":{"dependentRequired":{"":[` + fill("0,", n-100) + `0]}}}`
	}, func(n int) string { return `[` + fill(`{"":0},`, n-10) + `0]` }},
	{"dependentRequired", func(n int) string {
		return `{"$defs":{"a":{"dependentRequired":{` + members("[]", n/2) + `}}},"allOf":[` + fill(`{"$ref":"#/$defs/a"},`, min(n/4, 900_000)) + `{}]}`
	}, object},
	{"dependentSchemas", func(n int) string {
		return `{"$defs":{"a":{"dependentSchemas":{` + members("{}", min(n/2, 300_000)) + `}}},"allOf":[` + fill(`{"$ref":"#/$defs/a"},`, min(n/4, 300_000)) + `{}]}`
	}, object},
	{"dependencies", func(n int) string {
		return `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{` + members(`["a"]`, n-100) + `}}`
	}, object},
	{"const object", func(n int) string {
		return `{"$defs":{"a":{"const":` + object(n-600_000) + `}},"anyOf":[` + fill(`{"not":{"$ref":"#/$defs/a"}},`, 500_000) + `{}]}`
	}, func(n int) string { return object(n - 600_000) }},
	{"additionalProperties", func(n int) string { return `{"additionalProperties":{"type":"integer"}}` }, object},
	{"members with one name", func(n int) string { return `{"additionalProperties":{"type":"string"}}` }, func(n int) string { return `{` + fill(`"":0,`, n-10) + `"":0}` }},
	{"eight long names", func(n int) string { return `{"required":["a"]}` }, func(n int) string { return `{` + list(`"`+long("k", n/9)+`%d":1,`, n-20) + `}` }},
	{"small objects", func(n int) string { return `{"items":{"type":"object"}}` }, func(n int) string { return `[` + fill(`{"":0},`, n-10) + `0]` }},
	{"objects of nine", func(n int) string { return `{"items":{"required":["i"]}}` }, func(n int) string {
		return `[` + fill(`{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0},`, n-100) + `{"i":0}]`
	}},
	{"empty lists", func(n int) string { return `{"items":{}}` }, func(n int) string { return `[` + fill(`[],`, n-10) + `0]` }},

	// Evaluated parts.
	{"evaluated sets of a chain", func(n int) string {
		return nested(`{"unevaluatedProperties":false,"allOf":[`, `{"properties":{"k0":{}},"additionalProperties":true}`, "]}", 60)
	}, object},
	{"evaluated items of a chain", func(n int) string { return nested(`{"unevaluatedItems":false,"allOf":[`, `{"items":true}`, "]}", 60) }, numbers},
	{"evaluated sets of a list", func(n int) string {
		return `{"unevaluatedItems":false,"items":true,"allOf":[` + fill(`{"items":true},`, min(n, 300_000)) + `{}]}`
	}, numbers},
	{"evaluated sets merged", func(n int) string {
		return `{"anyOf":[` + fill(`{"additionalProperties":true,"unevaluatedProperties":{}},`, min(n, 900_000)) + `{}]}`
	}, object},
	{"unevaluated at all levels", func(n int) string {
		return `{"unevaluatedItems":{"$ref":"#"},"contains":{"type":"integer"},"minContains":0}`
	}, func(n int) string { return nested("[1,", fill("[0],", n-70_000)+"0", "]", 9000) }},

	// References that do not end, and the dynamic scope.
	{"recursion", func(n int) string { return `{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}` }, null},
	{"deep recursion", func(n int) string {
		return `{"items":{"$ref":"#"},"anyOf":[{"type":"array"},true],"not":{"type":"string"}}`
	}, func(n int) string { return nested("[", "", "]", 9990) }},
	{"dynamic scope", func(n int) string {
		return `{"$id":"x:/","$dynamicAnchor":"a","items":{"$id":"y:/","$dynamicAnchor":"a","items":{"$dynamicRef":"x:/#a"},"allOf":[` + fill(`{"$id":"z:/","$dynamicRef":"#`+long("b", 8000)+`","$dynamicAnchor":"`+long("b", 8000)+`","type":"object"},`, min(n, 900_000)) + `{}]}}`
	}, func(n int) string { return nested("[0,", "0", "]", 4900) }},
	{"oneOf of oneOf", func(n int) string { return nested(`{"oneOf":[`, "true", ",false,{\"not\":{}}]}", 100) }, object},
	{"if of if", func(n int) string { return nested(`{"if":{"items":`, "true", "},\"then\":true}", 60) }, func(n int) string { return nested("["+fill("0,", n/110), "0", "]", 60) }},

	// Texts.
	{"white space", func(n int) string { return long(" ", n-2) + `{}` }, func(n int) string { return long(" ", n-2) + `0` }},
	{"an unfinished string", func(n int) string { return `"` + long("a", n-1) }, func(n int) string { return `"` + long(`\n`, n-1) }},
	{"too deep", func(n int) string { return long("[", n) }, func(n int) string { return long(`{"a":`, n) }},
}

func null(int) string   { return "null" }
func unique(int) string { return `{"uniqueItems":true}` }

func str(n int) string     { return `"` + long("a", n-2) + `"` }
func strs(n int) string    { return `[` + fill(`"aaaa",`, n-2) + `0]` }
func number(n int) string  { return "1" + long("0", n-1) }
func numbers(n int) string { return `[` + fill("0,", n-2) + `0]` }
func object(n int) string  { return `{` + members("0", n-2) + `}` }

// times repeats s, long fills n bytes exactly, and fill at most.
func times(s string, count int) string { return strings.Repeat(s, max(count, 0)) }
func fill(s string, n int) string      { return times(s, n/len(s)) }
func long(s string, n int) string      { return times(s, n/len(s)+1)[:max(n, 0)] }

// list formats numbers, up to n bytes without the last comma.
func list(format string, n int) string {
	var b strings.Builder
	for i := 0; b.Len()+len(format)+8 < n; i++ {
		fmt.Fprintf(&b, format, i)
	}
	s := b.String()
	return s[:max(len(s)-1, 0)]
}

func members(value string, n int) string {
	return list(`"%d":`+strings.ReplaceAll(value, "%d", "1")+`,`, n)
}
func keyed(n int) string { return list(`"k%d":1,`, n) }

func nested(open, inner, end string, depth int) string {
	return times(open, depth) + inner + times(end, depth)
}
