package compat

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
)

const (
	// maxQuote limits the quotation of a value, maxName that of a name and maxPath that
	// of a path, in bytes.
	maxQuote, maxName, maxPath = 200, 100, 400

	// before is how much of a text is quoted before the first difference.
	before = 30
)

func itoa(n int) string { return strconv.Itoa(n) }

var escape = strings.NewReplacer("~", "~0", "/", "~1")

// join appends a name to a JSON Pointer.
func join(path, name string) string {
	return shorten(path + "/" + display.EscapeName(escape.Replace(diag.Cut(name, maxName))))
}

// shorten returns a path without its beginning if it is long.
func shorten(path string) string {
	if len(path) <= maxPath {
		return path
	}
	at := len(path) - maxPath/2
	for !utf8.RuneStart(path[at]) {
		at++
	}
	return "…" + path[at:]
}

// quoteName quotes the name of a tool or another item.
func quoteName(name string) string { return `"` + display.EscapeName(diag.Cut(name, maxName)) + `"` }

// quotePair quotes two values at a path, which may be nil. Of long texts it quotes the
// part with the first difference.
func quotePair(path string, old, new *value) (string, string) {
	skip := 0
	if a, b := old.string(), new.string(); a != "" && b != "" {
		for skip < min(len(a), len(b)) && a[skip] == b[skip] {
			skip++
		}
	}
	secret := isSecretPath(path)
	return quote(old, skip, secret), quote(new, skip, secret)
}

// isSecretPath reports whether a value at a path is one of an argument whose name is that
// of a secret.
func isSecretPath(path string) bool {
	steps := strings.Split(path, "/")
	for i, step := range steps {
		switch step {
		case "default", "const", "enum", "examples":
			return i > 0 && diag.IsSecretName(steps[i-1])
		}
	}
	return false
}

// quote returns a value in JSON, shortened. same is where a string differs.
func quote(v *value, same int, secret bool) string {
	switch {
	case v == nil:
		return ""
	case secret:
		return `"` + diag.Mask + `"`
	case v.kind == wire.String:
		return quoteText(v.text, same)
	case len(v.raw) > 16*maxQuote:
		return "(" + strconv.Itoa(len(v.raw)) + " bytes of JSON)"
	}
	text, err := recording.MaskJSON([]byte(v.raw), hide)
	if err != nil {
		return "(" + diag.Cut(err.Error(), maxQuote) + ")"
	}
	return display.EscapeName(diag.Cut(string(text), maxQuote))
}

// hide masks a string that looks like a secret.
func hide(s string) string {
	if diag.LooksSecret(s) {
		return diag.Mask
	}
	return s
}

// quoteText quotes the part of a text that begins shortly before the first difference.
func quoteText(text string, same int) string {
	if hide(text) != text {
		return `"` + diag.Mask + `"`
	}
	start, mark := max(0, same-before), ""
	if len(text) <= maxQuote {
		start = 0
	}
	for start > 0 && start < len(text) && !utf8.RuneStart(text[start]) {
		start--
	}
	if start > 0 {
		mark = "…"
	}
	text = diag.HideUserinfo(text[start:min(len(text), start+4*maxQuote)])
	return string(wire.AppendString(nil, mark+display.EscapeName(diag.Cut(text, maxQuote))))
}
