package skills_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"a": true, "a-1": true, strings.Repeat("a", 64): true,
		"": false, "-a": false, "a-": false, "a--b": false, "A": false, "a_b": false, "ä": false, strings.Repeat("a", 65): false,
	} {
		s := newServer()
		uri := "skill://acme/" + name + "/SKILL.md"
		s.entries = []any{object{"uri": uri, "resources": []any{listed(uri, text)}, "frontmatter": object{"name": name, "description": "d"}}}
		if err := s.skill(t, nil).Err(); ok != (err == nil) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestFilesAreSorted(t *testing.T) {
	t.Parallel()
	s := newServer()
	list := s.entries[0].(object)["resources"].([]any)
	slices.Reverse(list)
	skill := s.skill(t, nil)
	var names []string
	for _, f := range skill.Files {
		names = append(names, f.Name)
		if data, err := skill.Read(t.Context(), f.URI); int64(len(data)) != f.Size || err != nil {
			t.Errorf("%s: %d bytes, %v", f.Name, len(data), err)
		}
	}
	if want := []string{"SKILL.md", "logo.bin", "references/GUIDE.md"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	list[1].(object)["digest"] = "sha256:"
	if skill := s.skill(t, nil); skill.Err() == nil || skill.Files != nil {
		t.Errorf("%v, and %d files", skill.Err(), len(skill.Files))
	}
}

// TestNullIsNoMissingField: a field that is null on one side must be there on the other.
func TestNullIsNoMissingField(t *testing.T) {
	t.Parallel()
	s := newServer()
	frontmatter := s.entries[0].(object)["frontmatter"].(object)
	frontmatter["license"] = nil
	readFails(t, s.skill(t, nil), "SKILL.md", skills.ErrFrontmatter)
	delete(frontmatter, "license")
	const with = "---\nname: refunds\ndescription: Process refunds\nlicense:\nmetadata:\n  version: \"2.1\"\n---\n"
	s.files[refunds] = with
	entry := s.entry("refunds", refunds)
	s.entries = []any{entry}
	readFails(t, s.skill(t, nil), "SKILL.md", skills.ErrFrontmatter)
	entry["frontmatter"].(object)["license"] = nil
	if data, err := s.skill(t, nil).Read(t.Context(), "SKILL.md"); string(data) != with || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	for _, metadata := range []any{nil, "2.1", []any{"2.1"}, object{}, object{"version": "2.1", "more": nil}, object{"version": 2.1}} {
		entry["frontmatter"].(object)["metadata"] = metadata
		readFails(t, s.skill(t, nil), "SKILL.md", skills.ErrFrontmatter)
	}
}

func TestListsOfFrontmatterAreCompared(t *testing.T) {
	t.Parallel()
	s := newServer()
	s.files[refunds] = "---\nname: refunds\ndescription: Process refunds\ntags: [a, 1]\n---\n"
	entry := s.entry("refunds", refunds)
	frontmatter := entry["frontmatter"].(object)
	delete(frontmatter, "metadata")
	s.entries = []any{entry}
	for _, tags := range []any{nil, []any{}, []any{"a"}, []any{"a", 1, 1}, []any{"a", 2}, []any{1, "a"}, object{}} {
		frontmatter["tags"] = tags
		readFails(t, s.skill(t, nil), "SKILL.md", skills.ErrFrontmatter)
	}
	s.files[refunds] = "---\nname: refunds\ndescription: Process refunds\ntags: []\n---\n"
	s.entries[0].(object)["resources"] = s.entry("refunds", refunds)["resources"]
	for _, tags := range []any{nil, "", object{}, []any{nil}} {
		frontmatter["tags"] = tags
		readFails(t, s.skill(t, nil), "SKILL.md", skills.ErrFrontmatter)
	}
	frontmatter["tags"] = []any{}
	if _, err := s.skill(t, nil).Read(t.Context(), "SKILL.md"); err != nil {
		t.Error(err)
	}
}

// TestGetReturnsTheSkillOfTheURI: another entry is not the skill that the user named.
func TestGetReturnsTheSkillOfTheURI(t *testing.T) {
	t.Parallel()
	s := newServer()
	const other = "skill://support/refunds/SKILL.md"
	s.files[other] = text
	s.pages = func(string) object { return object{"skills": []any{}, "nextCursor": "again"} }
	s.gets = func(string) object { return s.entry("refunds", other) }
	r := s.open(t, nil)
	skill, err := r.Get(t.Context(), refunds)
	if wantError(t, err, skills.ErrInvalid); skill != nil {
		t.Errorf("%s", skill.URI)
	}
	_, err = r.List(t.Context())
	if wantError(t, err, mcp.ErrListLimit); len(s.sent("skills/list")) != 2 {
		t.Errorf("a cursor that repeats itself: %q", s.sent("skills/list"))
	}
}

// TestFencesOfWindows: editors there write a byte order mark and two characters at the end
// of a line.
func TestFencesOfWindows(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]error{
		"\ufeff" + text:                                                   nil,
		strings.ReplaceAll(text, "\n", "\r\n"):                            nil,
		strings.ReplaceAll(text, "---", "--- "):                           nil,
		strings.TrimSuffix(text[:strings.LastIndex(text, "---")+3], "\n"): nil,
		" " + text:       skills.ErrFrontmatter,
		"-" + text:       skills.ErrFrontmatter,
		text[4:]:         skills.ErrFrontmatter,
		"---\nname: x\n": skills.ErrFrontmatter,
		"":               skills.ErrFrontmatter,
	} {
		s := newServer()
		s.files[refunds] = content
		s.entries = []any{s.entry("refunds", refunds)}
		data, err := s.skill(t, nil).Read(t.Context(), "SKILL.md")
		if wantError(t, err, want); (string(data) == content) != (err == nil) && content != "" {
			t.Errorf("%q: %q, %v", content, data, err)
		}
	}
}
