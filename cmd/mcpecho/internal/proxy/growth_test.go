package proxy

import (
	"errors"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/growth"
)

// The input is messages of a server for which no request waits, one a line.
func TestGrowthOfStrayMessages(t *testing.T) {
	growth.Test(t, &growth.Reader{Name: "stray messages", Base: "", Flat: true, Dimensions: []growth.Dimension{
		growth.Beside("responses", "", `{"jsonrpc":"2.0","id":"00000000","result":{}}`+"\n", ""),
		growth.Beside("notifications", "", `{"jsonrpc":"2.0","method":"00000000"}`+"\n", ""),
		growth.Beside("requests", "", `{"jsonrpc":"2.0","id":"00000000","method":"00000000"}`+"\n", ""),
		growth.Beside("texts", "", "00000000\n", ""),
	},
		Prepare: func(input string) func() error {
			return func() error {
				shown := 0
				notes := &Notes{Show: func(string) { shown++ }, Hide: strings.Clone}
				s := &session{web: &Web{o: &Options{Note: notes.Note}}, relay: &relay{tap: new(Tap)}}
				for line := range strings.Lines(input) {
					_ = s.toClient([]byte(line))
				}
				notes.Flush()
				if shown > 2*maxNotes || s.size > maxQueued {
					return errors.New("too much is shown or kept")
				}
				return nil
			}
		}})
}
