package compat

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/stdmcp/stdmcp/internal/schemagen"
)

func clone(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var c any
	if err := json.Unmarshal(text, &c); err != nil {
		panic(err)
	}
	return c
}

// A generator also changes schemas.
type generator struct{ *schemagen.Generator }

func newGenerator(a, b uint64) generator {
	return generator{schemagen.New(rand.New(rand.NewPCG(a, b)))}
}

// mutate changes one schema in a document, which it may modify.
func (g generator) mutate(v any) any {
	s, ok := v.(map[string]any)
	if !ok {
		return g.Schema(1)
	}
	keys := slices.Sorted(maps.Keys(s))
	if len(keys) > 0 && g.IntN(4) > 0 {
		key := keys[g.IntN(len(keys))]
		switch of := s[key].(type) {
		case float64:
			s[key] = of + float64(g.IntN(3)) - 1
			return s
		case map[string]any:
			if key != "properties" && key != "$defs" {
				s[key] = g.mutate(of)
				return s
			}
			names := slices.Sorted(maps.Keys(of))
			switch name := names[g.IntN(len(names))]; g.IntN(6) {
			case 0:
				if key == "properties" && len(of) > 1 {
					delete(of, name)
				}
			case 1:
				of[g.Name()] = g.Schema(1)
			default:
				of[name] = g.mutate(of[name])
			}
			return s
		case []any:
			if len(of) == 0 {
				return s
			}
			i := g.IntN(len(of))
			switch {
			case key == "required" || key == "enum" || key == "type":
				if g.IntN(2) == 0 && len(of) > 1 {
					s[key] = slices.Delete(of, i, i+1)
				} else if key == "enum" {
					s[key] = append(of, g.Scalar())
				} else if key == "required" {
					s[key] = append(of, g.Name())
				}
			case g.IntN(4) == 0 && len(of) > 1:
				s[key] = slices.Delete(of, i, i+1)
			case g.IntN(4) == 0:
				s[key] = append(of, g.Schema(1))
			case g.IntN(4) == 0:
				g.Shuffle(len(of), func(a, b int) { of[a], of[b] = of[b], of[a] })
			default:
				of[i] = g.mutate(of[i])
			}
			return s
		}
	}
	switch {
	case g.IntN(3) == 0 && len(keys) > 0:
		key := keys[g.IntN(len(keys))]
		if key != "$defs" {
			delete(s, key)
		}
	case g.IntN(6) == 0 && s["$defs"] == nil:
		return map[string]any{g.One("anyOf", "allOf").(string): []any{s, g.Schema(1)}}
	default:
		g.Keyword(s, 1)
	}
	return s
}
