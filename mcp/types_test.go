package mcp

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func unmarshal[T any, P interface {
	*T
	json.Unmarshaler
}](t testing.TB, text string) *T {
	t.Helper()
	v := new(T)
	if err := P(v).UnmarshalJSON([]byte(text)); err != nil {
		t.Fatalf("%T: %v\n%s", v, err, text)
	}
	return v
}

func TestToolFields(t *testing.T) {
	yes, no := true, false
	got := unmarshal[Tool](t, toolText)
	want := &Tool{
		Name: "t", Title: "T", Description: "d",
		InputSchema:  json.RawMessage(`{"$schema":"x","type":"object","oneOf":[]}`),
		OutputSchema: json.RawMessage(`{"type":"object"}`),
		Annotations: &ToolAnnotations{
			Title: "A", ReadOnlyHint: &no, DestructiveHint: &yes, IdempotentHint: &no, OpenWorldHint: &yes,
			Extra: map[string]json.RawMessage{"x": json.RawMessage("1")},
		},
		Execution: &ToolExecution{TaskSupport: "optional", Extra: map[string]json.RawMessage{"x": json.RawMessage("1")}},
		Icons: []Icon{{
			Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48", "any"}, Theme: "dark",
			Extra: map[string]json.RawMessage{"x": json.RawMessage("1")},
		}},
		Meta:  json.RawMessage(`{"a":[]}`),
		Extra: map[string]json.RawMessage{"x": json.RawMessage(`{"y":null}`)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// Schemas, structured content and _meta stay as they came, to the byte.
func TestRawMembersKeepEveryByte(t *testing.T) {
	const raw = `{"n": 12345678901234567890.10e+1, "s":"\u0041\/",  "dup":1,"dup":2, "é": null}`
	tool := unmarshal[Tool](t, `{"name":"a","inputSchema":`+raw+`,"outputSchema":`+raw+`,"_meta":`+raw+`,"other":`+raw+`}`)
	res := unmarshal[CallToolResult](t, `{"structuredContent":`+raw+`,"content":[{"type":"new","x":`+raw+`}]}`)
	for _, got := range []json.RawMessage{tool.InputSchema, tool.OutputSchema, tool.Meta, tool.Extra["other"], res.StructuredContent} {
		if string(got) != raw {
			t.Errorf("got %s, want %s", got, raw)
		}
	}
	for _, v := range []json.Marshaler{tool, res} {
		if out, err := v.MarshalJSON(); err != nil || !strings.Contains(string(out), raw) {
			t.Errorf("written as %s, %v", out, err)
		}
	}
}

func TestKeysAreCaseSensitive(t *testing.T) {
	tool := unmarshal[Tool](t, `{"Name":"evil","name":"good","NAME":"evil","name\u0000":"evil"}`)
	if tool.Name != "good" || len(tool.Extra) != 3 {
		t.Errorf("got %+v", tool)
	}
	if err := new(Tool).UnmarshalJSON([]byte(`{"name":"a","n\u0061me":"b"}`)); err == nil {
		t.Error("a key that occurs twice was taken")
	}
}

func TestContentNeverFailsItsResult(t *testing.T) {
	for _, tt := range []struct{ block, kind string }{
		{`{"type":"video","url":"u"}`, "video"},
		{`{"type":"text","text":7}`, "text"},
		{`{"type":"text","text":"a","text":"b"}`, "text"},
		{`{"text":"a","annotations":[1],"type":"text"}`, "text"},
		{`{"type":"image","data":{},"mimeType":"a"}`, "image"},
		{`{"type":"resource"}`, "resource"},
		{`{"type":"resource","resource":null}`, "resource"},
		{`{"type":"resource","resource":{"uri":1}}`, "resource"},
		{`{"type":"resource_link","uri":"u","size":"big"}`, "resource_link"},
		{`{"type":7,"text":"a"}`, ""},
		{`{"type":null}`, ""},
		{`{"Type":"text","text":"a"}`, ""},
		{`{ }`, ""},
		{`"text"`, ""},
		{`17.0`, ""},
		{`["text"]`, ""},
	} {
		res := unmarshal[CallToolResult](t, `{"content":[{"type":"text","text":"before"},null,`+tt.block+`,{"text":"after","type":"text"}]}`)
		if got := res.Text(); got != "before\nafter" || len(res.Content) != 3 {
			t.Errorf("%s: text %q, content %+v", tt.block, got, res.Content)
			continue
		}
		if got := res.Content[1]; !reflect.DeepEqual(got, Content{Type: ContentType(tt.kind), Raw: json.RawMessage(tt.block)}) {
			t.Errorf("%s: got %+v", tt.block, got)
		}
		out, err := res.MarshalJSON()
		if want := `{"content":[{"type":"text","text":"before"},` + tt.block + `,{"type":"text","text":"after"}]}`; err != nil || string(out) != want {
			t.Errorf("%s: written as %s, %v", tt.block, out, err)
		}
	}
	for _, block := range []string{`{"type":"text"`, `{"type":"video","a":}`, `{"type":"text","text":"\ud800"}`, "{\"type\":\"video\",\"a\":\"\xff\"}"} {
		if err := new(CallToolResult).UnmarshalJSON([]byte(`{"content":[` + block + `]}`)); err == nil {
			t.Errorf("%s: no error", block)
		}
	}
}

// TestUnmarshalIntoAValue: absent members and null change nothing, as with
// encoding/json and a struct, but a Content has the members of its type only.
func TestUnmarshalIntoAValue(t *testing.T) {
	icon := Icon{Src: "old", Theme: "dark"}
	for text, want := range map[string]Icon{"null": icon, `{"src":"new"}`: {Src: "new", Theme: "dark"}} {
		got := icon
		if err := json.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	content := Content{Type: "video", Raw: json.RawMessage(`{"type":"video"}`)}
	if err := content.UnmarshalJSON([]byte(`{"type":"text","text":"t"}`)); err != nil || !reflect.DeepEqual(content, TextContent("t")) {
		t.Errorf("got %+v, %v", content, err)
	}
	if err := content.UnmarshalJSON([]byte(`{"type":"image","data":"AA=="}`)); err != nil || content.Text != "" {
		t.Errorf("got %+v, %v", content, err)
	}
	if err := content.UnmarshalJSON([]byte(`{"type":"image"`)); err == nil {
		t.Errorf("no error, %+v", content)
	}
}

func TestContentBytes(t *testing.T) {
	res := unmarshal[CallToolResult](t, `{"content":`+contentTexts+`}`)
	if b, err := res.Content[1].Bytes(); err != nil || string(b) != "\x00\x01\x02" {
		t.Errorf("image: %v, %v", b, err)
	}
	bad := Content{Type: ContentImage, Data: "%"}
	if _, err := bad.Bytes(); err == nil {
		t.Error("bad base64: no error")
	}
	text, blob := res.Content[4].Resource, res.Content[5].Resource
	if b, err := text.Bytes(); text.IsBlob || err != nil || string(b) != "" {
		t.Errorf("text resource: %+v, %v, %v", text, b, err)
	}
	if b, err := blob.Bytes(); !blob.IsBlob || err != nil || string(b) != "" {
		t.Errorf("blob resource: %+v, %v, %v", blob, b, err)
	}
}

func TestMissingAndNullListsAreEmpty(t *testing.T) {
	for _, text := range []string{`{}`, `{"content":null}`, `{"content":[]}`, `{"content":[null]}`, `[]`} {
		if res := unmarshal[CallToolResult](t, text); len(res.Content) != 0 || res.Text() != "" {
			t.Errorf("%s: %+v", text, res)
		}
	}
	for _, text := range []string{`{}`, `{"tools":null}`, `{"tools":[null,null]}`} {
		if res := unmarshal[ListToolsResult](t, text); len(res.Tools) != 0 || res.bad != nil {
			t.Errorf("%s: %+v", text, res)
		}
	}
}

func TestInvalidItemsAreLeftOutAndReported(t *testing.T) {
	res := unmarshal[ListToolsResult](t, `{"tools":[{"name":"a"},{"name":7},null,{"name":["b"]},
		"c",{"description":"nameless"},{"name":"d","icons":[{"src":"s","sizes":"any"}]},{"name":"e","name":"f"}],"nextCursor":""}`)
	var names, problems []string
	for _, tool := range res.Tools {
		names = append(names, tool.Name)
	}
	for _, err := range res.bad {
		problems = append(problems, err.Error())
	}
	if got := strings.Join(names, " "); got != "a d" {
		t.Errorf("got the tools %s", got)
	}
	for i, want := range []string{
		"tools[1] left out: JSON: want a string, got a number",
		"tools[3] left out: JSON: want a string, got an array",
		"tools[4] left out: JSON: want an object, got a string",
		"tools[5] left out: it has no name or URI",
		`tools[7] left out: JSON: key "name" occurs twice`,
	} {
		if i >= len(problems) || !strings.HasPrefix(problems[i], want) {
			t.Errorf("problem %d: want %s, got %q", i, want, problems)
		}
	}
	if res.NextCursor == nil || *res.NextCursor != "" {
		t.Errorf("next cursor %v, want an empty one", res.NextCursor)
	}
	if got := res.Tools[1].Icons[0].Sizes; !reflect.DeepEqual(got, []string{"any"}) {
		t.Errorf("a size that is not a list gives %q", got)
	}
	if err := new(ListToolsResult).UnmarshalJSON([]byte(`{"tools":[{"name":7},{"name":"\ud800"}]}`)); err == nil {
		t.Error("text that is not JSON was taken for a bad item")
	}
}

// Servers in PHP write an empty object as an empty array.
func TestEmptyArraysAreEmptyObjects(t *testing.T) {
	res := unmarshal[ServerInfo](t, `{"protocolVersion":"2024-11-05","capabilities":{"tools":[],"logging":[],"experimental":[]},"serverInfo":{"name":"n","version":"1"},"_meta":[]}`)
	if c := res.Capabilities; c.Tools == nil || c.Resources != nil || c.Logging == nil || c.Experimental == nil {
		t.Errorf("got %+v", c)
	}
	if c := unmarshal[ServerInfo](t, `{"capabilities":{"tools":[1],"prompts":true}}`).Capabilities; c.Tools == nil || c.Prompts == nil || c.Tools.ListChanged != nil {
		t.Errorf("a capability that is not an object gives %+v", c)
	}
}

func TestToolAnnotationDefaults(t *testing.T) {
	for _, tt := range []struct {
		text                                         string
		readOnly, destructive, idempotent, openWorld bool
	}{
		{`{"name":"a"}`, false, true, false, true},
		{`{"name":"a","annotations":{}}`, false, true, false, true},
		{`{"name":"a","annotations":{"readOnlyHint":true}}`, true, false, true, true},
		{`{"name":"a","annotations":{"readOnlyHint":true,"destructiveHint":true,"idempotentHint":false}}`, true, false, true, true},
		{`{"name":"a","annotations":{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`, false, false, true, false},
	} {
		a := unmarshal[Tool](t, tt.text).Annotations
		if a.ReadOnly() != tt.readOnly || a.Destructive() != tt.destructive || a.Idempotent() != tt.idempotent || a.OpenWorld() != tt.openWorld {
			t.Errorf("%s: read-only %t, destructive %t, idempotent %t, open world %t",
				tt.text, a.ReadOnly(), a.Destructive(), a.Idempotent(), a.OpenWorld())
		}
	}
}

func TestToolDisplayName(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"n"}`:                             "n",
		`{"name":"n","annotations":{}}`:            "n",
		`{"name":"n","annotations":{"title":"a"}}`: "a",
		toolText: "T",
	} {
		if got := unmarshal[Tool](t, text).DisplayName(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestServerInfoOfResult(t *testing.T) {
	for text, want := range map[string]string{
		`{` + resultText + `}`: "s",
		`{}`:                   "",
		`{"_meta":{"a":1}}`:    "",
		`{"_meta":7}`:          "",
		`{"_meta":{"io.modelcontextprotocol/serverInfo":[1]}}`: "",
	} {
		if got := unmarshal[discoverResult](t, text).result.ServerInfo(); got.Name != want {
			t.Errorf("%s: got %+v", text, got)
		}
	}
}

func TestProgressToken(t *testing.T) {
	for text, want := range map[string]string{
		`{"progressToken":7,"progress":1}`:    `7`,
		`{"progressToken":"a1","progress":1}`: `"a1"`,
		`{"progress":1}`:                      ``,
	} {
		if got := unmarshal[Progress](t, text).token.String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{`{"progressToken":[]}`, `{"progress":1e999}`, `{"progress":"1"}`} {
		if err := new(Progress).UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

func TestSamplingContentIsObjectOrList(t *testing.T) {
	const block = `{"type":"text","text":"t"}`
	for text, want := range map[string]string{
		block:                           block,
		`[` + block + `]`:               block,
		`[` + block + `,` + block + `]`: `[` + block + `,` + block + `]`,
		`[]`:                            `[]`,
		`null`:                          `[]`,
		`"odd"`:                         `"odd"`,
	} {
		m := unmarshal[SamplingMessage](t, `{"role":"user","content":`+text+`}`)
		if got, err := m.MarshalJSON(); err != nil || string(got) != `{"role":"user","content":`+want+`}` {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
}

func TestTaskEncodings(t *testing.T) {
	for _, tt := range []struct {
		text string
		ttl  int64
	}{
		{`{"taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"l","ttl":60000,"pollInterval":5000}`, 60000},
		{`{"taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"l","ttl":null,"pollInterval":5000}`, -1},
		{`{"taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"l","ttlMs":60000,"pollIntervalMs":5000}`, 60000},
		{`{"taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"l","ttlMs":null,"pollIntervalMs":5000}`, -1},
	} {
		task := unmarshal[Task](t, tt.text)
		if (task.TTLMs == nil) != (tt.ttl < 0) || task.TTLMs != nil && *task.TTLMs != tt.ttl || *task.PollIntervalMs != 5000 {
			t.Errorf("%s: got %+v", tt.text, task)
		}
		if got, err := task.MarshalJSON(); err != nil || string(got) != tt.text {
			t.Errorf("%s: got %s, %v", tt.text, got, err)
		}
	}
}

func TestTasksCapabilitySupports(t *testing.T) {
	c := unmarshal[ServerCapabilities](t, `{"tasks":{"requests":{"tools":{"call":{}}}}}`)
	if !c.Tasks.Supports("tools/call") || c.Tasks.Supports("tools/list") || c.Tasks.Supports("sampling/createMessage") || c.Tasks.Supports("tools") {
		t.Errorf("got %+v", c.Tasks)
	}
	if c.Tasks = nil; c.Tasks.Supports("tools/call") {
		t.Error("a server without the capability supports it")
	}
}

func TestFormFields(t *testing.T) {
	p := unmarshal[ElicitParams](t, `{"message":"m","requestedSchema":{"$schema":"s","type":"object","required":["z","c"],"properties":{
		"z":{"type":"string","default":"d"},
		"a":{"type":"string","enum":["x","y"],"enumNames":["X"]},
		"b":{"type":"string","oneOf":[{"const":"x","title":"X"}]},
		"c":{"type":"array","items":{"type":"string","enum":["x"]},"default":["x"]},
		"d":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}},
		"e":{"type":"integer","minimum":1}}}}`)
	fields, err := p.Fields()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range fields {
		s := f.Name + " " + f.Schema.Type + " " + strconv.FormatBool(f.Required)
		for _, o := range f.Schema.Choices() {
			s += " " + o.Const + "=" + o.Title
		}
		got = append(got, s+" "+string(f.Schema.Default))
	}
	want := []string{`z string true "d"`, "a string false x=X y=y ", "b string false x=X ", `c array true x=x ["x"]`, "d array false x=X ", "e integer false "}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	for _, schema := range []string{`7`, `{"properties":{"a":true}}`, `{"properties":{"a":{"type":["string"]}}}`} {
		if _, err := (&ElicitParams{RequestedSchema: json.RawMessage(schema)}).Fields(); err == nil {
			t.Errorf("%s: no error", schema)
		}
	}
	if fields, err := new(ElicitParams).Fields(); fields != nil || err != nil {
		t.Errorf("no schema: %v, %v", fields, err)
	}
}

func TestElicitResultValues(t *testing.T) {
	got := unmarshal[ElicitResult](t, `{"action":"accept","content":{"s":"x","b":true,"i":9007199254740993,"f":0.5,"l":["a"],"m":[1],"n":null,"h":1e999}}`).Content
	want := map[string]any{
		"s": "x", "b": true, "i": int64(9007199254740993), "f": 0.5, "l": []string{"a"},
		"m": json.RawMessage("[1]"), "n": json.RawMessage("null"), "h": json.RawMessage("1e999"),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

// TestListsHoldPointers also covers a nil among them, which is not written.
func TestListsHoldPointers(t *testing.T) {
	var tools ListToolsResult
	if err := tools.UnmarshalJSON([]byte(`{"tools":[{"name":"a"},null,{"name":"b"}]}`)); err != nil {
		t.Fatal(err)
	}
	list := append(tools.Tools, nil)
	if b, err := (ListToolsResult{Tools: list}).MarshalJSON(); string(b) != `{"tools":[{"name":"a"},{"name":"b"}]}` {
		t.Errorf("%s, %v", b, err)
	}
	if b, err := (CreateMessageParams{Tools: list}).MarshalJSON(); !strings.Contains(string(b), `"tools":[{"name":"a"},{"name":"b"}]`) {
		t.Errorf("%s, %v", b, err)
	}
}

// TestDescriptionsOfAnotherType: what only describes an item fails no item. Some servers
// write booleans as strings, several lines as a list, and the URL of an icon as a string.
func TestDescriptionsOfAnotherType(t *testing.T) {
	res := unmarshal[ListToolsResult](t, `{"tools":[
		{"name":"a","title":5,"description":["one","two"],"icons":"https://example.com/a.png","annotations":{"readOnlyHint":"true","openWorldHint":0,"title":[]},"execution":true},
		{"icons":[{"src":"s"},"t"],"annotations":"x","name":"b"},
		{"name":"c","icons":[{"mimeType":1,"src":"s","sizes":["1x1",2],"theme":{}},{"src":"t","sizes":"any","mimeType":"image/png"}]}]}`)
	if len(res.Tools) != 3 || res.bad != nil {
		t.Fatalf("%v left out", res.bad)
	}
	a, b := res.Tools[0], res.Tools[1]
	if a.Name != "a" || a.Title != "" || a.Description != "" || a.Icons != nil || !a.Annotations.ReadOnly() || a.Annotations.OpenWorldHint != nil || a.Execution != nil {
		t.Errorf("%+v, annotations %+v", a, a.Annotations)
	}
	if b.Name != "b" || b.Icons != nil || b.Annotations != nil {
		t.Errorf("%+v", b)
	}
	if want := []Icon{{Src: "s"}, {Src: "t", Sizes: []string{"any"}, MIMEType: "image/png"}}; !reflect.DeepEqual(res.Tools[2].Icons, want) {
		t.Errorf("%+v", res.Tools[2].Icons)
	}
	info := unmarshal[ServerInfo](t, `{"protocolVersion":"2025-06-18","capabilities":{},"instructions":["a"],"serverInfo":{"name":"x","version":"1","title":[],"icons":{}}}`)
	if info.Name != "x" || info.Version != "1" || info.Instructions != "" {
		t.Errorf("%+v", info)
	}
}

// TestContentsInAnyOrder: one of text and blob may be null.
func TestContentsInAnyOrder(t *testing.T) {
	for _, text := range []string{`{"uri":"a:","text":null,"blob":"aGk="}`, `{"blob":"aGk=","text":null,"uri":"a:"}`, `{"text":null,"mimeType":5,"blob":"aGk="}`} {
		c := unmarshal[ResourceContents](t, text)
		if b, err := c.Bytes(); !c.IsBlob || string(b) != "hi" || err != nil {
			t.Errorf("%s: %+v, %q, %v", text, c, b, err)
		}
	}
}

func TestFieldsThatMayBeNull(t *testing.T) {
	p := unmarshal[ElicitParams](t, `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":["string","null"],"title":null},"b":{"type":["null","integer"],"title":7}}}}`)
	fields, err := p.Fields()
	if err != nil || len(fields) != 2 || fields[0].Schema.Type != "string" || fields[1].Schema.Type != "integer" {
		t.Errorf("%+v, %v", fields, err)
	}
}
