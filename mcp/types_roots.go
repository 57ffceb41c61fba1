package mcp

// A Root is a directory or file in which a server may work.
type Root struct {
	URI  string // a file: URI
	Name string // for people; may be empty

	Meta  RawMessage            // "_meta" (2025-06-18), as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *Root) fields(c *codec) {
	c.string("uri", &t.URI, always)
	c.string("name", &t.Name, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

// A listRootsResult is the result of roots/list.
type listRootsResult struct{ Roots []Root }

func (t *listRootsResult) fields(c *codec) { list(c, "roots", &t.Roots, always) }
