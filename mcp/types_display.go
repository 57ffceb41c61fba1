package mcp

// DisplayName returns the name for people: Title, or else Name.
func (t *Prompt) DisplayName() string { return firstSet(t.Title, t.Name) }

// DisplayName returns the name for people: Title, or else Name, or else URI.
func (t *Resource) DisplayName() string { return firstSet(t.Title, firstSet(t.Name, t.URI)) }

// DisplayName returns the name for people: Title, or else Name, or else URITemplate.
func (t *ResourceTemplate) DisplayName() string {
	return firstSet(t.Title, firstSet(t.Name, t.URITemplate))
}

// DisplayName returns the name for people: Title, or else Name.
func (t *Implementation) DisplayName() string { return firstSet(t.Title, t.Name) }

func firstSet(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
