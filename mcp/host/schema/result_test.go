package schema_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

// png is the header of an image with a side of some pixels.
func png(width int) string {
	return "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + string([]byte{0, 0, byte(width >> 8), byte(width), 0, 0, 0, 1, 8, 0, 0, 0, 0})
}

const (
	jpeg = "\xff\xd8\xff\xe0\x00\x04\x00\x00\xff\xc0\x00\x0b\x08\x00\x10\x23\x28\x01\x01"
	gif  = "GIF89a\x01\x00\x01\x00"
	webp = "RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x0f\x00\x00\x0f\x00\x00"
)

func TestImagesAreNormalized(t *testing.T) {
	std := base64.StdEncoding.EncodeToString
	small, small16 := std([]byte(png(16))), strings.Replace(jpeg, "\x23\x28", "\x00\x10", 1)
	for name, test := range map[string]struct{ mime, data, want string }{
		"as they are":  {"image/png", small, "image/png " + small},
		"a URL":        {"image/png", "data:image/png;base64," + small, "image/png " + small},
		"the alphabet": {"image/webp", base64.RawURLEncoding.EncodeToString([]byte(webp + "\xfb\xff")), "image/webp " + std([]byte(webp+"\xfb\xff"))},
		"lines":        {"image/gif", std([]byte(gif))[:8] + "\r\n" + std([]byte(gif))[8:], "image/gif " + std([]byte(gif))},
		"the type":     {"image/jpeg", small, "image/png " + small},
		"jpg":          {"image/jpg", std([]byte(small16)), "image/jpeg " + std([]byte(small16))},
		"cut off":      {"image/jpg", std([]byte(jpeg[:8])), "cut off or damaged"},
		"cut early":    {"image/png", std([]byte(png(16)[:20])), "cut off or damaged"},
		"upper case":   {"IMAGE/PNG", small, "image/png " + small},
		"not base64":   {"image/png", "<no screenshot>", "not base64"},
		"HTML":         {"image/png", std([]byte("<html>")), "not a PNG, JPEG, GIF or WebP image"},
		"SVG":          {"image/svg+xml", std([]byte("<svg/>")), "not a PNG"},
		"8,001 pixels": {"image/png", std([]byte(png(8001))), "8001 × 1 pixels"},
		"a JPEG":       {"image/jpeg", std([]byte(jpeg)), "9000 × 16 pixels"},
		"6 MB":         {"image/png", std([]byte(png(16) + strings.Repeat("x", 4_500_000))), "larger than 5000000 bytes"},
	} {
		for _, c := range []mcp.Content{
			{Type: mcp.ContentImage, MIMEType: test.mime, Data: test.data},
			{Type: mcp.ContentResource, Resource: &mcp.ResourceContents{MIMEType: test.mime, Blob: test.data, IsBlob: true}},
		} {
			res := &mcp.CallToolResult{Content: []mcp.Content{c}}
			anthropic, openai := string(schema.AnthropicResult("i", res)), string(schema.OpenAIResponsesResult("i", res))
			if mime, data, ok := strings.Cut(test.want, " "); ok && strings.HasPrefix(mime, "image/") {
				if !strings.Contains(anthropic, `"media_type":"`+mime+`","data":"`+data+`"`) || !strings.Contains(openai, `"data:`+mime+";base64,"+data+`"`) {
					t.Errorf("%s: %s\n%s", name, anthropic, openai)
				}
				res.IsError = true
				if got := string(schema.AnthropicResult("i", res)); strings.Contains(got, `"image"`) || !strings.Contains(got, "content: ") {
					t.Errorf("%s as an error: %s", name, got)
				}
			} else if strings.Contains(anthropic, `"type":"image"`) || strings.Contains(openai, "input_image") || c.Type == mcp.ContentImage && !strings.Contains(anthropic, test.want) {
				t.Errorf("%s: %s\n%s", name, anthropic, openai)
			}
		}
	}
	many := &mcp.CallToolResult{}
	for range 21 {
		many.Content = append(many.Content, mcp.ImageContent([]byte(png(2001)), "image/png"))
	}
	if got := string(schema.AnthropicResult("i", many)); strings.Contains(got, `"type":"image"`) || !strings.Contains(got, "of which models accept 2000") {
		t.Errorf("many images: %.300s", got)
	}
}

func TestBlocksForModels(t *testing.T) {
	size := int64(1234)
	blob := func(mime, text string) mcp.Content {
		return mcp.Content{Type: mcp.ContentResource, Resource: &mcp.ResourceContents{URI: "file:///f", MIMEType: mime, Blob: base64.StdEncoding.EncodeToString([]byte(text)), IsBlob: true}}
	}
	user := mcp.TextContent("for people")
	user.Annotations = &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}}
	both := mcp.TextContent("for all")
	both.Annotations = &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser, mcp.RoleAssistant}}
	for want, content := range map[string][]mcp.Content{
		"[resource: Q1 https://example.com/r.pdf (Title; the numbers; application/pdf; 1234 bytes)]": {{Type: mcp.ContentResourceLink, URI: "https://example.com/r.pdf", Name: "Q1",
			Title: "Title", Description: "the numbers", MIMEType: "application/pdf", Size: &size}},
		"a,b":     {blob("text/csv; charset=utf-8", "a,b")},
		`{"a":1}`: {blob("application/vnd.api+json", `{"a":1}`)},
		"x: 1":    {blob("application/x-yaml", "x: 1")},
		"[resource content: file:///f application/json, 1 bytes]": {blob("application/json", "\xff")},
		"for all":        {user, both},
		"(empty result)": {mcp.TextContent(" \n\t"), {Type: mcp.ContentText}},
	} {
		res := &mcp.CallToolResult{Content: content}
		quoted := strings.ReplaceAll(want, `"`, `\"`)
		for _, got := range []mcp.RawMessage{schema.AnthropicResult("i", res), schema.OpenAIResult("i", res), schema.OpenAIResponsesResult("i", res), schema.GeminiResult("i", res)} {
			if !strings.Contains(string(got), `"`+quoted+`"`) || strings.Contains(string(got), "for people") {
				t.Errorf("want %s in %s", want, got)
			}
		}
	}
}

func TestStructuredContentOfGemini(t *testing.T) {
	text := mcp.TextContent
	for want, res := range map[string]*mcp.CallToolResult{
		`{"output":{"a":[1,2]}}`:           {StructuredContent: mcp.RawMessage(`{"a":[1,2]}`)},
		`{"output":{"a":[1,3]}}`:           {Content: []mcp.Content{text("{\n \"a\": [1, 3]\n}")}, StructuredContent: mcp.RawMessage(`{"a":[1,3]}`)},
		`{"output":"THE BODY"}`:            {Content: []mcp.Content{text("THE BODY")}, StructuredContent: mcp.RawMessage(`{"kind":"x"}`)},
		`{"output":"(empty result)"}`:      {StructuredContent: mcp.RawMessage(`null`)},
		`{"error":"{\"error\":\"full\"}"}`: {StructuredContent: mcp.RawMessage(`{"error":"full"}`), IsError: true},
		`{"output":[1]}`:                   {Content: []mcp.Content{text("  ")}, StructuredContent: mcp.RawMessage(`[1]`)},
	} {
		if got := string(schema.GeminiResult("n", res)); got != `{"functionResponse":{"name":"n","response":`+want+`}}` {
			t.Errorf("have %s, want %s", got, want)
		}
	}
}
