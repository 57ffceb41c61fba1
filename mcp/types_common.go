package mcp

import (
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Role is the sender of a message or the audience of content.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// An Implementation describes a client or a server.
type Implementation struct {
	Name    string // for programs
	Title   string // for people (2025-06-18); see DisplayName
	Version string

	Description string // 2025-11-25
	WebsiteURL  string // 2025-11-25
	Icons       []Icon // 2025-11-25

	// Extra holds the members without a field, as received.
	Extra map[string]RawMessage
}

func (t *Implementation) fields(c *codec) {
	c.string("name", &t.Name, always)
	c.string("title", &t.Title, omitEmpty)
	c.string("version", &t.Version, always)
	c.string("description", &t.Description, omitEmpty)
	c.string("websiteUrl", &t.WebsiteURL, omitEmpty)
	list(c, "icons", &t.Icons, omitEmpty)
	c.extra(&t.Extra)
}

// An Icon is an image for user interfaces (2025-11-25).
//
// Do not trust Src, which the server chooses: an SVG file may contain scripts,
// and fetching it reveals the user's address to its host.
type Icon struct {
	Src      string   // an https: or data: URI
	MIMEType string   // empty if the image determines it
	Sizes    []string // such as "48x48", or "any"; empty means any size
	Theme    string   // the background, "light" or "dark"; empty means any

	Extra map[string]RawMessage // members without a field, as received
}

func (t *Icon) fields(c *codec) {
	c.string("src", &t.Src, always)
	c.string("mimeType", &t.MIMEType, omitEmpty)
	stringList(c, "sizes", &t.Sizes, omitEmpty)
	c.string("theme", &t.Theme, omitEmpty)
	c.extra(&t.Extra)
}

// Annotations are hints on how to use a resource or content.
type Annotations struct {
	Audience     []Role   // the intended audience; empty if unknown
	Priority     *float64 // from 0 (least important) to 1 (most important); nil if unknown
	LastModified string   // ISO 8601 (2025-06-18)

	Extra map[string]RawMessage // members without a field, as received
}

func (t *Annotations) fields(c *codec) {
	stringList(c, "audience", &t.Audience, omitEmpty)
	c.floatPtr("priority", &t.Priority)
	c.string("lastModified", &t.LastModified, omitEmpty)
	c.extra(&t.Extra)
}

// A Result holds the members that all results have in common.
type Result struct {
	// ResultType is "complete" for a final result (2026-07-28), or empty, which
	// means the same.
	ResultType string

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *Result) fields(c *codec) {
	c.string("resultType", &t.ResultType, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

// ServerInfo returns the server's description of itself in the result's Meta
// (2026-07-28), or the zero Implementation.
func (t *Result) ServerInfo() (info Implementation) {
	raw := wire.Lookup(t.Meta, "io.modelcontextprotocol/serverInfo")
	if raw == nil {
		return info
	}
	r := wire.NewReader(raw)
	if decodeObject(&r, &info); r.End() != nil {
		return Implementation{}
	}
	return info
}

// A Page holds the fields that all pages of a list have in common.
type Page struct {
	// NextCursor is the cursor of the next page, or nil on the last page. From
	// 2026-07-28 on, an empty cursor is valid; before, it means the last page.
	NextCursor *string

	Caching
	Result

	bad []error // what is wrong with the items that were left out
	n   int     // number of items
	raw []byte  // the text that the items share memory with
}

func (t *Page) fields(c *codec) {
	c.stringPtr("nextCursor", &t.NextCursor)
	t.Caching.fields(c)
	t.Result.fields(c)
}

// Caching describes how long a result may be cached, and for which users
// (2026-07-28).
type Caching struct {
	TTLMs      *int64 // in milliseconds; nil if unknown
	CacheScope string // "public" or "private"; empty if unknown
}

func (t *Caching) fields(c *codec) {
	c.hintPtr("ttlMs", &t.TTLMs)
	c.string("cacheScope", &t.CacheScope, omitEmpty)
}
