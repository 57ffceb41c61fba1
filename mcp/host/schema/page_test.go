package schema_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

// page returns docs/reference/models.md.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/reference/models.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPageHasTheRules(t *testing.T) {
	for _, r := range schema.Rules() {
		of := strings.Join(r.Providers, ", ")
		if len(r.Providers) == len(schema.Providers()) {
			of = "all"
		}
		row := "| " + r.Text + " | " + of + " | " + r.Mended + " |"
		if !strings.Contains(page(t), row+"\n") {
			t.Errorf("the page lacks\n%s", row)
		}
	}
}

// TestPageHasTheBlocks compares the table of blocks and providers with what the package
// writes.
func TestPageHasTheBlocks(t *testing.T) {
	const gif, shown = "R0lGODlhAQABAA==", "what is shown"
	resource := func(mime, blob string) mcp.Content {
		return mcp.Content{Type: mcp.ContentResource, Resource: &mcp.ResourceContents{URI: "u", MIMEType: mime, Blob: blob}}
	}
	user := mcp.TextContent(shown)
	user.Annotations = &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}}
	image := mcp.Content{Type: mcp.ContentImage, MIMEType: "image/jpg", Data: gif}
	samples := map[string][]mcp.Content{
		"text":                       {mcp.TextContent(shown)},
		"text of a resource":         {{Type: mcp.ContentResource, Resource: &mcp.ResourceContents{URI: "u", Text: shown}}, resource("text/csv", "d2hhdCBpcyBzaG93bg==")},
		"PNG, JPEG":                  {image, resource("image/png", gif)},
		"the same in an":             {image},
		"other images":               {{Type: mcp.ContentImage, MIMEType: "image/png", Data: "AAAA"}, resource("application/zip", "AAAA")},
		"audio":                      {{Type: mcp.ContentAudio, MIMEType: "audio/wav", Data: "AAAA"}},
		"an unknown type":            {{Type: "new", Raw: mcp.RawMessage(`{"type":"new"}`)}},
		"a link":                     {{Type: mcp.ContentResourceLink, Name: "n", URI: "u", Description: shown}},
		"blank text":                 {mcp.TextContent(" \n")},
		"a block for the":            {user},
		"structured content without": nil, "structured content beside a": {mcp.TextContent(`{"a": 1}`)}, "structured content beside other": {mcp.TextContent("other")},
	}
	_, table, _ := strings.Cut(page(t), "| block |")
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(row, "| \n"), " | ")
		for label, blocks := range samples {
			if !strings.HasPrefix(cells[0], label) || len(cells) != 6 || label == "text" && cells[0] != "text" {
				continue
			}
			delete(samples, label)
			structured := strings.HasPrefix(label, "structured")
			if blocks == nil {
				blocks = []mcp.Content{{}}[:0]
			}
			for i := range max(1, len(blocks)) {
				res := &mcp.CallToolResult{IsError: strings.Contains(label, "error") || label == "the same in an"}
				if len(blocks) > 0 {
					res.Content = blocks[i : i+1]
				}
				if structured {
					res.StructuredContent = mcp.RawMessage(`{"a":1}`)
				}
				for j, out := range []string{string(schema.AnthropicResult("1", res)), string(schema.OpenAIResponsesResult("1", res)), string(schema.OpenAIResult("1", res)),
					string(schema.GeminiResult("n", res)), host.Text(res)} {
					if got := whatIs(out, shown); got != cells[j+1] {
						t.Errorf("%s, column %d: the page says %q, and it is %s: %s", label, j+1, cells[j+1], got, out)
					}
				}
			}
		}
	}
	if len(samples) > 0 {
		t.Errorf("the page lacks %v", samples)
	}
}

// whatIs names what became of a block.
func whatIs(out, shown string) string {
	switch {
	case strings.Contains(out, `"type":"image"`), strings.Contains(out, "input_image"):
		return "image"
	case strings.Contains(out, `"output":{"a":1}`):
		return "object"
	case strings.Contains(out, shown):
		return "text"
	case strings.Contains(out, `{"a":1}`), strings.Contains(out, `{\"a\":1}`):
		return "JSON"
	case strings.Contains(out, " content"):
		return "note"
	}
	return "nothing"
}
