// Package compat compares what two servers offer, or two versions of one server, and
// reports what breaks a caller.
//
// An input schema breaks a caller if it accepts less than before, and an output schema
// if more is possible than before. Whatever the package cannot decide, such as a change
// of a pattern, is [Unknown] and never [OK].
//
// # Limits
//
// A schema of more than 1 MiB, 128 levels or 512 members of one object is not compared:
// its change is Unknown. So is the part of a schema beyond a number of comparisons that
// is proportional to its size. [Compare] returns at most 1,001 changes, and a change
// quotes at most 200 bytes of a value.
package compat

import (
	"slices"
	"strconv"
)

// A Kind classifies a change. Greater kinds are worse.
type Kind int

// The kinds of changes.
const (
	OK       Kind = iota // callers of the old server work with the new one
	Noted                // such as a text: nothing breaks, but a model or a user may care
	Unknown              // may break a caller
	Breaking             // breaks a caller
)

// String returns the name of the kind.
func (k Kind) String() string { return [...]string{"ok", "noted", "unknown", "breaking"}[k] }

// A Change is a difference between two catalogs. Its texts contain no terminal control
// characters.
type Change struct {
	Kind Kind

	// Item is what changed, such as `tool "add"` or `server`.
	Item string

	// Path is the place in the item, such as `input /properties/a/type`. It is empty for
	// the item as a whole.
	Path string

	// Text describes the change for a person.
	Text string

	// Old and New are the values in JSON, with secrets masked and shortened to
	// 200 bytes. A value that is absent is empty.
	Old, New string
}

// Where returns the item and the path.
func (c *Change) Where() string {
	if c.Path == "" {
		return c.Item
	}
	return c.Item + ", " + c.Path
}

// maxChanges limits the changes that Compare returns, apart from the one that counts
// the rest.
const maxChanges = 1000

// A report collects changes.
type report struct {
	list  []Change
	more  int  // changes beyond maxChanges
	worst Kind // of those
}

func (r *report) add(c Change) {
	if len(r.list) == maxChanges {
		r.more++
		r.worst = max(r.worst, c.Kind)
		return
	}
	r.list = append(r.list, c)
}

// addQuoted adds a change with two values, which may be nil. It quotes none that r does not keep.
func (r *report) addQuoted(c Change, old, new *value) {
	if len(r.list) < maxChanges {
		c.Old, c.New = quotePair(c.Path, old, new)
	}
	r.add(c)
}

// changes returns the changes in the order in which they were found.
func (r *report) changes() []Change {
	if r.more > 0 {
		r.list = append(r.list, Change{Kind: r.worst, Item: "all", Text: strconv.Itoa(r.more) + " more changes"})
	}
	return r.list
}

// Worst returns the worst kind of the changes, and OK if there are none.
func Worst(changes []Change) Kind {
	worst := OK
	for i := range changes {
		worst = max(worst, changes[i].Kind)
	}
	return worst
}

// Sorted returns the changes by kind, the worst first, and otherwise in their order.
func Sorted(changes []Change) []Change {
	return slices.SortedStableFunc(slices.Values(changes), func(a, b Change) int { return int(b.Kind - a.Kind) })
}
