// Package blocks writes content blocks as text for a model.
package blocks

import (
	"strconv"

	"github.com/stdmcp/stdmcp/mcp"
)

// Text returns one content block as text for a model.
func Text(c *mcp.Content) string {
	if c == nil {
		return ""
	}
	if c.Raw != nil {
		return "[" + string(c.Type) + " content]"
	}
	switch c.Type {
	case mcp.ContentText:
		return c.Text
	case mcp.ContentImage, mcp.ContentAudio:
		return "[" + string(c.Type) + " content: " + c.MIMEType + ", " + Size(c.Data) + "]"
	case mcp.ContentResourceLink:
		return "[resource: " + c.Name + " " + c.URI + "]"
	case mcp.ContentResource:
		if c.Resource == nil {
			break
		}
		if c.Resource.IsBlob || c.Resource.Blob != "" {
			return "[resource content: " + c.Resource.URI + " " + c.Resource.MIMEType + ", " + Size(c.Resource.Blob) + "]"
		}
		return c.Resource.Text
	}
	return "[" + string(c.Type) + " content]"
}

// Size returns the decoded size of base64.
func Size(data string) string {
	n := len(data)
	for n > 0 && data[n-1] == '=' {
		n--
	}
	return strconv.Itoa(n*3/4) + " bytes"
}
