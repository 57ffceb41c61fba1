package testserver

import "time"

// TrialMessage is the longest message that a client accepts in a test of faults.
const TrialMessage = 256 << 10

// A Trial has what a fault needs in a test: enough to exceed the client's limits,
// within milliseconds.
type Trial struct {
	Size    int           // Options.Size
	Delay   time.Duration // Options.Delay; 0 if it does not matter
	Message int           // the least length of the message that echo is called with
}

// Trial returns what the fault needs in a test.
func (f *Fault) Trial() Trial { return trials[f.Name] }

// trials are those of faults that send much, or wait long.
var trials = map[string]Trial{
	"stops-reading":      {Message: 100_000},
	"floods-stderr":      {Size: 1 << 20},
	"grandchild":         {Delay: 6 * time.Second}, // it lives ten times as long, unless it is ended
	"endless-line":       {Size: 1 << 20},
	"notification-storm": {Size: 5_000},
	"deep-nesting":       {Size: 10_000},
	"endless-progress":   {Delay: 2 * time.Second},
	"starts-slowly":      {Delay: time.Second / 2}, // less than the probe
	"discover-slow":      {Delay: 5 * time.Second}, // longer than the probe
	"starts-once":        {Delay: 2 * time.Second},
	"dies-on-initialize": {Delay: 1100 * time.Millisecond},
	"reads-nothing":      {Message: 200_000},
	"endless-json":       {Size: 1 << 20},
	"endless-space":      {Size: 1 << 20},
	"endless-event":      {Size: 1 << 20},
	"endless-lines":      {Size: 1 << 20},
	"endless-comment":    {Size: 1 << 20},
	"endless-id":         {Size: 1 << 20},
	"endless-field":      {Size: 1 << 20},
	"status-502-endless": {Size: 1 << 20},
	"gzip-bomb":          {Size: 4 << 20},
	"get-storm":          {Size: 2_000},
	"list-changed-storm": {Size: 5_000},
	"subscription-storm": {Size: 5_000},
	"many-headers":       {Size: 80_000},
	"announces-length":   {Size: TrialMessage},
	"endless-requests":   {Delay: 100 * time.Millisecond},
}
