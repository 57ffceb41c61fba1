package compat

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Catalog is what a server offers at one time. It does not change.
type Catalog struct {
	server   server
	declared *value // the capabilities of the client, if they are known
	lists    [4][]mcp.RawMessage
	absent   [4]string // why a list is unknown; empty if it is known
	unasked  [4]bool   // whether the client has never requested it
}

// A list describes a list of a server.
type list struct{ method, key, id, word string }

// lists are the lists of a Catalog in their order.
var lists = [4]list{
	{"tools/list", "tools", "name", "tool"},
	{"prompts/list", "prompts", "name", "prompt"},
	{"resources/list", "resources", "uri", "resource"},
	{"resources/templates/list", "resourceTemplates", "uriTemplate", "resource template"},
}

// Read requests all lists of a server. Lists that the server does not declare are
// empty.
func Read(ctx context.Context, client *mcp.Client) (*Catalog, error) {
	info := client.Server()
	text, err := info.MarshalJSON()
	if err != nil {
		return nil, err
	}
	all, _ := parse(text) // nil if it is too long
	k := &Catalog{server: server{info.ProtocolVersion, all.member("serverInfo"), all.member("instructions"), all.member("capabilities")}}
	caps := &info.Capabilities
	for i, declared := range [4]bool{caps.Tools != nil || !info.Modern(), caps.Prompts != nil, caps.Resources != nil, caps.Resources != nil} {
		if !declared {
			continue
		}
		l := lists[i]
		err := client.CallList(ctx, l.method, "", l.key, func(item mcp.RawMessage) bool {
			k.lists[i] = append(k.lists[i], item)
			return true
		})
		var refusal *jsonrpc.Error
		if errors.As(err, &refusal) && refusal.Code == jsonrpc.CodeMethodNotFound {
			continue
		}
		if recording.IsMissing(err) {
			k.absent[i], k.unasked[i] = "the recording has no "+l.method, true
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return k, nil
}

// An entry is an item of a list, by its name or URI.
type entry struct {
	name string
	raw  mcp.RawMessage
}

// entries returns the items that have a name, the names that occur twice, and how many
// items have no name.
func entries(items []mcp.RawMessage, id string) (list []entry, twice []string, unnamed int) {
	seen := make(map[string]bool, len(items))
	for _, raw := range items {
		r := wire.NewReader(wire.Lookup(raw, id))
		name := r.String()
		switch {
		case r.Err() != nil:
			unnamed++
		case seen[name]:
			twice = append(twice, name)
		default:
			seen[name] = true
			list = append(list, entry{name, raw})
		}
	}
	return list, twice, unnamed
}

// Compare returns what changed between two catalogs, in the order of the new one.
func Compare(old, new *Catalog) []Change {
	r := &report{}
	r.compareServers(old, new)
	for i, l := range lists {
		if old.unasked[i] && old.absent[i] != "" && new.absent[i] == "" {
			r.add(Change{Kind: Noted, Item: l.key, Text: "not compared: the recorded client has not requested " + l.method})
			continue
		}
		r.compareList(l, old.lists[i], new.lists[i], old.absent[i], new.absent[i])
	}
	return r.changes()
}

// CompareItem returns what changed between two versions of an item of a list: tools,
// prompts, resources or resourceTemplates. The changes name no item.
func CompareItem(key string, old, new mcp.RawMessage) []Change {
	r := &report{}
	for _, l := range lists {
		if l.key == key {
			r.compareItem(l, "", old, new)
		}
	}
	return r.changes()
}

func (r *report) compareList(l list, old, new []mcp.RawMessage, oldAbsent, newAbsent string) {
	switch {
	case oldAbsent != "" && newAbsent != "":
		r.add(Change{Kind: Noted, Item: l.key, Text: "not compared: no recording has a complete " + l.method})
		return
	case oldAbsent != "":
		r.add(Change{Kind: Unknown, Item: l.key, Text: "not compared: in the old one, " + oldAbsent})
		return
	case newAbsent != "":
		r.add(Change{Kind: Unknown, Item: l.key, Text: "not compared: in the new one, " + newAbsent})
		return
	}
	before, twice, unnamed := entries(old, l.id)
	after, twice2, unnamed2 := entries(new, l.id)
	if unnamed+unnamed2 > 0 {
		r.add(Change{Kind: Unknown, Item: l.key, Text: "not compared: " + itoa(unnamed+unnamed2) + " without a valid " + l.id})
	}
	for _, name := range append(twice, twice2...) {
		r.add(Change{Kind: Unknown, Item: l.word + " " + quoteName(name), Text: "is listed twice; the first one is compared"})
	}
	was := make(map[string]mcp.RawMessage, len(before))
	for _, e := range before {
		was[e.name] = e.raw
	}
	is := make(map[string]bool, len(after))
	for _, e := range after {
		is[e.name] = true
		item := l.word + " " + quoteName(e.name)
		switch raw, ok := was[e.name]; {
		case !ok:
			r.add(Change{Kind: OK, Item: item, Text: "was added"})
		case string(raw) != string(e.raw) || strings.Contains(string(raw), diag.Mask):
			r.compareItem(l, item, raw, e.raw)
		}
	}
	for _, e := range before {
		if !is[e.name] {
			r.add(Change{Kind: Breaking, Item: l.word + " " + quoteName(e.name), Text: "is gone"})
		}
	}
}

// An itemComparer compares the members of one item.
type itemComparer struct {
	*report
	item string
}

func (c itemComparer) add(k Kind, path, text string, old, new *value) {
	c.report.addQuoted(Change{Kind: k, Item: c.item, Path: path, Text: text}, old, new)
}

// members returns the members of an object, each alone, so that one that cannot be
// decoded hides no other.
func members(raw []byte) (list []string, of map[string]*value, bad map[string]error, err error) {
	of, bad = make(map[string]*value), make(map[string]error)
	r := wire.NewReader(raw)
	for r.Object(); r.More(); {
		key := string(r.Key())
		list = append(list, key)
		v, err := parse(r.Raw())
		if err != nil {
			bad[key] = err
			continue
		}
		of[key] = v
	}
	return list, of, bad, r.End()
}

func (r *report) compareItem(l list, item string, old, new []byte) {
	c := itemComparer{r, item}
	names, a, badA, err := members(old)
	more, b, badB, err2 := members(new)
	if err := cmp.Or(err, err2); err != nil {
		c.add(Unknown, "", "not compared: "+diag.Cut(err.Error(), maxQuote), nil, nil)
		return
	}
	seen := make(map[string]bool, len(names))
	for _, name := range append(names, more...) {
		if seen[name] {
			continue
		}
		seen[name] = true
		if err := badA[name]; err != nil && badB[name] != nil {
			if string(wire.Lookup(old, name)) != string(wire.Lookup(new, name)) {
				c.add(Unknown, quoteKey(name), "not compared: "+diag.Cut(err.Error(), maxQuote), nil, nil)
			}
			continue
		} else if err := cmp.Or(err, badB[name]); err != nil {
			c.add(Unknown, quoteKey(name), "not compared: "+diag.Cut(err.Error(), maxQuote), a[name], b[name])
			continue
		}
		c.compareMember(l, name, a[name], b[name])
	}
}

// quoteKey returns the name of a member as a path.
func quoteKey(key string) string { return join("", key)[1:] }

func (c itemComparer) compareMember(l list, name string, a, b *value) {
	switch {
	case name == l.id:
	case l.word == "tool" && name == "inputSchema" && a != nil && b != nil:
		compareSchemas(c.report, c.item, input, a, b)
	case l.word == "tool" && name == "outputSchema":
		switch {
		case a == nil:
			c.add(OK, "output", "an output schema was added", nil, nil)
		case b == nil:
			c.add(Breaking, "output", "the output schema was removed", nil, nil)
		default:
			compareSchemas(c.report, c.item, output, a, b)
		}
	case l.word == "tool" && name == "annotations":
		c.compareHints(a, b)
	case l.word == "tool" && name == "execution":
		c.compareExecution(a, b)
	case l.word == "prompt" && name == "arguments":
		c.compareArguments(a, b)
	case same(a, b):
	case name == "title", name == "description", name == "name", name == "icons", name == "size", name == "annotations":
		c.add(Noted, quoteKey(name), "the "+name+" changed", a, b)
	default:
		c.add(Unknown, quoteKey(name), "changed", a, b)
	}
}

// compareHints compares the annotations of a tool.
func (c itemComparer) compareHints(a, b *value) {
	if same(a, b) {
		return
	}
	readOnly := [2]bool{a.member("readOnlyHint").is("true"), b.member("readOnlyHint").is("true")}
	destructive := func(v *value) bool {
		return !v.member("readOnlyHint").is("true") && !v.member("destructiveHint").is("false")
	}
	was, is := destructive(a), destructive(b)
	path := "annotations/readOnlyHint"
	switch old, new := a.member("readOnlyHint"), b.member("readOnlyHint"); {
	case readOnly[0] && !readOnly[1]:
		c.add(Breaking, path, "the tool is not read-only any more, which breaks the policy of a caller", old, new)
	case !readOnly[0] && readOnly[1]:
		c.add(OK, path, "the tool is read-only now", old, new)
	case !same(old, new):
		c.add(Noted, path, "changed", old, new)
	}
	path = "annotations/destructiveHint"
	switch old, new := a.member("destructiveHint"), b.member("destructiveHint"); {
	case !was && is && !readOnly[0]:
		c.add(Breaking, path, "the tool may be destructive now, which breaks the policy of a caller", old, new)
	case was && !is && !readOnly[1]:
		c.add(OK, path, "the tool is not destructive any more", old, new)
	case !same(old, new):
		c.add(Noted, path, "changed", old, new)
	}
	for _, name := range unionKeys(a, b) {
		switch old, new := a.member(name), b.member(name); {
		case name == "readOnlyHint", name == "destructiveHint", same(old, new):
		case name == "title":
			c.add(Noted, "annotations/title", "the title changed", old, new)
		case name == "idempotentHint" && new.is("true"), name == "openWorldHint" && new.is("false"):
			c.add(OK, "annotations/"+name, "changed", old, new)
		default:
			c.add(Unknown, "annotations/"+quoteKey(name), "changed", old, new)
		}
	}
}

// unionKeys returns the names of the members of two objects, which may be nil.
func unionKeys(a, b *value) (keys []string) {
	if a != nil {
		keys = append(keys, a.keys...)
	}
	if b != nil {
		for _, key := range b.keys {
			if a.member(key) == nil {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// compareExecution compares how a tool is executed: as a task or not.
func (c itemComparer) compareExecution(a, b *value) {
	for _, name := range unionKeys(a, b) {
		old, new := a.member(name), b.member(name)
		switch path := "execution/" + quoteKey(name); {
		case same(old, new):
		case name == "taskSupport" && new.string() == "required":
			c.add(Breaking, path, "calls must be tasks now", old, new)
		case name == "taskSupport" && new.string() == "optional":
			c.add(OK, path, "calls may be tasks", old, new)
		default:
			c.add(Unknown, path, "changed", old, new)
		}
	}
}

func (c itemComparer) compareArguments(a, b *value) {
	was, ok := arguments(a)
	is, ok2 := arguments(b)
	if !ok || !ok2 {
		if !same(a, b) {
			c.add(Unknown, "arguments", "are not a list of arguments with different names", a, b)
		}
		return
	}
	if a != nil {
		for _, old := range a.of {
			if name := old.member("name").text; is[name] == nil {
				c.add(Unknown, join("arguments", name), "the argument was removed; the server may ignore or refuse it", old, nil)
			}
		}
	}
	if b == nil {
		return
	}
	for _, new := range b.of {
		name := new.member("name").text
		old, must := was[name], new.member("required").is("true")
		path := join("arguments", name)
		switch {
		case old == nil && must:
			c.add(Breaking, path, "a new argument is required", nil, new)
			continue
		case old == nil:
			c.add(OK, path, "an optional argument was added", nil, new)
			continue
		case must && !old.member("required").is("true"):
			c.add(Breaking, path, "the argument became required", nil, nil)
		case !must && old.member("required").is("true"):
			c.add(OK, path, "the argument became optional", nil, nil)
		}
		for _, key := range unionKeys(old, new) {
			switch {
			case key == "required" || same(old.member(key), new.member(key)):
			case key == "title" || key == "description":
				c.add(Noted, join(path, key), "the "+key+" changed", old.member(key), new.member(key))
			default:
				c.add(Unknown, join(path, key), "changed", old.member(key), new.member(key))
			}
		}
	}
}

// arguments returns the arguments of a prompt by name, and false if there are others.
func arguments(list *value) (map[string]*value, bool) {
	if list == nil || list.kind == wire.Null {
		return nil, true
	}
	all := make(map[string]*value, len(list.of))
	for _, a := range list.of {
		name := a.member("name")
		if name == nil || name.kind != wire.String || name.masked || all[name.text] != nil {
			return nil, false
		}
		all[name.text] = a
	}
	return all, list.isArray()
}
