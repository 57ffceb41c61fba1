package eventstream_test

import (
	"fmt"
	"strings"

	"github.com/stdmcp/stdmcp/internal/eventstream"
)

func ExampleReader() {
	events := eventstream.NewReader(strings.NewReader(": hello\n\nid: 7\nevent: greeting\ndata: one\ndata: two\n\n"), 0)
	for {
		ev, err := events.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %q %s\n", ev.Type, ev.Data, events.LastID())
	}
	// Output:
	// greeting "one\ntwo" 7
	// EOF
}
