package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// exampleTypes has the kinds of examples whose types have other names here.
var exampleTypes = []struct {
	new   func() codable
	kinds string
}{
	{func() codable { return new(Content) }, "AudioContent EmbeddedResource ImageContent ResourceLink TextContent ToolResultContent ToolUseContent"},
	{func() codable { return new(CreateMessageParams) }, "CreateMessageRequest CreateMessageRequestParams"},
	{func() codable { return new(ElicitParams) }, "ElicitRequest ElicitRequestFormParams ElicitRequestURLParams"},
	{func() codable { return new(LogMessage) }, "LoggingMessageNotification LoggingMessageNotificationParams"},
	{func() codable { return new(PrimitiveSchema) }, "BooleanSchema NumberSchema StringSchema TitledMultiSelectEnumSchema TitledSingleSelectEnumSchema UntitledMultiSelectEnumSchema UntitledSingleSelectEnumSchema"},
	{func() codable { return new(Progress) }, "ProgressNotification ProgressNotificationParams"},
	{func() codable { return new(ResourceContents) }, "BlobResourceContents TextResourceContents"},
	{func() codable { return new(Result) }, "SubscriptionsListenResult"},
	{func() codable { return new(SubscriptionFilter) }, "SubscriptionsAcknowledgedNotification SubscriptionsListenRequest"},
}

// examplesLeftOut has the kinds of examples that no type stands for.
var examplesLeftOut = []struct{ why, kinds string }{
	{"params that the client writes without a type", "CallToolRequest CallToolRequestParams CompleteRequest CompleteRequestParams DiscoverRequest GetPromptRequest GetPromptRequestParams " +
		"ListPromptsRequest ListResourceTemplatesRequest ListResourcesRequest ListToolsRequest PaginatedRequestParams ReadResourceRequest"},
	{"a map of the answers of handlers, which have types", "InputResponses"},
	{"the client reads a part of them, without a type for the whole", "CancelledNotification CancelledNotificationParams InputRequests InputRequiredResult ResourceUpdatedNotification ResourceUpdatedNotificationParams"},
	{"they say nothing but that they came", "ListRootsRequest PromptListChangedNotification ResourceListChangedNotification ToolListChangedNotification"},
	{"errors are the business of package jsonrpc", "HeaderMismatchError InternalError InvalidParamsError MethodNotFoundError MissingRequiredClientCapabilityError ParseError UnsupportedProtocolVersionError"},
}

// TestSpecExamples reads the example messages of the specification
// (schema/2026-07-28/examples in its repository).
func TestSpecExamples(t *testing.T) {
	dir := os.Getenv("STDMCP_SPEC_EXAMPLES")
	if dir == "" {
		t.Skip("not run: STDMCP_SPEC_EXAMPLES does not name the folder of the specification's examples")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no examples in ", dir, err)
	}
	read, without := 0, 0
	for _, file := range files {
		kind := filepath.Base(filepath.Dir(file))
		v := exampleType(kind)
		if v == nil {
			without++
			if !exampleLeftOut(kind) {
				t.Errorf("%s: no type, and no word why", kind)
			}
			continue
		}
		read++
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = examplePart(t, text)
		if err := v.UnmarshalJSON(text); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got, err := v.MarshalJSON()
		if err != nil || !equalJSON(t, got, text) {
			t.Errorf("%s:\n got %s, %v\nwant %s", file, got, err, text)
		}
		if c, ok := v.(*Content); ok && c.Raw != nil {
			t.Errorf("%s: not understood", file)
		}
	}
	t.Logf("%d examples read, %d left out", read, without)
}

func exampleLeftOut(kind string) bool {
	for _, l := range examplesLeftOut {
		if slices.Contains(strings.Fields(l.kinds), kind) {
			return true
		}
	}
	return false
}

func exampleType(kind string) codable {
	kind = strings.TrimSuffix(kind, "Response")
	for _, e := range exampleTypes {
		if slices.Contains(strings.Fields(e.kinds), kind) {
			return e.new()
		}
	}
	for _, tt := range types {
		if v := tt.new(); strings.EqualFold(reflect.TypeOf(v).Elem().Name(), kind) {
			return v
		}
	}
	return nil
}

// examplePart returns the part of an example that a type stands for.
func examplePart(t *testing.T, text json.RawMessage) json.RawMessage {
	for _, key := range []string{"params", "result", "notifications"} {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			t.Fatal(err)
		}
		if part := members[key]; part != nil {
			text = part
		}
	}
	return text
}
