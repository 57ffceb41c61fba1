package blocks

import (
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// maxReason limits the part of the data of an error that a text has, in bytes.
const maxReason = 200

// maxData limits the text that Reason reads, in bytes.
const maxData = 64 << 10

// Reason returns what the data of an error response in err says that the text of err
// does not have, after a colon, or "". The data of codes that the client interprets is
// not for people: it may have the URLs of a user. If the reason is too long, Reason cuts
// it off before a word and not within one, which may be a secret that the caller replaces.
func Reason(err error) string {
	e, found := diag.Find[*jsonrpc.Error](err)
	if !found {
		return ""
	}
	switch e.Code {
	case mcp.CodeURLElicitationRequired, mcp.CodeUnsupportedVersion, mcp.CodeMissingClientCapability, mcp.CodeHeaderMismatch:
		return ""
	}
	known := err.Error()
	for _, path := range [][]string{nil, {"message"}, {"reason"}, {"detail"}} {
		value := wire.Lookup(e.Data, path...)
		r := wire.NewReader(value)
		if r.Kind() != wire.String || len(value) > maxData {
			continue
		}
		text := diag.Printable(diag.HideUserinfo(r.String()), 0)
		if n := maxReason; len(text) > n {
			for n > 0 && text[n] != ' ' && text[n] < utf8.RuneSelf || !utf8.RuneStart(text[n]) {
				n--
			}
			text = text[:n]
		}
		if r.Err() == nil && text != "" && !strings.Contains(known, text) {
			return ": " + text
		}
	}
	return ""
}
