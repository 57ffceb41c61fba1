package state

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// trustLine returns the line for an entry. The hash covers all its settings and what the
// user saw of them, which has the texts, choices and defaults of its inputs, so that the
// user is asked again when one of them changes. The rest identifies the entry, so that a
// later line can replace this one.
func trustLine(e *config.Server) (hash, entry string, err error) {
	path, err := filepath.Abs(e.Source)
	if err != nil {
		return "", "", err
	}
	dir := realPath(filepath.Dir(path)) // of the programs in the entry, even if the file is a link
	path = realPath(path)
	effects := e.Effects() // which reads the files of variables that the hash covers
	effects = slices.DeleteFunc(effects, func(effect string) bool {
		return strings.HasPrefix(effect, "requests the scopes ") // that the user did not always see; the settings have them
	})
	text := strconv.AppendQuote(strconv.AppendQuote(nil, dir), path)
	text = writeOut(text, reflect.ValueOf(e))
	sum := sha256.Sum256(writeOut(text, reflect.ValueOf(effects)))
	return hex.EncodeToString(sum[:]), wire.Quote(path) + " " + wire.Quote(e.Name), nil
}

// realPath returns a path without links, if it exists.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// notTrusted lists the fields that the hash leaves out: paths that depend on the working
// directory, for which trustLine has its own, the inputs of the file, of which it uses a
// few, and where a file is and how long, as a secret in it may change.
var notTrusted = []string{"Source", "base", "project", "inputs", "untrusted", "folder", "raw", "problems", "mu", "path", "err", "outside", "size"}

// first lists the fields that the hash has always had. It leaves out any other field that
// is zero, so that a new one does not ask all users again.
var first = strings.Fields(`Name Source Scope Type Command Args Dir Env EnvFiles InheritEnv URL Headers Auth ID Literal
	Disabled Required Lazy Serial Timeout ConnectTimeout MaxRetries MaxResultText Deferred Tools AutoApprove Overrides
	Invalid Title Description Extra secrets hidden Token Header OAuth ClientID ClientSecret Scopes CallbackPort
	RedirectURI Allow Deny Arguments Properties Omit`)

// writeOut appends everything in a value, with the keys of maps in order. Unlike package
// fmt it follows every pointer, and asks no value how it wants to be shown.
func writeOut(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return append(b, "nil "...)
		}
		return writeOut(append(b, '&'), v.Elem())
	case reflect.Struct:
		b = append(b, '{')
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if slices.Contains(notTrusted, name) || v.Field(i).IsZero() && !slices.Contains(first, name) {
				continue
			}
			b = writeOut(append(append(b, name...), ':'), v.Field(i))
		}
		return append(b, '}')
	case reflect.Map:
		var names []string // sorted by themselves, which saves 12 KB
		members := make(map[string]reflect.Value)
		for all := v.MapRange(); all.Next(); {
			names = append(names, all.Key().String())
			members[all.Key().String()] = all.Value()
		}
		slices.Sort(names)
		b = append(b, '{')
		for _, name := range names {
			b = writeOut(append(append(b, strconv.Quote(name)...), ':'), members[name])
		}
		return append(b, '}')
	case reflect.Slice:
		if v.IsNil() {
			return append(b, "nil "...)
		}
		b = append(b, '[')
		for i := range v.Len() {
			b = writeOut(b, v.Index(i))
		}
		return append(b, ']')
	case reflect.String:
		return append(b, strconv.Quote(v.String())...) // AppendQuote would copy b each time
	case reflect.Bool:
		return append(strconv.AppendBool(b, v.Bool()), ' ')
	}
	if v.CanInt() {
		return append(strconv.AppendInt(b, v.Int(), 10), ' ')
	}
	return append(strconv.AppendUint(b, v.Uint(), 10), ' ')
}
