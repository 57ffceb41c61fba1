package mcptest

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/mcp/skills"
)

// A Skill is a skill of a [Server], of the extension that package skills reads. Its
// entry is correct unless a method falsifies it. Methods may be called at any time;
// clients that hold an older entry keep it.
type Skill struct {
	URI string // of its SKILL.md

	s   *Server
	dir string

	// Guarded by s.mu.
	files       map[string]string // content by path
	wrong       map[string]string // the member of the entry that is wrong, by path
	extra       []string          // URIs of further files
	frontmatter map[string]any    // fields of the entry that differ
	changes     map[string]string // content by path, as of the next read
	dynamic     bool
	unlisted    bool
}

// Skill adds a skill. dir is the URI of its directory, such as
// "skill://acme/refunds", and files are its files by path. Without a SKILL.md, it
// has one with the last part of dir as its name. Connected clients are notified that
// the resources have changed.
func (s *Server) Skill(dir string, files map[string]string) *Skill {
	s.t.Helper()
	k := &Skill{URI: dir + "/SKILL.md", s: s, dir: dir, files: maps.Clone(files),
		wrong: map[string]string{}, frontmatter: map[string]any{}, changes: map[string]string{}}
	if k.files == nil {
		k.files = map[string]string{}
	}
	if _, ok := k.files["SKILL.md"]; !ok {
		k.files["SKILL.md"] = fmt.Sprintf("---\nname: %s\ndescription: A skill for tests\n---\n\nNothing to do.\n", path.Base(dir))
	}
	if _, err := k.fields(); err != nil {
		s.t.Fatalf("mcptest: SKILL.md of %s: %v", dir, err)
		return nil
	}
	s.mu.Lock()
	s.had["resources"] = true
	s.skills = append(s.skills, k)
	engine := s.engine
	s.mu.Unlock()
	if engine != nil {
		engine.ListChanged("resources")
	}
	return k
}

// SetFile adds or changes a file, and its entry.
func (k *Skill) SetFile(path, content string) { k.change(func() { k.files[path] = content }) }

// Unlisted omits the skill from lists. Clients find it by its URI.
func (k *Skill) Unlisted() { k.change(func() { k.unlisted = true }) }

// Dynamic makes the entry say that the files are generated, and omit them.
func (k *Skill) Dynamic() { k.change(func() { k.dynamic = true }) }

// WrongDigest gives the entry the digest of another content.
func (k *Skill) WrongDigest(path string) { k.spoil(path, "digest") }

// WrongSize gives the entry a size that is 1 byte too large.
func (k *Skill) WrongSize(path string) { k.spoil(path, "size") }

// WrongFrontmatter gives a field in the entry another value than in SKILL.md.
func (k *Skill) WrongFrontmatter(field string, value any) {
	k.change(func() { k.frontmatter[field] = value })
}

// ListPath adds a file to the entry whose URI is that of the directory and path,
// without escaping: "../secret", "%2e%2e/secret" or "a//b". A path with "://" is the
// whole URI. The server serves the file with the content "secret".
func (k *Skill) ListPath(path string) {
	if !strings.Contains(path, "://") {
		path = k.dir + "/" + path
	}
	k.change(func() { k.extra = append(k.extra, path) })
}

// ListFiles adds n files to the entry.
func (k *Skill) ListFiles(n int) {
	for i := range n {
		k.ListPath(fmt.Sprint("files/", i))
	}
}

// ChangeOnRead changes a file, and its entry, when a client next reads the file:
// after the client has read the entry.
func (k *Skill) ChangeOnRead(path, content string) { k.change(func() { k.changes[path] = content }) }

// EndlessSkills gives every page of the list of skills a next page.
func (s *Server) EndlessSkills() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endless = true
}

func (k *Skill) change(f func()) {
	k.s.mu.Lock()
	defer k.s.mu.Unlock()
	f()
}

func (k *Skill) spoil(path, member string) {
	k.s.t.Helper()
	found := false
	k.change(func() {
		_, found = k.files[path]
		k.wrong[path] = member
	})
	if !found {
		k.s.t.Fatalf("mcptest: the skill %s has no file %q", k.dir, path)
	}
}

// fields returns the frontmatter of SKILL.md.
func (k *Skill) fields() (map[string]any, error) {
	text, ok := strings.CutPrefix(k.files["SKILL.md"], "---\n")
	text, _, closed := strings.Cut(text, "\n---")
	if !ok || !closed {
		return nil, fmt.Errorf("it has no frontmatter between lines of ---")
	}
	return skills.ParseFrontmatter([]byte(text))
}

func (k *Skill) uri(path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return k.dir + "/" + strings.Join(parts, "/")
}

// paths returns the files in order.
func (k *Skill) paths() []string { return slices.Sorted(maps.Keys(k.files)) }
