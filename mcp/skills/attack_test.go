package skills_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/skills"
)

// TestDeepPaths: a path of millions of directories is refused. When each directory was
// looked up, this took hours.
func TestDeepPaths(t *testing.T) {
	t.Parallel()
	s := newServer()
	for i := range 9 { // of which a map hashes its keys
		s.add(listed(fmt.Sprint("skill://acme/refunds/", i), ""))
	}
	s.add(listed("skill://acme/refunds/"+strings.Repeat("a/", 1<<21)+"a", ""))
	wantError(t, s.skill(t, nil).Err(), skills.ErrInvalid)
}

// TestLargeFrontmatter: lists of small values take many times the bytes of their JSON,
// which an entry would hold.
func TestLargeFrontmatter(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]error{60 << 10: nil, 64 << 10: skills.ErrLimit} {
		s := newServer()
		s.entries[0].(object)["frontmatter"].(object)["more"] = make([]object, size/len("null,"))
		k := s.skill(t, nil)
		if wantError(t, k.Err(), want); (k.Frontmatter == nil) != (want != nil) || k.Name != "refunds" {
			t.Errorf("%d bytes: %q has %d fields", size, k.Name, len(k.Frontmatter))
		}
	}
}
