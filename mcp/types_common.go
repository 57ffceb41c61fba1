package mcp

import (
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Role says whom a message is from, or whom content is for.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// An Implementation describes a client or a server.
type Implementation struct {
	Name    string // for programs
	Title   string // for people (2025-06-18); falls back to Name
	Version string

	Description string // 2025-11-25
	WebsiteURL  string // 2025-11-25
	Icons       []Icon // 2025-11-25

	// Extra holds the members that this type has no field for, as they came.
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

// An Icon is a picture that a user interface may show (2025-11-25).
//
// Src comes from the server and is not to be trusted: an SVG file may hold
// scripts, and fetching it tells its host about the user.
type Icon struct {
	Src      string   // an https: or data: URI
	MIMEType string   // empty when the picture itself says it
	Sizes    []string // such as "48x48", or "any"; empty means any size
	Theme    string   // "light" or "dark", the background it is for; empty means any

	Extra map[string]RawMessage // members that this type has no field for
}

func (t *Icon) fields(c *codec) {
	c.string("src", &t.Src, always)
	c.string("mimeType", &t.MIMEType, omitEmpty)
	stringList(c, "sizes", &t.Sizes, omitEmpty)
	c.string("theme", &t.Theme, omitEmpty)
	c.extra(&t.Extra)
}

// Annotations tell a client how to use a resource or a piece of content.
type Annotations struct {
	Audience     []Role   // whom it is for; empty means not said
	Priority     *float64 // from 0, entirely optional, to 1, required; nil means not said
	LastModified string   // ISO 8601 (2025-06-18)

	Extra map[string]RawMessage // members that this type has no field for
}

func (t *Annotations) fields(c *codec) {
	stringList(c, "audience", &t.Audience, omitEmpty)
	c.floatPtr("priority", &t.Priority)
	c.string("lastModified", &t.LastModified, omitEmpty)
	c.extra(&t.Extra)
}

// A Result is what the results of all methods have in common, and the whole of
// a result that says no more than that the request was carried out.
type Result struct {
	// ResultType is "complete" for a final result (2026-07-28). Earlier
	// revisions have no result type and leave it empty, which means the same.
	ResultType string

	Meta  RawMessage            // "_meta", byte for byte; nil when there is none
	Extra map[string]RawMessage // members that the type has no field for, as they came
}

func (t *Result) fields(c *codec) {
	c.string("resultType", &t.ResultType, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

// ServerInfo returns what the server says of itself in the result's Meta
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

// A Page is what results have that a server may give in pages, and that a
// client may keep.
type Page struct {
	// NextCursor asks for the next page. It is nil on the last one; an empty
	// cursor is a cursor.
	NextCursor *string

	Caching
	Result

	bad []error // what is wrong with the items that were left out
}

func (t *Page) fields(c *codec) {
	c.stringPtr("nextCursor", &t.NextCursor)
	t.Caching.fields(c)
	t.Result.fields(c)
}

// Caching says how long a result stays good, and for whom (2026-07-28).
type Caching struct {
	TTLMs      *int64 // in milliseconds; nil when the server doesn't say
	CacheScope string // "public" or "private"; empty when the server doesn't say
}

func (t *Caching) fields(c *codec) {
	c.intPtr("ttlMs", &t.TTLMs)
	c.string("cacheScope", &t.CacheScope, omitEmpty)
}
