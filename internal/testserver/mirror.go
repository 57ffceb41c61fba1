package testserver

// mirror is a tool whose arguments HTTP repeats in headers (2026-07-28
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
