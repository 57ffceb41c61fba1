package failure

import (
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// maxReason limits the part of the data of an error that its message has, in bytes.
const maxReason = 200

// reason returns what the data of an error says beyond its message, after a colon, or "".
// The data of codes that the client interprets is not for people: it may have the URLs
// of a user.
func reason(e *jsonrpc.Error) string {
	switch e.Code {
	case mcp.CodeURLElicitationRequired, mcp.CodeUnsupportedVersion, mcp.CodeMissingClientCapability, mcp.CodeHeaderMismatch:
		return ""
	}
	for _, path := range [][]string{nil, {"message"}, {"reason"}, {"detail"}} {
		r := wire.NewReader(wire.Lookup(e.Data, path...))
		if r.Kind() != wire.String {
			continue
		}
		if text := diag.Printable(r.String(), maxReason); text != "" && r.Err() == nil {
			return ": " + text
		}
	}
	return ""
}
