package host

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/glob"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

const (
	defaultSearchLimit, defaultSearchThreshold = 5, 30

	// maxQuery limits the part of a query that is used, in bytes.
	maxQuery = 1 << 10
)

// Search returns the tools that match a query, best first: at most limit. A limit of
// 0 means 5; negative means no limit. It ranks them by the words of their
// names, titles, descriptions and arguments and of their servers' names (BM25);
// English plurals and verb forms match each other. A word of the query with a *
// is a glob, which must match the tool's name for models or the server's own name
// for it. A query of globs alone returns the matches in the host's order, and an
// empty query returns nothing. Unless the query has a glob or names a server, the
// server gets at most half of the places, rounded up, if tools of others score at
// least half as much as those whose places they take. The same query returns the same tools in the same
// order until the snapshot changes.
//
// Search covers the tools of the snapshot and calls no server. The first call
// after a change builds an index, which the snapshot keeps.
func (h *Host) Search(query string, limit int) []*Tool { return h.root.Search(query, limit) }

// Search is [Host.Search] for the tools of the view.
func (v *View) Search(query string, limit int) []*Tool {
	snap := v.host.Snapshot()
	limit = wire.Limit(limit, defaultSearchLimit, math.MaxInt)
	query = wire.Trim(query[:min(len(query), maxQuery)])
	globs, rest := splitGlobs(query)
	snap.indexing.Do(func() { snap.index = newSearchIndex(snap.tools) })
	scores := snap.index.rank(rest)
	score := func(i int, t *Tool) float32 {
		switch {
		case query == t.name, query == t.def.Name:
			return 1e9
		case scores != nil && matchesAll(globs, t):
			return scores[i]
		case len(globs) > 0 && rest == "" && matchesAll(globs, t):
			return 1
		}
		return 0
	}
	found := v.best(snap.tools, limit, score)
	if len(globs) == 0 {
		v.share(found, snap.tools, query, score)
	}
	list := slices.Grow([]*Tool(nil), len(found)) // nil if nothing is found
	for _, f := range found {
		list = append(list, f.tool)
	}
	return list
}

// A ranked tool is one that a search has found.
type ranked struct {
	tool  *Tool
	score float32
}

// best returns the tools of the view with the highest scores above 0, best first.
func (v *View) best(tools []*Tool, limit int, score func(int, *Tool) float32) (found []ranked) {
	for i, t := range tools {
		score, full := score(i, t), len(found) >= limit
		if score <= 0 || full && score <= found[limit-1].score {
			continue
		}
		if t = v.limit(t); t == nil {
			continue
		}
		if !full {
			found = append(found, ranked{})
		}
		at := len(found) - 1
		for ; at > 0 && found[at-1].score < score; at-- {
			found[at] = found[at-1]
		}
		found[at] = ranked{t, score}
	}
	return found
}

// share leaves a server half of the places in found, rounded up, unless the query
// names the server: otherwise a server could fill all of them with tools whose texts
// repeat many words. The tools of other servers take the other places if they score
// at least half as much.
func (v *View) share(found []ranked, tools []*Tool, query string, score func(int, *Tool) float32) {
	server, lead := "", 0 // the only one that may have more than half: the others do not outvote it
	for _, f := range found {
		switch {
		case lead == 0:
			server, lead = f.tool.Server(), 1
		case f.tool.Server() == server:
			lead++
		default:
			lead--
		}
	}
	n := 0
	for _, f := range found {
		if f.tool.Server() == server {
			n++
		}
	}
	most := (len(found) + 1) / 2
	if n <= most || containsWords(query, server) {
		return
	}
	others := v.best(tools, len(found), func(i int, t *Tool) float32 {
		if t.Server() == server {
			return 0
		}
		return score(i, t)
	})
	others = others[min(len(found)-n, len(others)):] // those that are not in found
	for i := len(found) - 1; n > most && len(others) > 0; i-- {
		if found[i].tool.Server() != server {
			continue
		}
		if 2*others[0].score < found[i].score {
			return // the better ones have higher scores
		}
		copy(found[i:], found[i+1:])
		found[len(found)-1], others = others[0], others[1:] // no score is lower
		n--
	}
}

func containsWords(text, name string) bool {
	missing := name == ""
	eachWord(name, func(word string) {
		found := false
		eachWord(text, func(other string) { found = found || other == word })
		missing = missing || !found
	})
	return !missing
}

// splitGlobs returns the words of a query that are globs, and the other words.
func splitGlobs(query string) (globs []string, rest string) {
	for query != "" {
		var word string
		if word, query, _ = strings.Cut(query, " "); strings.IndexByte(word, '*') >= 0 {
			globs = append(globs, word)
		} else if word != "" {
			rest += " " + word
		}
	}
	return globs, rest
}

func matchesAll(globs []string, t *Tool) bool {
	for _, pattern := range globs {
		if !glob.Match(pattern, t.name) && !glob.Match(pattern, t.def.Name) {
			return false
		}
	}
	return true
}

// SearchOptions configure a ToolSearch. Nil and the zero value are valid.
type SearchOptions struct {
	// Threshold is the number of tools up to which a model gets all of them. The
	// default is 30; negative means no such number: the model always searches.
	Threshold int

	// Pinned holds globs of names for models; a model always gets the tools
	// that match.
	Pinned []string

	// Limit is the maximum number of tools that a search returns. The default is 5;
	// negative means no limit.
	Limit int

	// Match replaces the ranking of View.Search, for example by regular
	// expressions or embeddings. It returns those of tools that match, best
	// first, and may be called concurrently. The model receives the text of an
	// error; if Match panics, the search finds nothing. ctx is that of the call.
	Match func(ctx context.Context, query string, tools []*Tool, limit int) ([]*Tool, error)
}

// A ToolSearch gives a model a few tools instead of many: search_tools, which
// finds the others, call_tool, which calls them, and pinned tools. Its methods
// may be called concurrently. The zero value has no tools.
type ToolSearch struct {
	view  *View
	opts  SearchOptions
	ready []*Tool

	mu             lock.Mutex
	many, deferred bool // guarded by mu: there were too many tools, some were hidden; both stay true
}

// ToolSearch returns a search of the host's tools. o may be nil. Host.Call and
// Host.Execute call the tools of the last one by their names.
func (h *Host) ToolSearch(o *SearchOptions) *ToolSearch { return h.root.ToolSearch(o) }

// ToolSearch returns a search of the view's tools. o may be nil. View.Call and
// View.Execute call the tools of the last one that was made from this view.
func (v *View) ToolSearch(o *SearchOptions) *ToolSearch {
	s := &ToolSearch{view: v}
	if o != nil {
		s.opts = *o
	}
	s.opts.Threshold = cmp.Or(s.opts.Threshold, defaultSearchThreshold)
	s.opts.Limit = wire.Limit(s.opts.Limit, defaultSearchLimit, math.MaxInt)
	search := v.ready("search_tools", "Finds tools by what they do. Returns their names, descriptions and parameters. "+
		"Call the one that fits with call_tool.",
		`"query":{"type":"string","description":"What the tool should do, in a few words, or a glob of its name such as github*"}`, `"query"`)
	search.run = s.search
	call := v.ready("call_tool", "Calls a tool that search_tools has found.",
		`"name":{"type":"string","description":"The name of the tool, exactly as search_tools returns it"},`+
			`"arguments":{"type":"object","description":"The arguments, as the parameters of the tool describe them"}`, `"name"`)
	call.run = s.call
	call.ask = func(input mcp.RawMessage) bool {
		name, args, err := readCall(input)
		return err == nil && v.Tool(name).RequiresPermission(args)
	}
	s.ready = []*Tool{search, call}
	v.own.add(s.ready...)
	return s
}

// Tools returns the tools to give to a model: all of them, up to the threshold.
// Once there are more, or the settings of a server defer its tools, it returns
// search_tools, call_tool and the visible ones, and keeps doing so even if there
// are fewer tools again, as every change of the list costs the model its prompt
// cache. The order is always the same: the two tools, then the others by name.
func (s *ToolSearch) Tools() []*Tool {
	if s.view == nil {
		return nil // a zero ToolSearch
	}
	all := s.view.Tools()
	byName := make(map[string]int, len(all))
	for i, t := range all {
		byName[t.name] = i
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.many = s.many || len(all) > s.opts.Threshold
	tools := append([]*Tool(nil), s.ready...)
	for _, name := range wire.SortedKeys(byName) {
		if t := all[byName[name]]; s.visible(t, s.many) {
			tools = append(tools, t)
		}
	}
	if s.deferred = s.deferred || len(tools) < len(s.ready)+len(all); !s.deferred {
		return tools[len(s.ready):]
	}
	return tools
}

// Visible reports whether a model always gets a tool: it is pinned, or its server
// has the setting deferred with the value false. Package schema marks the others
// as deferred for providers that search themselves.
func (s *ToolSearch) Visible(t *Tool) bool { return t != nil && s.visible(t, true) }

// visible reports whether a tool is not hidden. many means that there are more
// tools than the threshold.
func (s *ToolSearch) visible(t *Tool, many bool) bool {
	if glob.Any(s.opts.Pinned, t.name) || t.server == nil {
		return true
	}
	cfg, _ := t.current()
	if cfg.Deferred != nil {
		return !*cfg.Deferred
	}
	return !many
}

func (s *ToolSearch) search(ctx context.Context, _ *mcp.ToolCall, r *CallReport) (*mcp.CallToolResult, error) {
	query, err := readQuery(r.Arguments)
	if err != nil {
		return nil, err
	}
	var found []*Tool
	if s.opts.Match == nil {
		found = s.view.Search(query, s.opts.Limit)
	} else {
		all := s.view.Tools()
		_ = s.view.host.guard("", func() { found, err = s.opts.Match(ctx, query, all, min(s.opts.Limit, len(all))) })
	}
	if err != nil {
		return nil, err
	}
	b := []byte(`{"tools":[`)
	for _, t := range found[:min(len(found), s.opts.Limit)] {
		b = append(wire.AppendComma(b), '{')
		b = wire.AppendString(wire.AppendKey(b, "name"), t.Name())
		b = appendText(b, "description", t.Description())
		b = wire.AppendLine(wire.AppendKey(b, "parameters"), t.InputSchema())
		b = append(b, '}')
	}
	b = append(b, ']')
	if query == "" {
		b = appendText(b, "note", "\"query\" is missing. "+s.servers())
	} else if len(found) == 0 {
		b = appendText(b, "note", "no tool matches; try other words. "+s.servers())
	}
	return s.ready[0].limited(jsonResult(append(b, '}'))), nil
}

// servers returns the servers with their numbers of tools, for a model whose query
// found nothing.
func (s *ToolSearch) servers() string {
	counts := make(map[string]int)
	for _, t := range s.view.Tools() {
		counts[t.Server()]++
	}
	text := "There are no tools."
	for i, name := range wire.SortedKeys(counts) {
		if i == 0 {
			text = "Servers with tools: "
		} else {
			text += ", "
		}
		text += name + " (" + strconv.Itoa(counts[name]) + ")"
	}
	return text
}

func (s *ToolSearch) call(ctx context.Context, call *mcp.ToolCall, r *CallReport) (*mcp.CallToolResult, error) {
	name, arguments, err := readCall(r.Arguments)
	if err != nil {
		return nil, err
	}
	t, err := s.view.await(ctx, name)
	if err != nil {
		return nil, err
	}
	own := *call
	if own.Arguments = nil; arguments != nil {
		own.Arguments = arguments
	}
	return t.Do(ctx, &own)
}

func readQuery(raw mcp.RawMessage) (query string, err error) {
	r := wire.NewReader(orObject(raw))
	for r.Object(); r.More(); {
		if string(r.Key()) == "query" && !r.Null() {
			query = r.String()
		} else {
			r.Skip()
		}
	}
	return query, r.End()
}

// readCall reads the arguments of call_tool. Models send the arguments of the tool
// as text, too, and under other names. Arguments beside the name are an error: the tool
// may have a "name", too.
func readCall(raw mcp.RawMessage) (name string, args mcp.RawMessage, err error) {
	var stray []string
	r := wire.NewReader(orObject(raw))
	for r.Object(); r.More(); {
		key := string(r.Key())
		switch {
		case r.Null():
			continue
		case key == "name":
			name = r.String()
			continue
		}
		value := slices.Clone(r.Raw())
		if text := wire.NewReader(value); text.Kind() == wire.String {
			if s := text.String(); key == "arguments" || strings.HasPrefix(wire.Trim(s), "{") {
				value = []byte(s)
			}
		}
		switch key {
		case "arguments", "args", "input", "parameters":
			if key != "arguments" && value[0] != '{' {
				stray = append(stray, key)
			} else if args == nil || string(args) == "{}" {
				args = value
			} else if string(value) != "{}" {
				return "", nil, errors.New("there are arguments in " + wire.Quote(key) + " and elsewhere; put all of them into \"arguments\"")
			}
		default:
			stray = append(stray, key)
		}
	}
	switch err = r.End(); {
	case err != nil:
	case name == "":
		err = errors.New(`"name" is missing`)
	case len(stray) > 0 && (args == nil || string(args) == "{}"):
		err = errors.New(diag.Printable(strings.Join(stray, ", "), 200) + " must be in \"arguments\": " +
			`{"name":` + wire.Quote(name) + `,"arguments":{…}}`)
	}
	return name, args, err
}

func orObject(raw mcp.RawMessage) mcp.RawMessage {
	if raw == nil {
		return mcp.RawMessage("{}")
	}
	return raw
}
