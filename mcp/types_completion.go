package mcp

// Types of a [Reference].
const (
	RefPrompt   = "ref/prompt"
	RefResource = "ref/resource" // a resource or a resource template
)

// A Reference names a prompt, or a resource or resource template.
type Reference struct {
	Type  string // RefPrompt or RefResource
	Name  string // of the prompt
	Title string // of the prompt, for people (2025-06-18)
	URI   string // of the resource, or the URI template

	Extra map[string]RawMessage // members without a field, as received
}

func (t *Reference) fields(c *codec) {
	c.string("type", &t.Type, always)
	c.string("name", &t.Name, t.Type == RefPrompt)
	c.string("title", &t.Title, omitEmpty)
	c.string("uri", &t.URI, t.Type == RefResource)
	c.extra(&t.Extra)
}

// A CompleteResult is the result of completion/complete, for programs that use
// [Client.Call]. [Client.Complete] returns only its Completion.
type CompleteResult struct {
	Completion Completion
	Result
}

func (t *CompleteResult) fields(c *codec) {
	c.object("completion", &t.Completion)
	t.Result.fields(c)
}

// A Completion is a list of possible values of an argument.
type Completion struct {
	Values  []string // at most 100
	Total   *int64   // the number of values that exist; nil if unknown
	HasMore *bool    // whether there are more values; nil if unknown

	Extra map[string]RawMessage // members without a field, as received
}

func (t *Completion) fields(c *codec) {
	stringList(c, "values", &t.Values, always)
	c.hintPtr("total", &t.Total)
	c.boolPtr("hasMore", &t.HasMore)
	c.extra(&t.Extra)
}
