package host

import (
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

// A CallReport describes a tool call that has ended, for Options.Called. Unlike
// events, reports contain what servers and models wrote, secrets included.
type CallReport struct {
	ID     string // the same as Call.ID, for which Options.Approve was asked
	Server string // empty for a tool of the host or of the program itself
	Name   string // the tool's name for models
	Tool   string // the server's name for the tool

	Arguments mcp.RawMessage // with those that the settings fix; nil if there are none or they are invalid

	Time     time.Time     // when the call began
	Duration time.Duration // until it ended, with the time for approval and for connecting

	// ResponseTime is the time from the last request to its response. Requests is
	// the number of requests: none if the call was refused or the server could not
	// be connected, two if it was repeated.
	ResponseTime time.Duration
	Requests     int

	Result *mcp.CallToolResult // as limited by Options.Limits; nil if Err is set
	Err    error               // an *Error
}

// report returns the report of a new call of t.
func (h *Host) report(t *Tool) *CallReport {
	return &CallReport{
		ID:     strconv.FormatInt(h.calls.Add(1), 10),
		Server: t.Server(), Name: t.name, Tool: t.def.Name,
		Time: time.Now(),
	}
}
