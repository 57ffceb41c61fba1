package blocks_test

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/blocks"
	"github.com/stdmcp/stdmcp/mcp"
)

func TestText(t *testing.T) {
	for want, c := range map[string]*mcp.Content{
		"": nil, "hi": {Type: mcp.ContentText, Text: "hi"}, "[resource content]": {Type: mcp.ContentResource},
		"[new content]": {Type: "new", Raw: mcp.RawMessage("{}")}, "[image content: image/png, 3 bytes]": {Type: mcp.ContentImage, MIMEType: "image/png", Data: "AAAA"},
	} {
		if got := blocks.Text(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
