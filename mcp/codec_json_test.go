package mcp

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A codable is a pointer to a protocol type.
type codable interface {
	json.Marshaler
	json.Unmarshaler
}

const iconText = `{"src":"https://example.com/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark","x":1}`

const contentTexts = `[
	{"type":"text","text":"a\nb","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2025-01-12T15:00:58Z","x":{}},"_meta":{"k":1},"x":"y"},
	{"type":"image","data":"AAEC","mimeType":"image/png"},
	{"type":"audio","data":"","mimeType":"audio/wav"},
	{"type":"resource_link","uri":"file:///a","name":"a","title":"A","description":"d","mimeType":"text/plain","size":0,"icons":[` + iconText + `]},
	{"type":"resource","resource":{"uri":"file:///a","text":"","_meta":{}}},
	{"type":"resource","resource":{"uri":"file:///b","mimeType":"x/y","blob":"","x":null}},
	{"type":"tool_use","id":"1","name":"echo","input":{"n":12345678901234567890}},
	{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"t"}],"structuredContent":null,"isError":false},
	{"type":"video","frames":[1.0, 2e0]},
	{"type":"text","text":7},
	"bare"
]`

const toolText = `{"name":"t","title":"T","description":"d","inputSchema":{"$schema":"x","type":"object","oneOf":[]},
	"outputSchema":{"type":"object"},"annotations":{"title":"A","readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,
	"openWorldHint":true,"x":1},"execution":{"taskSupport":"optional","x":1},"icons":[` + iconText + `],"_meta":{"a":[]},"x":{"y":null}}`

const resultText = `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}},"x":[1]`

const pageText = `"nextCursor":"","ttlMs":0,"cacheScope":"private",` + resultText

const requestsText = `"inputRequests":{"a":{"method":"roots/list"},"b":{"method":"elicitation/create","params":{"message":"m"},"x":1}}`

// types has, for each protocol type, a text with all of its members.
var types = []struct {
	new  func() codable
	text string
}{
	{func() codable { return new(Implementation) }, `{"name":"n","title":"t","version":"v","description":"d","websiteUrl":"u","icons":[` + iconText + `],"x":1}`},
	{func() codable { return new(Icon) }, iconText},
	{func() codable { return new(Annotations) }, `{"audience":["user","assistant"],"priority":0,"lastModified":"l","x":1}`},
	{func() codable { return new(Result) }, `{` + resultText + `}`},
	{func() codable { return new(Tool) }, toolText},
	{func() codable { return new(ToolAnnotations) }, `{"title":"A","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"x":1}`},
	{func() codable { return new(ToolExecution) }, `{"taskSupport":"required","x":1}`},
	{func() codable { return new(ListToolsResult) }, `{"tools":[` + toolText + `],` + pageText + `}`},
	{func() codable { return new(CallToolResult) }, `{"content":` + contentTexts + `,"structuredContent":{"a":1.50},"isError":true,` + resultText + `}`},
	{func() codable { return new(Content) }, `{"type":"text","text":"","x":1}`},
	{func() codable { return new(ResourceContents) }, `{"uri":"u","mimeType":"m","blob":"AA==","_meta":{},"x":1}`},
	{func() codable { return new(Resource) }, `{"uri":"u","name":"n","title":"t","description":"d","mimeType":"m","size":5,"annotations":{},"icons":[],"_meta":{},"x":1}`},
	{func() codable { return new(ResourceTemplate) }, `{"uriTemplate":"u","name":"n","title":"t","description":"d","mimeType":"m","annotations":{},"icons":[],"_meta":{},"x":1}`},
	{func() codable { return new(ListResourcesResult) }, `{"resources":[{"uri":"u","name":""}],` + pageText + `}`},
	{func() codable { return new(ListResourceTemplatesResult) }, `{"resourceTemplates":[{"uriTemplate":"u","name":"n"}],` + pageText + `}`},
	{func() codable { return new(ReadResourceResult) }, `{"contents":[{"uri":"u","text":"t"}],"ttlMs":1,"cacheScope":"public",` + resultText + `}`},
	{func() codable { return new(Prompt) }, `{"name":"n","title":"t","description":"d","arguments":[{"name":"a","title":"t","description":"d","required":false,"x":1}],"icons":[],"_meta":{},"x":1}`},
	{func() codable { return new(PromptArgument) }, `{"name":"a","required":true}`},
	{func() codable { return new(PromptMessage) }, `{"role":"user","content":{"type":"text","text":"t"},"x":1}`},
	{func() codable { return new(ListPromptsResult) }, `{"prompts":[{"name":"n"}],` + pageText + `}`},
	{func() codable { return new(GetPromptResult) }, `{"description":"d","messages":[{"role":"assistant","content":{"type":"x"}}],` + resultText + `}`},
	{func() codable { return new(clientCapabilities) }, `{"roots":{"listChanged":true},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}},"experimental":{"a":{}},"extensions":{"b/c":{"d":1}}}`},
	{func() codable { return new(TasksCapability) }, `{"list":{}}`},
	{func() codable { return new(ServerCapabilities) }, `{"tools":{"listChanged":true},"resources":{"subscribe":false,"listChanged":false,"x":1},"prompts":{},"completions":{},"logging":{},
		"tasks":{"requests":{"tools":{"call":{}}}},"experimental":{},"extensions":{},"x":1}`},
	{func() codable { return new(ResourcesCapability) }, `{"subscribe":true}`},
	{func() codable { return new(ServerInfo) }, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"v"},"instructions":"i"}`},
	{func() codable { return new(discoverResult) }, `{"supportedVersions":["2026-07-28"],"capabilities":{},"instructions":"i",` + resultText + `}`},
	{func() codable { return new(Progress) }, `{"progressToken":7,"progress":0.25,"total":0,"message":"m","_meta":{},"x":1}`},
	{func() codable { return new(LogMessage) }, `{"level":"alert","logger":"l","data":{"a":[1.0]},"_meta":{},"x":1}`},
	{func() codable { return new(SubscriptionFilter) }, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["u"],"taskIds":["t"],"x":1}`},
	{func() codable { return new(CreateMessageParams) }, `{"messages":[{"role":"user","content":` + contentTexts + `}],"modelPreferences":{},"systemPrompt":"s","includeContext":"none",
		"temperature":0,"maxTokens":0,"stopSequences":["a"],"metadata":{"a":1},"tools":[` + toolText + `],"toolChoice":{"mode":"auto","x":1},"_meta":{},"task":{"ttl":1}}`},
	{func() codable { return new(SamplingMessage) }, `{"role":"user","content":{"type":"text","text":"t"},"_meta":{},"x":1}`},
	{func() codable { return new(CreateMessageResult) }, `{"role":"assistant","content":[],"model":"m","stopReason":"endTurn","_meta":{},"x":1}`},
	{func() codable { return new(ModelPreferences) }, `{"hints":[{"name":"n","x":1},{}],"costPriority":0,"speedPriority":0.5,"intelligencePriority":1,"x":1}`},
	{func() codable { return new(ModelHint) }, `{"name":"n"}`},
	{func() codable { return new(ToolChoice) }, `{"mode":"none"}`},
	{func() codable { return new(Root) }, `{"uri":"file:///","name":"n","_meta":{},"x":1}`},
	{func() codable { return new(listRootsResult) }, `{"roots":[{"uri":"file:///"}]}`},
	{func() codable { return new(ElicitParams) }, `{"mode":"url","message":"m","requestedSchema":{"type":"object"},"url":"u","elicitationId":"e","_meta":{},"x":1}`},
	{func() codable { return new(PrimitiveSchema) }, `{"type":"array","title":"t","description":"d","minLength":0,"maxLength":1,"format":"email","minimum":-1.5,"maximum":2,
		"enum":["a"],"enumNames":["A"],"oneOf":[{"const":"c","title":"C","x":1}],"items":{"type":"string","enum":["e"],"anyOf":[{"const":"c"}],"x":1},"minItems":0,"maxItems":2,"default":["a"],"x":1}`},
	{func() codable { return new(EnumItems) }, `{"anyOf":[]}`},
	{func() codable { return new(EnumOption) }, `{"const":"c","title":"t"}`},
	{func() codable { return new(ElicitResult) }, `{"action":"accept","content":{"s":"x","b":false,"i":-3,"f":1.5,"l":["a","b"],"o":{"x":1},"m":[1]},"_meta":{},"x":1}`},
	{func() codable { return new(Task) }, `{"taskId":"t","status":"failed","statusMessage":"m","createdAt":"c","lastUpdatedAt":"l","ttlMs":1,"pollIntervalMs":2,` +
		requestsText + `,"result":{"content":[]},"error":{"code":-32603,"message":"m","data":[1]},` + resultText + `}`},
	{func() codable { return new(listTasksResult) }, `{"tasks":[{"taskId":"t","status":"completed","createdAt":"","lastUpdatedAt":"","ttl":5}],` + pageText + `}`},
	{func() codable { return new(InputRequest) }, `{"method":"m","params":{"a":1},"x":1}`},
	{func() codable { return new(Reference) }, `{"type":"ref/prompt","name":"n","title":"t","uri":"u","x":1}`},
	{func() codable { return new(CompleteResult) }, `{"completion":{"values":["a"],"total":1,"hasMore":false,"x":1},` + resultText + `}`},
	{func() codable { return new(Completion) }, `{"values":[]}`},
}

func TestTypesKeepEveryMember(t *testing.T) {
	for _, tt := range types {
		v := tt.new()
		name := reflect.TypeOf(v).Elem().Name()
		data := []byte(tt.text)
		if err := v.UnmarshalJSON(data); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		clear(data) // nothing may share memory with it
		out, err := v.MarshalJSON()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !equalJSON(t, out, []byte(tt.text)) {
			t.Errorf("%s:\n got %s\nwant %s", name, out, tt.text)
		}
		if bytes.ContainsAny(out, "\n") {
			t.Errorf("%s: more than one line: %s", name, out)
		}
		again := tt.new()
		if err := again.UnmarshalJSON(out); err != nil || !reflect.DeepEqual(v, again) {
			t.Errorf("%s: reads back as %+v, %v, want %+v", name, again, err, v)
		}
		checkEncodingJSON(t, v, out)
	}
}

// Reading goes on from the field of one member to that of the next, so it
// matters where a member stands, and must not.
func TestMembersInAnyOrder(t *testing.T) {
	for _, tt := range types {
		want := tt.new()
		if err := want.UnmarshalJSON([]byte(tt.text)); err != nil {
			t.Fatal(err)
		}
		var members []string
		r := wire.NewReader([]byte(tt.text))
		for r.Object(); r.More(); {
			key := string(wire.AppendString(nil, string(r.Key())))
			members = append(members, key+": "+string(r.Raw()))
		}
		for range 2 {
			for range members {
				text := "{" + strings.Join(members, ", ") + "}"
				got := tt.new()
				if err := got.UnmarshalJSON([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%T from %s:\n got %+v, %v\nwant %+v", got, text, got, err, want)
				}
				members = append(members[1:], members[0])
			}
			slices.Reverse(members)
		}
	}
}

// checkEncodingJSON makes sure that encoding/json writes the same, for a value
// as for a pointer.
func checkEncodingJSON(t *testing.T, v codable, want []byte) {
	t.Helper()
	value := reflect.ValueOf(v).Elem().Interface()
	for _, v := range []any{v, value} {
		if got, err := json.Marshal([]any{v}); err != nil || !equalJSON(t, got, []byte("["+string(want)+"]")) {
			t.Errorf("%T: encoding/json writes\n%s, %v\nwant\n%s", v, got, err, want)
		}
	}
}

// equalJSON reports whether two texts mean the same to encoding/json.
func equalJSON(t testing.TB, a, b []byte) bool {
	t.Helper()
	var values [2]any
	for i, text := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&values[i]); err != nil {
			t.Errorf("%v: %s", err, text)
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// Every member may be null, which is as good as its absence, and no member may
// have the wrong kind, except within content.
func TestTypesNullMembersAreAbsent(t *testing.T) {
	for _, tt := range types {
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(tt.text), &members); err != nil {
			t.Fatal(err)
		}
		for key := range members {
			if key == "x" || key == "type" {
				continue
			}
			v := tt.new()
			name := reflect.TypeOf(v).Elem().Name()
			if err := v.UnmarshalJSON([]byte(`{"` + key + `":null}`)); err != nil {
				t.Errorf("%s: %s: null: %v", name, key, err)
			}
			want := tt.new()
			switch {
			case key == "data" || key == "task", name == "Content":
			case key == "structuredContent":
				want.(*CallToolResult).StructuredContent = json.RawMessage("null")
				fallthrough
			default:
				if got, ok := v.(*Task); ok {
					got.legacy = false
				}
				if !reflect.DeepEqual(v, want) {
					t.Errorf("%s: %s: null gives %+v", name, key, v)
				}
			}
		}
	}
}

func TestUnmarshalNullChangesNothing(t *testing.T) {
	tool := Tool{Name: "a"}
	if err := json.Unmarshal([]byte("null"), &tool); err != nil || tool.Name != "a" {
		t.Errorf("got %+v, %v", tool, err)
	}
}

func TestRawMembersAreChecked(t *testing.T) {
	for _, tt := range []struct {
		v    json.Marshaler
		want string
	}{
		{Tool{InputSchema: json.RawMessage(`{"a":1}}`)}, "unexpected text"},
		{Tool{InputSchema: json.RawMessage{}}, "end of input"},
		{Tool{Meta: json.RawMessage(`1,"x":2`)}, "unexpected text"},
		{Tool{Extra: map[string]json.RawMessage{"x": nil}}, "end of input"},
		{Tool{Extra: map[string]json.RawMessage{"name": json.RawMessage("1")}}, `"name" occurs twice`},
		{Annotations{Priority: new(float64), Extra: map[string]json.RawMessage{"priority": json.RawMessage("1")}}, `occurs twice`},
		{CallToolResult{Content: []Content{{Text: "a"}}}, "no known type"},
		{CallToolResult{Content: []Content{{Type: "video"}}}, "no known type"},
		{CallToolResult{Content: []Content{{Raw: json.RawMessage(`{`)}}}, "end of input"},
		{SamplingMessage{Content: []Content{{Type: "resource"}}}, "without a resource"},
		{ElicitResult{Content: map[string]any{"a": struct{}{}}}, "no natural form in JSON"},
	} {
		b, err := tt.v.MarshalJSON()
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %s and error %v, want one with %q", tt.v, b, err, tt.want)
		}
	}
}

func TestRawMembersAreCompacted(t *testing.T) {
	tool := Tool{Name: "a\nb", InputSchema: json.RawMessage("{\n\t\"type\": \"object\"\r\n}\n")}
	got, err := tool.MarshalJSON()
	if want := `{"name":"a\nb","inputSchema":{"type":"object"}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestZeroValuesEncodeRequiredMembers(t *testing.T) {
	for _, tt := range []struct {
		v    json.Marshaler
		want string
	}{
		{CallToolResult{}, `{"content":[]}`},
		{ListToolsResult{}, `{"tools":[]}`},
		{listRootsResult{}, `{"roots":[]}`},
		{ReadResourceResult{}, `{"contents":[]}`},
		{GetPromptResult{}, `{"messages":[]}`},
		{CreateMessageResult{}, `{"role":"assistant","content":[],"model":""}`},
		{ServerInfo{}, `{"protocolVersion":"","capabilities":{},"serverInfo":{"name":"","version":""}}`},
		{discoverResult{}, `{"supportedVersions":[],"capabilities":{}}`},
		{CompleteResult{}, `{"completion":{"values":[]}}`},
		{clientCapabilities{}, `{}`},
		{ElicitResult{Action: ElicitDecline}, `{"action":"decline"}`},
		{LogMessage{Level: LevelInfo}, `{"level":"info","data":null}`},
		{Content{Type: ContentText}, `{"type":"text","text":""}`},
		{Content{Type: ContentImage}, `{"type":"image","data":"","mimeType":""}`},
		{Content{Type: ContentToolUse}, `{"type":"tool_use","id":"","name":"","input":{}}`},
		{Content{Type: ContentToolResult}, `{"type":"tool_result","toolUseId":"","content":[]}`},
		{ResourceContents{}, `{"uri":"","text":""}`},
		{Task{}, `{"taskId":"","status":"","createdAt":"","lastUpdatedAt":"","ttlMs":null}`},
		{Reference{Type: RefResource}, `{"type":"ref/resource","uri":""}`},
	} {
		got, err := tt.v.MarshalJSON()
		if err != nil || string(got) != tt.want {
			t.Errorf("%T: got %s, %v, want %s", tt.v, got, err, tt.want)
		}
	}
}

// TestNestedToolResults: the type of content may follow its other members, and looking ahead
// read the innermost of 60 levels 60 times.
func TestNestedToolResults(t *testing.T) {
	read := func(depth int) (res CallToolResult, best time.Duration) {
		text := `{"x":[` + strings.Repeat("{},", 1<<18) + `{}],"type":"text","text":"in"}`
		for range depth {
			text = `{"toolUseId":"1","content":[` + text + `],"type":"tool_result"}`
		}
		best = time.Hour
		for range 3 {
			began := time.Now()
			res = CallToolResult{}
			if err := decodeText([]byte(`{"content":[`+text+`]}`), &res); err != nil {
				t.Fatal(err)
			}
			best = min(best, time.Since(began))
		}
		return res, best
	}
	one, once := read(1)
	many, all := read(60)
	if c := one.Content[0].Content; len(c) != 1 || c[0].Text != "in" {
		t.Errorf("%+v", one)
	}
	if c := many.Content[0].Content; len(c) != 1 || c[0].Type != ContentToolResult || c[0].Raw == nil {
		t.Errorf("%d", len(c))
	}
	if all > 8*once {
		t.Errorf("60 levels take %v, and one takes %v", all, once)
	}
}
