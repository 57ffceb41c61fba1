package host

import (
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// Text returns a result as text for a model: one block per line, with a note in
// place of content that is not text. If there is only structured content, the
// text is its JSON; for an empty result it is "(empty result)".
func Text(res *mcp.CallToolResult) string {
	if res == nil {
		res = &mcp.CallToolResult{}
	}
	blocks := make([]string, 0, len(res.Content))
	for i := range res.Content {
		if text := BlockText(&res.Content[i]); text != "" {
			blocks = append(blocks, text)
		}
	}
	switch {
	case len(blocks) > 0:
		return strings.Join(blocks, "\n")
	case len(res.StructuredContent) > 0 && string(res.StructuredContent) != "null":
		return string(res.StructuredContent)
	}
	return "(empty result)"
}

// BlockText returns one content block as text for a model.
func BlockText(c *mcp.Content) string {
	if c == nil {
		return ""
	}
	if c.Raw != nil {
		return "[" + c.Type + " content]"
	}
	switch c.Type {
	case mcp.ContentText:
		return c.Text
	case mcp.ContentImage, mcp.ContentAudio:
		return "[" + c.Type + " content: " + c.MIMEType + ", " + size(c.Data) + "]"
	case mcp.ContentResourceLink:
		return "[resource: " + c.Name + " " + c.URI + "]"
	case mcp.ContentResource:
		if c.Resource == nil {
			break
		}
		if c.Resource.IsBlob || c.Resource.Blob != "" {
			return "[resource content: " + c.Resource.URI + " " + c.Resource.MIMEType + ", " + size(c.Resource.Blob) + "]"
		}
		return c.Resource.Text
	}
	return "[" + c.Type + " content]"
}

// size returns the decoded size of base64.
func size(data string) string {
	n := len(data)
	for n > 0 && data[n-1] == '=' {
		n--
	}
	return strconv.Itoa(n*3/4) + " bytes"
}

// Structured returns the structured content of a result, or its text if that is
// valid JSON, or else nil.
func Structured(res *mcp.CallToolResult) mcp.RawMessage {
	if res == nil {
		return nil
	}
	if res.StructuredContent != nil {
		return res.StructuredContent
	}
	if text := []byte(res.Text()); wire.Valid(text) == nil {
		return text
	}
	return nil
}
