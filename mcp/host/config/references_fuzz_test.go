package config

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Forms of references to variables, by regular expressions.
var (
	anyReference = regexp.MustCompile(`(?s)\$\$\{|\$\{([^}]*:-\$\{[^}]*\}|[^}]*)\}|\$env:([A-Za-z0-9_]+)`)
	inputForm    = regexp.MustCompile(`(?s)^input:(.*)$`)
	defaultForm  = regexp.MustCompile(`(?s)^(.*?):-(.*)$`)
	valueForm    = regexp.MustCompile(`(?s)^env:(.*?)\|(?:[ \t\r\n]*value:(.*?)[ \t\r\n]*|.*)$`)
	plainForm    = regexp.MustCompile(`(?s)^(?:env:)?(.*)$`)
)

// FuzzReferences compares Expand, and the variables that Effects names, with a reading of
// the text by regular expressions.
func FuzzReferences(f *testing.F) {
	for _, text := range []string{
		"${A}-${B:-c}$env:A ${env:A|value:b}${env:X | value: b }${input:A}", "$${A}${", "${A:-${B}}", "${A:-}${X:-}$env:", "$env:${A}", "${ A }${env:X:-d|value:e}",
		"${X|value:y}", "${input:}${:-}${}", "${env:X|other}", "${A\n}é$", "${env:-x}${env:A:-x}", "${$:-0}${$$:-0}", "0${$$}",
	} {
		f.Add(text)
	}
	set := map[string]string{"A": "1", "B": "${A}", "": "none", "E": "", "/": "separator"}
	f.Fuzz(func(t *testing.T, text string) {
		missing := false
		names := make(map[string]bool)
		want := anyReference.ReplaceAllStringFunc(text, func(ref string) string {
			m := anyReference.FindStringSubmatch(ref)
			if ref == "$${" || ref == "${$}" {
				return strings.Trim(ref[1:], "}")[strings.Count(ref, "}"):]
			}
			name, fallback, hasFallback := m[1], "", false
			if m[2] != "" {
				name = m[2]
			} else if in := inputForm.FindStringSubmatch(name); in != nil {
				names[name] = true
				return "<" + in[1] + ">"
			} else if d := defaultForm.FindStringSubmatch(name); d != nil {
				name, fallback, hasFallback = strings.TrimPrefix(d[1], "env:"), d[2], true
			} else if v := valueForm.FindStringSubmatch(name); v != nil {
				hasFallback = strings.HasPrefix(strings.Trim(name[strings.IndexByte(name, '|')+1:], " \t\r\n"), "value:")
				name, fallback = v[1], v[2]
			} else {
				name = plainForm.FindStringSubmatch(name)[1]
			}
			name = strings.Trim(name, " \t\r\n")
			names[name] = true
			if value, ok := set[name]; ok && (value != "" || !hasFallback) {
				return value
			}
			missing = missing || !hasFallback
			return fallback
		})
		s := &Server{Command: "x", Args: []string{text}}
		x, err := s.Expand(context.Background(), &Vars{
			Lookup: func(name string) (string, bool) { v, ok := set[name]; return v, ok },
			Input:  func(_ context.Context, id string) (string, error) { return "<" + id + ">", nil },
			Home:   "~",
		})
		if missing != (err != nil) || err != nil && errors.Unwrap(err) == nil {
			t.Fatalf("%q: %v, want an error: %v", text, err, missing)
		}
		if err == nil && x.Args[0] != want {
			t.Fatalf("%q became %q, want %q", text, x.Args[0], want)
		}
		for name := range names {
			if taken := s.taken(); !slices.Contains(taken, name) {
				t.Fatalf("the effects of %q are %q, without %q", text, taken, name)
			}
		}
	})
}
