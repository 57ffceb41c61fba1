package mcp

// A Resource describes data that a server offers.
type Resource struct {
	URI         string
	Name        string // for programs
	Title       string // for people (2025-06-18); see DisplayName
	Description string // for a model
	MIMEType    string // empty if unknown
	Size        *int64 // in bytes, before base64; nil if unknown
	Annotations *Annotations
	Icons       []Icon // 2025-11-25

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *Resource) fields(c *codec) {
	c.resource(&t.URI, &t.Name, &t.Title, &t.Description, &t.MIMEType, &t.Size)
	pointer(c, "annotations", &t.Annotations)
	list(c, "icons", &t.Icons, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

// resource is for the fields that a resource and a link to it have in common.
func (c *codec) resource(uri, name, title, description, mimeType *string, size **int64) {
	c.string("uri", uri, always)
	c.string("name", name, always)
	c.string("title", title, omitEmpty)
	c.string("description", description, omitEmpty)
	c.string("mimeType", mimeType, omitEmpty)
	c.hintPtr("size", size)
}

func (t *Resource) ident() string { return t.URI }

// A ResourceTemplate describes resources by a URI template.
type ResourceTemplate struct {
	URITemplate string // RFC 6570
	Name        string // for programs
	Title       string // for people (2025-06-18); see DisplayName
	Description string // for a model
	MIMEType    string // of all matching resources; empty if they differ
	Annotations *Annotations
	Icons       []Icon // 2025-11-25

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *ResourceTemplate) fields(c *codec) {
	c.string("uriTemplate", &t.URITemplate, always)
	c.string("name", &t.Name, always)
	c.string("title", &t.Title, omitEmpty)
	c.string("description", &t.Description, omitEmpty)
	c.string("mimeType", &t.MIMEType, omitEmpty)
	pointer(c, "annotations", &t.Annotations)
	list(c, "icons", &t.Icons, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

func (t *ResourceTemplate) ident() string { return t.URITemplate }

// A ListResourcesResult is a page of a server's resources.
type ListResourcesResult struct {
	Resources []*Resource
	Page
}

func (t *ListResourcesResult) fields(c *codec) {
	items(c, "resources", &t.Resources, &t.Page)
	t.Page.fields(c)
}

// A ListResourceTemplatesResult is a page of a server's resource templates.
type ListResourceTemplatesResult struct {
	ResourceTemplates []*ResourceTemplate
	Page
}

func (t *ListResourceTemplatesResult) fields(c *codec) {
	items(c, "resourceTemplates", &t.ResourceTemplates, &t.Page)
	t.Page.fields(c)
}

// A ReadResourceResult holds the contents of a resource. A resource such as a
// folder may have several contents, each with its own URI.
type ReadResourceResult struct {
	Contents []ResourceContents
	Caching
	Result
}

func (t *ReadResourceResult) fields(c *codec) {
	list(c, "contents", &t.Contents, always)
	t.Caching.fields(c)
	t.Result.fields(c)
}
