package compat

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/jsonschema"
)

// A verdict is what values say about the comparison of two schemas.
type verdict struct {
	worst   [2]Kind // as input and as output
	witness [2]bool // of a breaking change: a value that only one schema accepts
	values  int     // that one schema accepts at least
}

// judge compares two schemas and fails if a value contradicts a comparison. It reports
// false if package jsonschema cannot compile one of them.
func judge(t testing.TB, old, new string, seed uint64, values int) (v verdict, ok bool) {
	was, err := jsonschema.Compile(context.Background(), []byte(old))
	is, err2 := jsonschema.Compile(context.Background(), []byte(new))
	var docs [2]any
	err3 := json.Unmarshal([]byte(old), &docs[0])
	err4 := json.Unmarshal([]byte(new), &docs[1])
	if errors.Join(err, err2, err3, err4) != nil {
		return v, false
	}
	asInput, asOutput := schemas(t, input, old, new), schemas(t, output, old, new)
	v.worst = [2]Kind{Worst(asInput), Worst(asOutput)}
	// A caller may have sent a property that the old schema did not name, with any value.
	named := slices.ContainsFunc(asInput, func(c Change) bool { return c.Text == "an optional property was added" && c.Kind == Noted })
	g := newGenerator(seed, 7)
	for i := range values {
		from := i % 2
		g.Undeclared = !named || from == 1
		value, err := json.Marshal(g.Value(docs[from]))
		if err != nil {
			continue
		}
		a, okA := accepts(was, value)
		b, okB := accepts(is, value)
		if !okA || !okB {
			continue
		}
		if a || b {
			v.values++
		}
		if a && !b && (!named || from == 0) {
			v.witness[0] = true
			if v.worst[0] < Unknown {
				t.Fatalf("only the old schema accepts %s, and as input the change is %s:\nold %s\nnew %s\nseed %d\n%v", value, v.worst[0], old, new, seed, asInput)
			}
		}
		if b && !a {
			v.witness[1] = true
			if v.worst[1] < Unknown {
				t.Fatalf("only the new schema accepts %s, and as output the change is %s:\nold %s\nnew %s\nseed %d\n%v", value, v.worst[1], old, new, seed, asOutput)
			}
		}
	}
	return v, true
}

// accepts reports whether a schema accepts a value, and whether that could be found out.
func accepts(s *jsonschema.Schema, value []byte) (accepted, ok bool) {
	err := s.Validate(context.Background(), value)
	var invalid *jsonschema.Error
	return err == nil, err == nil || errors.As(err, &invalid)
}

// TestValuesAgree makes pairs of schemas. If Compare says that a change of an input is
// harmless, the new schema accepts each generated value that the old one accepts; of
// an output, it is the reverse. Most breaking changes have a value that proves them.
func TestValuesAgree(t *testing.T) {
	pairs, values := 2000, 60
	if testing.Short() {
		pairs = 500
	}
	g := newGenerator(1, 2)
	var counts [2][4]int
	var witnesses [2]int
	judged := 0
	for i := range pairs {
		doc := g.Document()
		changed := clone(doc)
		for range 1 + g.IntN(2) {
			changed = g.mutate(changed)
		}
		old, _ := json.Marshal(doc)
		new, _ := json.Marshal(changed)
		v, ok := judge(t, string(old), string(new), uint64(i), values)
		if !ok {
			continue
		}
		judged++
		for side := range 2 {
			counts[side][v.worst[side]]++
			if v.worst[side] == Breaking && v.witness[side] {
				witnesses[side]++
			}
		}
	}
	for side, name := range [2]string{"input", "output"} {
		n := counts[side]
		t.Logf("%d pairs as %s: %d ok, %d noted, %d unknown, %d breaking, of which %d have a witness", judged, name, n[OK], n[Noted], n[Unknown], n[Breaking], witnesses[side])
		if n[OK] < pairs/10 || n[Breaking] < pairs/10 || witnesses[side] < n[Breaking]*2/5 {
			t.Errorf("as %s: the generator proves too little", name)
		}
	}
}

// FuzzCompare compares any two schemas, and values for them.
func FuzzCompare(f *testing.F) {
	g := newGenerator(3, 4)
	for i := range 20 {
		doc := g.Document()
		old, _ := json.Marshal(doc)
		new, _ := json.Marshal(g.mutate(clone(doc)))
		f.Add(string(old), string(new), uint64(i))
	}
	f.Add(`{"patternProperties":{"^a":{}}}`, `{"unevaluatedItems":{"$id":"x","$ref":"#/a"}}`, uint64(1))
	f.Add(`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{}],"dependencies":{"a":["b"]}}`, `{"contains":{"$dynamicRef":"#a"}}`, uint64(1))
	f.Fuzz(func(t *testing.T, old, new string, seed uint64) {
		for _, text := range [...]string{old, new} {
			if _, err := parse([]byte(text)); err != nil || strings.Contains(text, "***") {
				return
			}
		}
		for _, c := range append(schemas(t, input, old, new), schemas(t, output, old, new)...) {
			if all := c.Item + c.Path + c.Text + c.Old + c.New; len(all) > 2000 || strings.ContainsAny(all, "\x00\n\x1b\u202e") {
				t.Fatalf("%q", all)
			}
		}
		judge(t, old, new, seed, 20)
	})
}
