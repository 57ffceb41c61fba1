package skills_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/skills"
)

// TestDeepPaths: a path of many directories is refused. When each directory was
// looked up, this took minutes.
func TestDeepPaths(t *testing.T) {
	t.Parallel()
	s := newServer()
	for i := range 9 { // of which a map hashes its keys
		s.add(listed(fmt.Sprint("skill://acme/refunds/", i), ""))
	}
	s.add(listed("skill://acme/refunds/"+strings.Repeat("a/", 1<<18)+"a", ""))
	wantError(t, s.skill(t, nil).Err(), skills.ErrInvalid)
}
