package streamhttp_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
)

// TestLongTexts: long texts with escapes, which the client decodes in the memory of
// their message, are those of their call, in whichever form the response comes.
func TestLongTexts(t *testing.T) {
	const n = 3000
	both(t, func(t *testing.T, s *server) {
		s.call = func(w http.ResponseWriter, r *request) {
			text := `{"type":"text","text":"` + strings.Repeat(`\"\u00e9`+r.Params.Name+`\n`, n) + `"}`
			result := r.result(`{"resultType":"complete","content":[` + text + `,` + text + `]}`)
			if r.Params.Name[0] == 'e' {
				events(w, "data: "+result+"\n\n")
				return
			}
			w.Header().Set("Content-Type", "application/json")
			send(w, result)
		}
		c := s.open(t, nil, &mcp.Options{})
		var calls sync.WaitGroup
		for i := range 4 {
			for _, kind := range []string{"event", "json"} {
				calls.Go(func() {
					name := kind + strconv.Itoa(i)
					res, err := c.CallTool(within(t, callTimeout), name, nil)
					if err != nil {
						t.Error(err)
						return
					}
					want := strings.Repeat("\"é"+name+"\n", n)
					if len(res.Content) != 2 || res.Content[0].Text != want || res.Content[1].Text != want {
						t.Errorf("%s: the texts differ from those of the server", name)
					}
				})
			}
		}
		calls.Wait()
	})
}
