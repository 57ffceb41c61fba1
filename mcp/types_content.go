package mcp

import (
	"encoding/base64"
	"errors"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A ContentType is the type of a [Content].
type ContentType string

// The types of content.
const (
	ContentText         ContentType = "text"
	ContentImage        ContentType = "image"
	ContentAudio        ContentType = "audio"         // 2025-03-26
	ContentResourceLink ContentType = "resource_link" // 2025-06-18
	ContentResource     ContentType = "resource"      // an embedded resource
	ContentToolUse      ContentType = "tool_use"      // sampling only (2025-11-25)
	ContentToolResult   ContentType = "tool_result"   // sampling only (2025-11-25)
)

// A Content is a content block of a tool's result or of a message. Type
// determines which other fields are set; their comments name the types.
type Content struct {
	// Type is one of the constants, such as [ContentText], or unknown; see Raw.
	Type ContentType

	Text string // text

	Data     string // image, audio: base64, as received; see Bytes
	MIMEType string // image, audio, resource_link

	URI         string // resource_link
	Name        string // resource_link; the tool in tool_use
	Title       string // resource_link
	Description string // resource_link
	Size        *int64 // resource_link: in bytes; nil if unknown
	Icons       []Icon // resource_link

	Resource *ResourceContents // resource

	ID                string     // tool_use
	Input             RawMessage // tool_use: the arguments, an object; nil means {}
	ToolUseID         string     // tool_result: the ID of the tool_use
	Content           []Content  // tool_result
	StructuredContent RawMessage // tool_result: "structuredContent"; nil if absent
	IsError           bool       // tool_result

	Annotations *Annotations          // nil if absent
	Meta        RawMessage            // "_meta", as received; nil if absent
	Extra       map[string]RawMessage // members without a field for the type, as received

	// Raw is the whole content, as received, if its type is unknown or its
	// members do not match the type. No other field but Type is then set. If
	// Raw is set, MarshalJSON returns it and ignores the other fields.
	Raw RawMessage

	isErrorSaid bool
}

// TextContent returns a Content with text.
func TextContent(text string) Content { return Content{Type: ContentText, Text: text} }

// ImageContent returns a Content with an image, which it encodes as base64.
func ImageContent(data []byte, mimeType string) Content {
	return Content{Type: ContentImage, Data: base64.StdEncoding.EncodeToString(data), MIMEType: mimeType}
}

// AudioContent returns a Content with audio data, which it encodes as base64.
func AudioContent(data []byte, mimeType string) Content {
	return Content{Type: ContentAudio, Data: base64.StdEncoding.EncodeToString(data), MIMEType: mimeType}
}

// Bytes returns the decoded Data of an image or audio. It accepts standard and
// URL-safe base64, with or without padding and line breaks.
func (t *Content) Bytes() ([]byte, error) { return wire.DecodeBase64(t.Data) }

func (t *Content) fields(c *codec) {
	if c.take("type") {
		c.r.Skip() // readContent has read it
	} else {
		c.string("type", (*string)(&t.Type), always)
	}
	known := true
	switch t.Type {
	case ContentText:
		c.string("text", &t.Text, always)
	case ContentImage, ContentAudio:
		c.string("data", &t.Data, always)
		c.string("mimeType", &t.MIMEType, always)
	case ContentResourceLink:
		c.resource(&t.URI, &t.Name, &t.Title, &t.Description, &t.MIMEType, &t.Size)
		list(c, "icons", &t.Icons, omitEmpty)
	case ContentResource:
		pointer(c, "resource", &t.Resource)
		known = t.Resource != nil
	case ContentToolUse:
		c.string("id", &t.ID, always)
		c.string("name", &t.Name, always)
		c.rawOr("input", &t.Input, "{}")
	case ContentToolResult:
		c.string("toolUseId", &t.ToolUseID, always)
		c.inResult = true
		list(c, "content", &t.Content, always)
		c.inResult = false
		c.rawOrNull("structuredContent", &t.StructuredContent)
		c.bool("isError", &t.IsError, &t.isErrorSaid)
	default:
		known = false
	}
	pointer(c, "annotations", &t.Annotations)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
	if c.writing && !known {
		c.fail(errContent)
	}
}

var errContent = errors.New("content of no known type, or of type resource without a resource")

// contentKinds are the types that fields supports.
var contentKinds = [...]ContentType{ContentText, ContentImage, ContentAudio, ContentResourceLink, ContentResource, ContentToolUse, ContentToolResult}

func contentKind(kind []byte) ContentType {
	for _, known := range &contentKinds {
		if ContentType(kind) == known {
			return known
		}
	}
	return ""
}

// content is for a member that is one content. It is omitted if it was absent.
func (c *codec) content(key string, p *Content) {
	if c.take(key) {
		c.readContent(p)
	} else if c.put(key, p.Type != "" || p.Raw != nil) {
		c.write(p)
	}
}

// readContent reads content. It fails only for invalid JSON.
func (c *codec) readContent(t *Content) {
	mark := c.r.Mark()
	kind := c.contentType()
	c.r.Reset(mark)
	*t = Content{Type: contentKind(kind)} // the types have different members
	// A result in a result is invalid. Looking ahead would read the innermost once for each level.
	if t.Type != "" && !(c.inResult && t.Type == ContentToolResult) {
		c.readMembers(t)
		if c.r.Err() == nil && (t.Type != ContentResource || t.Resource != nil) {
			return
		}
		c.r.Reset(mark)
		c.r.Note("content without the members of its type")
	}
	*t = Content{Type: ContentType(kind)}
	t.Raw = c.r.Raw()
}

// contentType looks ahead for the type, which determines the other members. It
// is usually the first member.
func (c *codec) contentType() []byte {
	if c.r.Kind() != wire.Object {
		return nil
	}
	for c.r.Object(); c.r.More(); c.r.Skip() {
		if string(c.r.Key()) == "type" && c.r.Kind() == wire.String {
			return c.r.Bytes()
		}
	}
	return nil
}

// ResourceContents are the contents of a resource, or of a part of it: Text, or
// Blob if IsBlob is set.
type ResourceContents struct {
	URI      string
	MIMEType string // empty if unknown

	Text   string
	Blob   string // base64, as received; see Bytes
	IsBlob bool

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *ResourceContents) fields(c *codec) {
	c.string("uri", &t.URI, always)
	c.hints = true
	c.string("mimeType", &t.MIMEType, omitEmpty)
	c.hints = false
	c.string("text", &t.Text, !t.IsBlob && t.Blob == "")
	if c.at("blob") && c.r.Kind() == wire.String {
		t.IsBlob = true // though it may be empty
	}
	c.string("blob", &t.Blob, t.IsBlob)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

// Bytes returns the Blob, decoded as by [Content.Bytes], or otherwise the Text.
func (t *ResourceContents) Bytes() ([]byte, error) {
	if t.IsBlob || t.Blob != "" {
		return wire.DecodeBase64(t.Blob)
	}
	return []byte(t.Text), nil
}

// DecodeValue decodes JSON into map[string]any, []any, string, float64, bool or nil,
// as encoding/json does. It returns an error if raw is invalid.
func DecodeValue(raw RawMessage) (any, error) {
	r := wire.NewReader(raw)
	v := readValue(&r)
	if err := r.End(); err != nil {
		return nil, err
	}
	return v, nil
}

func readValue(r *wire.Reader) any {
	switch r.Kind() {
	case wire.Object:
		m := make(map[string]any)
		for r.Object(); r.More(); {
			key := string(r.Key())
			m[key] = readValue(r)
		}
		return m
	case wire.Array:
		list := []any{}
		for r.Array(); r.More(); {
			list = append(list, readValue(r))
		}
		return list
	case wire.String:
		return r.String()
	case wire.Number:
		return r.Float()
	case wire.Bool:
		return r.Bool()
	}
	r.Skip() // null
	return nil
}
