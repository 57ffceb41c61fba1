package skills_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
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

// TestCyclicLists: the pages of a list, and the directories of a skill, lead back to where
// they began.
func TestCyclicLists(t *testing.T) {
	t.Parallel()
	for _, next := range []map[string]string{{"": "a", "a": "a"}, {"": "a", "a": "b", "b": "c", "c": "a"}, {"": "a", "a": ""}} {
		s := newServer()
		entry := s.entries[0]
		s.pages = func(cursor string) object { return object{"skills": []any{entry}, "nextCursor": next[cursor]} }
		list, err := s.open(t, nil).List(t.Context())
		if n := len(s.sent("skills/list")); n > 5 || len(list) > 5 || err == nil && next["a"] != "" {
			t.Errorf("%v: %d requests, %d skills, %v", next, n, len(list), err)
		}
	}
	s := newServer()
	for _, child := range []string{"skill://acme/refunds", "skill://acme/refunds/", "skill://acme", "skill://acme/refunds/.", "skill://acme/refunds/..", "skill://acme/refunds/a/..",
		"skill://acme/refunds/%2e%2e", "skill://acme/refunds/%2E", "skill://acme/refunds/a/b", "skill://acme/refunds/?x"} {
		s.children["skill://acme/refunds"] = []any{object{"uri": child, "name": "x", "mimeType": "inode/directory"}}
		if list, err := s.open(t, nil).ReadDir(t.Context(), "skill://acme/refunds"); err == nil {
			t.Errorf("%s is a child: %v", child, list)
		}
	}
}

// TestLongFrontmatter: a SKILL.md of 16 MiB that is all frontmatter would take more than a
// gigabyte, whichever parser the program uses.
func TestLongFrontmatter(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("- x: 1\n", 40_000), strings.Repeat("x", 300_000), strings.Repeat("\n", 300_000)} {
		parsed := false
		k := newServer().skill(t, &skills.Options{Frontmatter: func([]byte) (map[string]any, error) {
			parsed = true
			return nil, nil
		}})
		text = "---\na:\n" + text + "\n---\n"
		file := skills.File{Name: "SKILL.md", Size: int64(len(text)), Digest: listed("", text)["digest"].(string)}
		var e *skills.SyntaxError
		if err := k.Verify(file, []byte(text)); parsed || !errors.As(err, &e) || !strings.Contains(err.Error(), "longer than 256 KiB") {
			t.Error(parsed, err)
		}
	}
}

// TestLargeEntries: the client decodes an entry only if a skill may be that large, and
// keeps entries up to a limit. A list of 64 MiB took 3 GB.
func TestLargeEntries(t *testing.T) {
	t.Parallel()
	values := func(n int) mcp.RawMessage { return mcp.RawMessage("[" + strings.Repeat(`{"":{}},`, n/8) + "1]") }
	for _, where := range []string{"other", "frontmatter", "resources"} {
		s := newServer()
		e := s.entries[0].(object)
		switch where {
		case "other":
			e["other"] = values(3 << 20)
		case "frontmatter":
			e["frontmatter"].(object)["other"] = values(300 << 10)
		case "resources":
			e["resources"] = values(3 << 20)
		}
		k := s.skill(t, nil)
		wantError(t, k.Err(), skills.ErrLimit)
		if k.Frontmatter != nil {
			t.Errorf("%s: decoded", where)
		}
	}

	s := newServer()
	s.entries[0].(object)["frontmatter"].(object)["other"] = values(200 << 10)
	for len(s.entries) < 30 {
		s.entries = append(s.entries, s.entries[0])
	}
	if list, err := s.open(t, nil).List(t.Context()); len(list) < 15 || len(list) > 21 || !errors.Is(err, skills.ErrLimit) || list[0].Err() != nil {
		t.Errorf("%d skills, %v", len(list), err)
	}
}

// TestLargeContents: the client decodes only the texts of a content. Others took 50 times their length.
func TestLargeContents(t *testing.T) {
	s := newServer()
	other := mcp.RawMessage("[" + strings.Repeat("0,", 200_000) + "1]")
	s.reads = func(uri string) (object, bool) {
		return object{"contents": []any{object{"uri": uri, "text": text, "other": other}}}, uri == refunds
	}
	k := s.skill(t, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	data, err := k.Read(t.Context(), "SKILL.md")
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; err != nil || string(data) != text || allocated > 20*uint64(len(other)) {
		t.Errorf("%d bytes for %d, %v", allocated, len(other), err)
	}
}
