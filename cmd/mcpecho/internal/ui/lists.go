package ui

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"sync"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/compat"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/mcp"
)

// Kinds of items.
const (
	kindTool     = "tool"
	kindResource = "resource"
	kindTemplate = "template"
	kindPrompt   = "prompt"
)

// An item is a tool, a resource, a template or a prompt. The page receives it without
// raw.
type item struct {
	Name        string // or the URI, or the URI template
	Title       string
	Description string
	Hints       []string
	Change      string // new, changed or removed since the last connection
	Notes       []note // what has changed

	raw   mcp.RawMessage
	value any // *mcp.Tool, *mcp.Resource, *mcp.ResourceTemplate or *mcp.Prompt
}

// A note describes a change, and whether it breaks callers.
type note struct {
	Kind string
	Text string
}

// lists are the items of the server, by kind.
type lists struct {
	items  map[string][]*item
	errors map[string]string
	loaded bool // at least once
	fresh  bool // the next lists are the first ones of a connection
}

// maxDescription is how much of a description the lists of the page show, in bytes.
const maxDescription = 300

func (b *Bench) newLists() {
	select {
	case b.relist <- struct{}{}:
	default:
	}
}

// list requests all lists, several at a time, and compares them with the earlier ones.
func (b *Bench) list(ctx context.Context, client *mcp.Client) {
	loaders := map[string]func() ([]*item, error){
		kindTool:     func() ([]*item, error) { return collect(client.Tools(ctx), toolItem) },
		kindResource: func() ([]*item, error) { return collect(client.Resources(ctx), resourceItem) },
		kindTemplate: func() ([]*item, error) { return collect(client.ResourceTemplates(ctx), templateItem) },
		kindPrompt:   func() ([]*item, error) { return collect(client.Prompts(ctx), promptItem) },
	}
	var group sync.WaitGroup
	var mu lock.Mutex // guards the maps
	items, failures := make(map[string][]*item), make(map[string]string)
	for kind, load := range loaders {
		group.Go(func() { // ends with ctx, or the timeout of the client
			list, err := load()
			mu.Lock()
			defer mu.Unlock()
			if items[kind] = list; err != nil && !errors.Is(err, errors.ErrUnsupported) {
				failures[kind] = b.config.Explain(err)
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil || client.Err() != nil {
		return // the lists of the page stay
	}
	b.mu.Lock()
	old := b.lists // which only this goroutine changes
	b.mu.Unlock()
	for kind := range loaders {
		if failures[kind] != "" && len(items[kind]) == 0 {
			items[kind] = old.items[kind] // rather than mark all as removed
			continue
		}
		items[kind] = compare(kind, old.items[kind], items[kind], old.loaded, !old.fresh)
	}
	b.update(partLists, func() { b.lists = lists{items: items, errors: failures, loaded: true} })
}

// compare marks what differs between two lists. If both are of one connection, marks of
// the earlier list stay.
func compare(kind string, old, now []*item, before, same bool) []*item {
	if !before {
		return now
	}
	earlier := make(map[string]*item, len(old))
	for _, i := range old {
		if i.Change != changeRemoved || same {
			earlier[i.Name] = i
		}
	}
	for _, i := range now {
		was := earlier[i.Name]
		delete(earlier, i.Name)
		switch {
		case was == nil || was.Change == changeRemoved:
			i.Change = changeAdded
		case !bytes.Equal(was.raw, i.raw):
			i.Change, i.Notes = changeChanged, differences(kind, was.raw, i.raw)
		case same:
			i.Change, i.Notes = was.Change, was.Notes
		}
	}
	n, size := 0, 0 // a server may have other items each time
	for _, i := range old {
		if earlier[i.Name] == i {
			if n, size = n+1, size+len(i.Name)+len(i.Title)+len(i.raw); n > maxRemoved || size > maxRemovedBytes {
				break
			}
			gone := *i
			gone.Change, gone.Notes = changeRemoved, nil
			now = append(now, &gone)
		}
	}
	return now
}

// maxRemoved and maxRemovedBytes limit the items of a kind that the server no longer has.
const maxRemoved, maxRemovedBytes = 200, 1 << 20

// Changes of an item.
const (
	changeAdded   = "new"
	changeChanged = "changed"
	changeRemoved = "removed"
)

// listKeys are the members of the results that list the items.
var listKeys = map[string]string{kindTool: "tools", kindResource: "resources", kindTemplate: "resourceTemplates", kindPrompt: "prompts"}

// maxNotes is how many changes of an item the page shows.
const maxNotes = 20

// differences describes what has changed in an item, the worst first.
func differences(kind string, old, now mcp.RawMessage) (notes []note) {
	changes := compat.Sorted(compat.CompareItem(listKeys[kind], old, now))
	for _, c := range changes[:min(maxNotes, len(changes))] {
		text := c.Text
		if c.Path != "" {
			text = c.Path + ": " + text
		}
		notes = append(notes, note{c.Kind.String(), cut(text, maxEntryText)})
	}
	if len(changes) > maxNotes {
		notes = append(notes, note{Text: strconv.Itoa(len(changes)-maxNotes) + " more changes"})
	}
	return notes
}

// maxListItems and maxListBytes limit a list, which may have any number of pages.
const maxListItems, maxListBytes = 50_000, 32 << 20

var errLongList = errors.New("the list is longer than 50,000 items or 32 MiB; these are the first ones")

// collect returns the items of a list. T is a pointer: pointers share the code.
func collect[T marshaler](all iter.Seq2[T, error], convert func(T) *item) (list []*item, err error) {
	size := 0
	for v, err := range all {
		if err != nil {
			return list, err
		}
		i := convert(v)
		i.value, i.Description = v, cut(i.Description, maxDescription)
		if i.raw, err = v.MarshalJSON(); err != nil {
			return list, err
		}
		if size += len(i.raw); size > maxListBytes || len(list) == maxListItems {
			return list, errLongList
		}
		list = append(list, i)
	}
	return list, nil
}

func toolItem(t *mcp.Tool) *item {
	i := &item{Name: t.Name, Title: t.DisplayName(), Description: t.Description}
	if a := t.Annotations; a != nil {
		for _, hint := range []struct {
			name string
			set  bool
		}{
			{"read-only", a.ReadOnly()}, {"destructive", a.DestructiveHint != nil && a.Destructive() && !a.ReadOnly()},
			{"idempotent", a.IdempotentHint != nil && a.Idempotent()}, {"open-world", a.OpenWorldHint != nil && a.OpenWorld()},
		} {
			if hint.set {
				i.Hints = append(i.Hints, hint.name)
			}
		}
	}
	return i
}

func resourceItem(r *mcp.Resource) *item {
	i := &item{Name: r.URI, Title: titleOf(r.Title, r.Name), Description: r.Description}
	if r.MIMEType != "" {
		i.Hints = []string{cut(r.MIMEType, maxName)}
	}
	return i
}

func templateItem(t *mcp.ResourceTemplate) *item {
	return &item{Name: t.URITemplate, Title: titleOf(t.Title, t.Name), Description: t.Description}
}

func promptItem(p *mcp.Prompt) *item {
	return &item{Name: p.Name, Title: titleOf(p.Title, ""), Description: p.Description}
}

func titleOf(title, name string) string {
	if title != "" {
		return title
	}
	return name
}

// find returns the item of a kind with a name, or nil.
func (b *Bench) find(kind, name string) *item {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.IndexFunc(b.lists.items[kind], func(i *item) bool { return i.Name == name }); i >= 0 {
		return b.lists.items[kind][i]
	}
	return nil
}
