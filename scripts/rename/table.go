package main

import "strings"

const module = "github.com/stdmcp/stdmcp"

// A kind tells what a rule changes besides the name.
type kind int

const (
	name       kind = iota // only the name
	addContext             // a call takes a context first
	callback               // a function that the program sets takes a context first
	slice                  // a field of one value is a slice of its type
	literal                // a call or conversion is a composite literal with one field
	argument               // a call takes another argument first
	signature              // functions with this one parameter take a context first
	importPath             // a package has moved
	result                 // a function that the program sets returns another type than string first
	index                  // a call returns a struct with a map of what its last argument names
	manual                 // reported, as it has no mechanical equivalent
)

// A rule is a line of the table of renames.
type rule struct {
	kind kind
	pkg  string // the package's path below the module
	typ  string // the type of a method or a field; empty for the package level
	old  string
	new  string // empty for manual if there is none

	// params is the number of parameters of the old function or call; the rule
	// applies only to it, so that it applies once.
	params int

	with string // the field of a literal, the element of a slice, the first argument
	note string // for readers of the table

	word  bool // the old name alone is distinctive in text
	block bool // no other method has the old name, in the code of documents
}

// rules is the table of renames from 0.1 to 1.0.
var rules = []rule{
	{pkg: "mcp", old: "Refresh", new: "WithoutCache"},
	{pkg: "mcp", old: "Value", new: "DecodeValue"},
	{pkg: "mcp", old: "HandlerFunc", new: "HandleRequest", word: true},
	{kind: argument, pkg: "mcp", old: "NotificationFunc", new: "HandleNotification", with: `""`, word: true,
		note: "the first argument is the method; empty for all"},
	{kind: literal, pkg: "mcp", old: "Roots", new: "Roots", with: "List"},
	{kind: literal, pkg: "mcp", old: "Changes", new: "Changes", with: "Changed", params: 1,
		note: "the function takes a context first, for `host.ServerOf`"},
	{kind: result, pkg: "mcp", typ: "Elicitation", old: "OpenURL", new: "OpenURL", with: "ElicitAction",
		note: "as does a function or method of the program"},
	{kind: slice, pkg: "mcp", typ: "Options", old: "Intercept", new: "Interceptors", with: "Interceptor",
		note: "the first is the outermost"},
	{kind: manual, pkg: "mcp", typ: "Client", old: "Extension", note: "`Server().Capabilities.Extensions[name]`"},
	{kind: manual, pkg: "mcp", typ: "Client", old: "Failed", note: "a `*mcp.CallError` whose Server is `client.Name()`"},
	{kind: callback, pkg: "mcp", typ: "Trace", old: "Message", new: "Message", params: 2},
	{kind: callback, pkg: "mcp", typ: "Trace", old: "Discarded", new: "Discarded", params: 2},
	{kind: callback, pkg: "mcp", typ: "Trace", old: "Retry", new: "Retry", params: 2},
	{kind: callback, pkg: "mcp", typ: "Trace", old: "Reconnect", new: "Reconnect", params: 2},
	{kind: callback, pkg: "mcp", typ: "Trace", old: "SessionLost", new: "SessionLost", params: 1},
	{kind: callback, pkg: "mcp", typ: "Trace", old: "EraChosen", new: "EraChosen", params: 1},
	{kind: callback, pkg: "mcp", typ: "Trace", old: "HandlerPanic", new: "HandlerPanic", params: 2},

	{kind: addContext, pkg: "mcp/jsonschema", old: "Compile", new: "Compile", params: 1},
	{pkg: "mcp/jsonschema", old: "CompileContext", new: "Compile", word: true},
	{kind: addContext, pkg: "mcp/jsonschema", typ: "Schema", old: "Validate", new: "Validate", params: 1},
	{pkg: "mcp/jsonschema", typ: "Schema", old: "ValidateContext", new: "Validate", word: true},

	{pkg: "mcp/oauth", old: "Header", new: "StaticHeader"},

	{pkg: "mcp/host", typ: "Host", old: "Agent", new: "View", block: true},
	{pkg: "mcp/host", typ: "View", old: "Agent", new: "View"},
	{pkg: "mcp/host", typ: "ServerStatus", old: "Status", new: "Word"},
	{pkg: "mcp/host", old: "Configuration", new: "CategoryConfiguration"},
	{pkg: "mcp/host", old: "Connection", new: "CategoryConnection"},
	{pkg: "mcp/host", old: "Authentication", new: "CategoryAuthentication"},
	{pkg: "mcp/host", old: "ToolCategory", new: "CategoryTool", word: true},
	{pkg: "mcp/host", old: "Protocol", new: "CategoryProtocol"},
	{pkg: "mcp/host", old: "Resource", new: "CategoryResource"},
	{kind: signature, pkg: "mcp/host", typ: "DialParams", old: "Dialer", new: "Dialer", with: "mcp.Transport"},
	{kind: manual, pkg: "mcp/host", typ: "Host", old: "Enable", new: "Connect",
		note: "SetEnabled(name, true), then Connect(ctx, name), which waits"},
	{kind: index, pkg: "mcp/host", typ: "Host", old: "RefreshTools", new: "Refresh", with: "Errors", params: 2,
		note: "`Refresh(ctx, name).Errors[name]`"},
	{kind: manual, pkg: "mcp/host", typ: "Tool", old: "Run", new: "Execute",
		note: "returns the text and an error, whose text is for the model"},
	{kind: manual, pkg: "mcp/host", typ: "Options", old: "Event",
		note: "`for e := range h.Events(ctx)` in a goroutine; call Events before SetServers"},
	{pkg: "mcp/host", typ: "Options", old: "NameTool", new: "Naming", word: true,
		note: "a name that is invalid or taken ends with a hash"},
	{kind: manual, pkg: "mcp/host", typ: "Naming", old: "Name", note: "a Naming is a function: `host.ServerTool(server, tool)`"},
	{kind: manual, pkg: "mcp/host", typ: "SearchOptions", old: "Match", new: "Match", params: 3,
		note: "the function takes a context first and returns an error, too"},

	{kind: manual, pkg: "mcp/host/config", old: "Match", note: "internal; `config.Filter.Allows` and `host.Rules` match globs"},
	{kind: manual, pkg: "mcp/host/config", old: "MatchAny", note: "internal"},
	{kind: manual, pkg: "mcp/host/config", old: "MatchText", note: "internal"},
	{kind: manual, pkg: "mcp/host", old: "BlockText", note: "`host.Text` of a result with this block alone"},
	{kind: manual, pkg: "mcp/host/config", typ: "Server", old: "SameConnection", note: "internal; `config.Server.Equal` compares settings"},
	{kind: manual, pkg: "mcp/host/config", typ: "Server", old: "Identity", note: "internal"},
	{kind: manual, pkg: "mcp/host", typ: "Host", old: "Note", note: "internal"},
	{kind: manual, pkg: "mcp/host", typ: "Host", old: "SetNote", note: "internal"},
	{kind: importPath, pkg: "mcp/host/skills", old: "skills", new: "mcp/host/skillset"},
}

// find returns the rule for a name of a package, or of a type in it.
func find(path, typ, old string) *rule {
	path, ok := strings.CutPrefix(strings.TrimSuffix(path, "_test"), module+"/")
	if !ok {
		return nil
	}
	for i := range rules {
		r := &rules[i]
		if r.pkg == path && r.typ == typ && r.old == old && r.kind != importPath && r.kind != signature {
			return r
		}
	}
	return nil
}

// path returns the import path of the rule's package.
func (r *rule) path() string { return module + "/" + r.pkg }

// markdown returns the table for readers.
func markdown() string {
	var b strings.Builder
	b.WriteString("| 0.1 | 1.0 | |\n|---|---|---|\n")
	for _, r := range rules {
		base := r.pkg[strings.LastIndexByte(r.pkg, '/')+1:]
		before, after := base+"."+r.qualified(r.old), base+"."+r.qualified(r.new)
		switch {
		case r.kind == importPath:
			before, after = "package "+r.pkg, "package "+r.new
		case r.new == "":
			after = ""
		case r.kind == addContext:
			before, after = before+"(…)", after+"(ctx, …)"
		case r.kind == argument:
			before, after = before+"(…)", after+"("+r.with+", …)"
		case r.kind == literal:
			before, after = before+"(f)", after+"{"+r.with+": f}"
		case r.kind == slice:
			before, after = before+": f", after+": []"+base+"."+r.with+"{f}"
		case r.kind == result:
			before, after = before+" func(…) (string, error)", after+" func(…) ("+base+"."+r.with+", error)"
		case r.kind == callback, r.kind == signature:
			before, after = before+" func(…)", after+" func(ctx, …)"
		}
		if after == "" {
			after = "–"
		} else {
			after = "`" + after + "`"
		}
		b.WriteString("| `" + before + "` | " + after + " | " + r.note + " |\n")
	}
	return b.String()
}

func (r *rule) qualified(name string) string {
	if r.typ == "" || r.kind == signature {
		return name
	}
	return r.typ + "." + name
}
