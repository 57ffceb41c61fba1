package servercheck_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/servercheck"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A script is a server that responds to each method with a line, in which $id is the id
// of the request. The line "" means no response. For tools/list, several lines are sent by
// turns.
type script map[string]string

var sound = script{
	"initialize":     `{"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}}`,
	"tools/list":     `{"jsonrpc":"2.0","id":$id,"result":{"tools":[{"name":"t","description":"d","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}],"own":null}}`,
	"tools/list bad": `{"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":"no such cursor"}}`,
	"tools/call":     `{"jsonrpc":"2.0","id":$id,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{"a":null}}}`,
	"tools/call bad": `{"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":"no such tool"}}`,
	"":               `{"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":"no such method"}}`,
}

func (s script) serve(conn net.Conn) {
	d := json.NewDecoder(conn)
	for lists := 0; ; {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Cursor, Name string }
		}
		if d.Decode(&m) != nil {
			return
		}
		if m.ID == nil {
			continue
		}
		key := m.Method
		if strings.HasPrefix(m.Params.Cursor+m.Params.Name, "servercheck") {
			key += " bad"
		}
		line, ok := s[key]
		for _, other := range []string{key, ""} {
			if !ok {
				line, ok = sound[other]
			}
		}
		if key == "tools/list" {
			all := strings.Split(line, "\n")
			line = all[lists%len(all)]
			lists++
		}
		if line != "" {
			if _, err := io.WriteString(conn, strings.ReplaceAll(line, "$id", string(m.ID))+"\n"); err != nil {
				return
			}
		}
	}
}

// run checks the script and returns the findings as lines.
func (s script) run(t *testing.T, o *servercheck.Options) string {
	t.Helper()
	open := func(context.Context) (io.ReadWriteCloser, error) {
		client, server := net.Pipe()
		go func() { s.serve(server); server.Close() }() // ends with the connection
		return client, nil
	}
	_, found, err := servercheck.Run(t.Context(), stdio.Dial(open), o)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, f := range found {
		text += f.String() + "\n"
	}
	return text
}

// TestSoundServer finds nothing, whatever the server adds of its own.
func TestSoundServer(t *testing.T) {
	t.Parallel()
	if found := sound.run(t, callAll()); found != "" {
		t.Error(found)
	}
}

// callAll returns options that call each tool.
func callAll() *servercheck.Options {
	return &servercheck.Options{Arguments: func(*mcp.Tool) mcp.RawMessage { return mcp.RawMessage("{}") }}
}

// TestTolerated finds what the client of this module tolerates and others refuse.
func TestTolerated(t *testing.T) {
	t.Parallel()
	const list = `{"jsonrpc":"2.0","id":$id,"result":{"tools":[` + "TOOL" + `]REST}}`
	of := func(tool, rest string) script {
		return script{"tools/list": strings.NewReplacer("TOOL", tool, "REST", rest).Replace(list)}
	}
	const tool = `{"name":"t","description":"d","inputSchema":{"type":"object"}}`
	refused := func(text string) script { return script{"tools/list bad": text} }
	for want, s := range map[string]script{
		"initialize: the id of the response is not that of the request: it is a string": {
			"initialize": strings.Replace(sound["initialize"], "$id", `"$id"`, 1)},
		"tools/list: the id of the response is not that of the request: the number is written in another way": {
			"tools/list": strings.Replace(sound["tools/list"], "$id", `$id.0`, 1)},
		"tools/list: the response has both a result and an error":         of(tool, `},"error":null,"x":{`),
		`message: it has the member "x", which JSON-RPC does not have`:    of(tool, `},"x":{`),
		"tools/list: nextCursor is null":                                  of(tool, `,"nextCursor":null`),
		"tools/list: tools[] is null":                                     of(tool+",null", ""),
		"tools/list: tools[].title is null":                               of(strings.Replace(tool, "{", `{"title":null,`, 1), ""),
		"tools/list: tools[].outputSchema is null":                        of(strings.Replace(tool, "{", `{"outputSchema":null,`, 1), ""),
		"tools/list: tools[].annotations.readOnlyHint is null":            of(strings.Replace(tool, "{", `{"annotations":{"readOnlyHint":null},`, 1), ""),
		"tools/list: the error is not an object":                          refused(`{"jsonrpc":"2.0","id":$id,"error":"no"}`),
		"tools/list: the error has no number as its code":                 refused(`{"jsonrpc":"2.0","id":$id,"error":{"message":"no"}}`),
		"tools/list: the error has no string as its message":              refused(`{"jsonrpc":"2.0","id":$id,"error":{"code":-32602}}`),
		"message: a response without the id":                              refused(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}`),
		"ping: its params are null":                                       refused(`{"jsonrpc":"2.0","id":"a","method":"ping","params":null}` + "\n" + sound["tools/list bad"]),
		"sampling/createMessage: the server asks for what the client has": refused(`{"jsonrpc":"2.0","id":"a","method":"sampling/createMessage"}` + "\n" + sound["tools/list bad"]),
		"message: clients discard it: response to no pending call":        refused(sound["tools/list bad"] + "\n" + sound["tools/list bad"]),
		"message: clients discard it: text that is not JSON":              refused("listening\n" + sound["tools/list bad"]),
		`tool "t": its result violates its output schema`: {
			"tools/list": strings.Replace(sound["tools/list"], `"inputSchema"`, `"outputSchema":{"type":"object","properties":{"a":{"type":"number"}}},"inputSchema"`, 1)},
		`tool "t": its result violates its output schema: it has no structuredContent`: {
			"tools/list": strings.Replace(sound["tools/list"], `"inputSchema"`, `"outputSchema":{"type":"object"},"inputSchema"`, 1),
			"tools/call": `{"jsonrpc":"2.0","id":$id,"result":{"content":[]}}`},
		`tool "t": its result has structuredContent and no text`: {
			"tools/list": strings.Replace(sound["tools/list"], `"inputSchema"`, `"outputSchema":{"type":"object"},"inputSchema"`, 1),
			"tools/call": `{"jsonrpc":"2.0","id":$id,"result":{"content":[],"structuredContent":{}}}`},
	} {
		found := s.run(t, callAll())
		if n := strings.Count(found, want); n != 1 {
			t.Errorf("%d times %q in\n%s", n, want, found)
		}
	}
}

// TestSchemaTypes: check finds an undefined type wherever a schema may be, and not in data
// that looks like a schema.
func TestSchemaTypes(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`"properties":{"n":{"type":"strng"}}`:                         `tool "t": inputSchema: /properties/n/type is "strng", which is not a type of JSON Schema (did you mean "string"?)`,
		`"properties":{"n":{"type":["null","int"]}}`:                  `/properties/n/type is "int"`,
		`"properties":{"l":{"items":{"anyOf":[{},{"type":"list"}]}}}`: `/properties/l/items/anyOf/type is "list"`,
		`"$defs":{"a":{"additionalProperties":{"type":"dict"}}}`:      `/$defs/a/additionalProperties/type is "dict"`,
		`"properties":{"type":{"type":"string","enum":["strng"]}}`:    "",
		`"default":{"type":"strng"},"properties":{"a":true}`:          "",
	} {
		tool := strings.Replace(sound["tools/list"], `{"type":"object"}`, `{"type":"object",`+schema+`}`, 1)
		if found := (script{"tools/list": tool}).run(t, &servercheck.Options{}); !strings.Contains(found, want) || want == "" && found != "" {
			t.Errorf("%s: %q, want %q", schema, found, want)
		}
	}
}

// TestListsThatChange: a list that differs each time is a finding, and one that changes
// once is not.
func TestListsThatChange(t *testing.T) {
	t.Parallel()
	list := sound["tools/list"]
	other := func(old, new string) string { return strings.Replace(list, old, new, 1) }
	for lists, want := range map[string]string{
		list + "\n" + other(`"name":"t"`, `"name":"u"`):                                "tools/list: other tools are listed with every request",
		list + "\n" + other(`{"type":"object"}`, `{"type":"object","x":1}`):            `tools/list: the inputSchema of the tool "t" is another one with every request`,
		list + "\n" + other(`"description":"d"`, `"description":"e"`):                  "",
		list + strings.Repeat("\n"+other(`"name":"t"`, `"name":"u"`), 9):               "",
		list + "\n" + other(`[{`, `[{"name":"b","description":"","inputSchema":{}},{`): "tools/list: other tools are listed with every request",
	} {
		if found := (script{"tools/list": lists}).run(t, &servercheck.Options{}); !strings.Contains(found, want) || want == "" && found != "" {
			t.Errorf("%q, want %q", found, want)
		}
	}
}

// TestTimeout: silence is a fault, and each limit holds.
func TestTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for limit, want := range map[time.Duration]string{0: "within 10s", 3 * time.Second: "within 3s"} {
			began := time.Now()
			found := script{"tools/list bad": ""}.run(t, &servercheck.Options{Timeout: limit})
			if !strings.Contains(found, want) || time.Since(began) > 15*time.Second {
				t.Errorf("%s after %v", found, time.Since(began))
			}
		}
	})
}

func TestWhatProvidersReject(t *testing.T) {
	tool := `{"jsonrpc":"2.0","id":$id,"result":{"tools":[{"name":"t","description":"d","inputSchema":{"type":"object","properties":{"a b":{"type":"array"}}}}]}}`
	found := (script{"tools/list": tool}).run(t, &servercheck.Options{Providers: []string{"anthropic", "openai"}})
	for _, want := range []string{`tool "t": inputSchema/properties/a b: anthropic rejects names of arguments`, "openai rejects an array without items"} {
		if !strings.Contains(found, want) {
			t.Errorf("%s\nwant %s", found, want)
		}
	}
	if found := (script{"tools/list": tool}).run(t, &servercheck.Options{}); strings.Contains(found, "rejects") {
		t.Errorf("without providers: %s", found)
	}
}
