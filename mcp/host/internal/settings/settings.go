// Package settings has what package host shares with those below it: the texts in the
// settings of a server, which are references to variables and URLs and arguments
// without secrets, and the server in a context.
package settings

import (
	"context"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A serverKey is the key of a server's name in the contexts of functions of the program.
type serverKey struct{}

// ForServer returns a context for which ServerOf returns the name of a server.
func ForServer(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, serverKey{}, name)
}

// ServerOf is host.ServerOf.
func ServerOf(ctx context.Context) string {
	name, _ := ctx.Value(serverKey{}).(string)
	return name
}

// Reference returns the name of the variable at the start of text and the
// length of the reference, which is 0 if there is none. ${A:-${B}} is one.
func Reference(text string) (name string, size int) {
	if strings.HasPrefix(text, "${") {
		end := strings.IndexByte(text, '}')
		if end < 0 {
			return "", 0
		}
		if strings.Contains(text[:end], ":-${") && strings.HasPrefix(text[end+1:], "}") {
			end++ // the default is a literal reference
		}
		return text[2:end], end + 1
	}
	const env = "$env:"
	if !strings.HasPrefix(text, env) {
		return "", 0
	}
	n := len(env)
	for n < len(text) && (text[n] == '_' || text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z' || text[n] >= '0' && text[n] <= '9') {
		n++
	}
	if n == len(env) {
		return "", 0
	}
	return text[1:n], n
}

// IsReference reports whether text is a single reference to a variable.
func IsReference(text string) bool {
	name, size := Reference(text)
	return size > 0 && size == len(text) && !strings.Contains(name, ":-") && !strings.Contains(name, "|")
}

// PublicURL returns a URL with a mask for its user info, and without its query.
func PublicURL(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	if i := wire.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i] + "?..."
	}
	host, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		rest = diag.Mask + rest[at:]
	}
	return scheme + "://" + rest
}

// PublicArgs returns arguments without secrets. References to variables are not.
func PublicArgs(args []string) []string {
	public, _ := diag.PublicArgs(args...)
	for i, arg := range args {
		if IsReference(arg) {
			public[i] = arg
		}
	}
	return public
}
