package failure

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// DidYouMean returns a suggestion to append to an error about an unknown name, or
// "" if none of the known names is similar.
func DidYouMean(name string, known []string) string {
	near := nearest.Names(name, known)
	if len(near) == 0 {
		return ""
	}
	for i := range near {
		near[i] = wire.Quote(near[i])
	}
	return " (did you mean " + strings.Join(near, " or ") + "?)"
}
