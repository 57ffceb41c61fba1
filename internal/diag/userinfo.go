package diag

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// HideUserinfo returns s with [Mask] in place of the user and password of URLs.
func HideUserinfo(s string) string {
	var b []byte
	for {
		i := strings.Index(s, "://")
		if i < 0 {
			return string(append(b, s...))
		}
		b, s = append(b, s[:i+3]...), s[i+3:]
		end := wire.IndexAny(s, "/?# \t\r\n\"'<>")
		if end < 0 {
			end = len(s)
		}
		if at := strings.LastIndexByte(s[:end], '@'); at >= 0 {
			b, s = append(b, Mask...), s[at:]
		}
	}
}
