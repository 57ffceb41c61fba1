package testserver

// mirror is the tool whose arguments HTTP repeats in headers (2026-07-28
// server/tools, x-mcp-header).
var mirror = tool{
	name: "mirror", title: "Mirror", description: "Returns its arguments, some of which travel in headers as well.",
	properties: `"text":{"type":"string","x-mcp-header":"Text"},"count":{"type":"integer","x-mcp-header":"Count"},` +
		`"flag":{"type":"boolean","x-mcp-header":"Flag"},"plain":{"type":"string"},` +
		`"where":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Where-Region"},` +
		`"x-mcp-header":{"type":"string"}}},"x-mcp-header":{"type":"string","x-mcp-header":"X!#$%&'*+.^_|~"}`,
	hints: readOnly,
	run: func(c *call, _ *fields) {
		args := string(c.params.raw["arguments"])
		if args == "" {
			args = "{}"
		}
		c.result(`"content":[` + textBlock(args) + `],"structuredContent":` + args)
	},
}

// badMirrors are tools with annotations that a client must not accept. The name
// says what is wrong.
func badMirrors() []tool {
	var list []tool
	for _, bad := range []struct{ name, properties string }{
		{"empty", `"a":{"type":"string","x-mcp-header":""}`},
		{"space", `"a":{"type":"string","x-mcp-header":"My Header"}`},
		{"colon", `"a":{"type":"string","x-mcp-header":"A:B"}`},
		{"line_break", `"a":{"type":"string","x-mcp-header":"A\r\nHost: example.com"}`},
		{"not_ascii", `"a":{"type":"string","x-mcp-header":"Größe"}`},
		{"not_text", `"a":{"type":"string","x-mcp-header":1}`},
		{"twice", `"a":{"type":"string","x-mcp-header":"Same"},"b":{"type":"string","x-mcp-header":"sAME"}`},
		{"number", `"a":{"type":"number","x-mcp-header":"A"}`},
		{"object", `"a":{"type":"object","x-mcp-header":"A"}`},
		{"array", `"a":{"type":"array","x-mcp-header":"A","items":{"type":"string"}}`},
		{"null", `"a":{"type":"null","x-mcp-header":"A"}`},
		{"no_type", `"a":{"x-mcp-header":"A"}`},
		{"in_items", `"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"B"}}}}`},
		{"in_any_of", `"a":{"anyOf":[{"type":"string","x-mcp-header":"A"},{"type":"null"}]}`},
		{"in_additional", `"a":{"type":"object","additionalProperties":{"type":"string","x-mcp-header":"A"}}`},
		{"in_not", `"a":{"type":"object","not":{"properties":{"b":{"type":"string","x-mcp-header":"B"}}}}`},
		{"behind_ref", `"a":{"$ref":"#/$defs/b","$defs":{"b":{"type":"string","x-mcp-header":"B"}}}`},
	} {
		t := mirror
		t.name, t.properties = "bad_"+bad.name, bad.properties
		list = append(list, t)
	}
	return list
}
