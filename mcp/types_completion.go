package mcp

// What a completion is for.
const (
	RefPrompt   = "ref/prompt"
	RefResource = "ref/resource" // or a resource template
)

// A Reference names a prompt, or a resource or resource template.
type Reference struct {
	Type  string // RefPrompt or RefResource
	Name  string // of the prompt
	Title string // of the prompt, for people (2025-06-18)
	URI   string // of the resource, or the URI template

	Extra map[string]RawMessage // members that this type has no field for, as they came
}

func (t *Reference) fields(c *codec) {
	c.string("type", &t.Type, always)
	c.string("name", &t.Name, t.Type == RefPrompt)
	c.string("title", &t.Title, omitEmpty)
	c.string("uri", &t.URI, t.Type == RefResource)
	c.extra(&t.Extra)
}

// A CompleteResult is the result of completion/complete, for programs that send
// it with [Client.Call]. [Client.Complete] returns the Completion in it.
type CompleteResult struct {
	Completion Completion
	Result
}

func (t *CompleteResult) fields(c *codec) {
	c.object("completion", &t.Completion)
	t.Result.fields(c)
}

// A Completion is a list of values that an argument may have.
type Completion struct {
	Values  []string // 100 at most
	Total   *int64   // how many there are in all; nil when the server doesn't say
	HasMore *bool    // whether there are more than Values; nil when the server doesn't say

	Extra map[string]RawMessage // members that this type has no field for, as they came
}

func (t *Completion) fields(c *codec) {
	stringList(c, "values", &t.Values, always)
	c.intPtr("total", &t.Total)
	c.boolPtr("hasMore", &t.HasMore)
	c.extra(&t.Extra)
}
