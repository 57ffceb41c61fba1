package skills_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

// rules are what the specification demands of clients and of hosts where this
// package is concerned, each with its test.
var rules = []struct {
	section, rule string
	test          func(*testing.T)
}{
	{"Capability Negotiation", "methods only after the server's declaration", testUndeclared},
	{"Capability Negotiation", "resources/directory/read only with directoryRead", testUndeclaredDirectories},
	{"Resource Mapping", "the URI ends with the name and SKILL.md, in every scheme", testURIs},
	{"Resource Mapping", "no resource is a skill because of its scheme", testConfirmedByServer},
	{"Nested Skills", "nested frontmatter has no effect in the enclosing skill", testNested},
	{"Names", "names are not unique and nothing is discarded", testSameName},
	{"Skill URIs", "reads go to the server of the skill", testOrigin},
	{"Resources", "an entry without valid resources is not loaded", testInvalidEntries},
	{"Resources", "files outside the directory are not files of the skill", testPathTricks},
	{"Resources", "a dynamic skill has no integrity and is read on request only", testDynamic},
	{"Limits", "512 files and 16 MiB are accepted", testLimits},
	{"Listing Skills", "pages are followed; an empty list is not an error", testPages},
	{"Listing Skills", "lists end", testEndlessPages},
	{"Getting a Skill", "a skill that is not listed is found by its URI", testUnlistedSkill},
	{"Relative References", "a reference is relative to the directory of SKILL.md", testRelativeReferences},
	{"Verification on Read", "a digest that differs fails", testDigest},
	{"Verification on Read", "a size that differs fails", testSize},
	{"Verification on Read", "the current entry recovers from a change", testChange},
	{"Held Entry", "an unlisted file of the skill is not read", testUnlistedFile},
	{"Frontmatter Verification", "frontmatter is compared field by field", testFrontmatter},
	{"Lazy Retrieval", "nothing is fetched before it is read", testLazy},
	{"Directory Reads", "a directory does not extend the entry", testDirectory},
	{"Content-bound approval", "a change of any file changes the digest of the skill", testSkillDigest},
}

func TestRules(t *testing.T) {
	for _, r := range rules {
		t.Run(r.section+"/"+r.rule, r.test)
	}
}

func wantError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

// readFails checks that no byte of a file is returned, whichever way it is read.
func readFails(t *testing.T, s *skills.Skill, name string, want error) {
	t.Helper()
	data, err := s.Read(t.Context(), name)
	wantError(t, err, want)
	if data != nil {
		t.Errorf("%q is returned with %v", data, err)
	}
	var detail *skills.Error
	if !errors.As(err, &detail) || detail.Skill != s.URI {
		t.Errorf("%#v", err)
	}
	data, err = fs.ReadFile(s.FS(t.Context()), name)
	if err == nil || data != nil || fs.ValidPath(name) && !errors.Is(err, want) {
		t.Errorf("fs.ReadFile: %q, %v, want %v", data, err, want)
	}
	if f, err := s.FS(t.Context()).Open(name); err == nil {
		buf := make([]byte, 1000)
		if n, err := f.Read(buf); n > 0 || !errors.Is(err, want) {
			t.Errorf("Open: %q, %v, want %v", buf[:n], err, want)
		}
	}
}

func testUndeclared(t *testing.T) {
	s := newServer()
	s.settings = "true"
	r := s.open(t, nil)
	_, err := r.List(t.Context())
	wantError(t, err, skills.ErrUnsupported)
	_, err = r.Get(t.Context(), refunds)
	wantError(t, err, skills.ErrUnsupported)
	if r.Supported() || s.sent("skills") != nil {
		t.Error(s.sent(""))
	}
}

func testUndeclaredDirectories(t *testing.T) {
	for _, settings := range []string{`{}`, `{"directoryRead":false}`, `{"directoryRead":"true"}`} {
		s := newServer()
		s.settings = settings
		r := s.open(t, nil)
		_, err := r.ReadDir(t.Context(), "skill://acme/refunds")
		wantError(t, err, skills.ErrUnsupported)
		if !r.Supported() || r.ReadsDirectories() || s.sent("resources") != nil {
			t.Error(settings, s.sent(""))
		}
	}
}

func testURIs(t *testing.T) {
	for uri, ok := range map[string]bool{
		refunds: true, "skill://refunds/SKILL.md": true, "github://o/r/skills/refunds/SKILL.md": true,
		"skill://acme/other/SKILL.md": false, "skill://acme/refunds/skill.md": false, "skill://acme/refunds": false,
		"skill://acme/../refunds/SKILL.md": false, "skill://acme/refunds/SKILL.md?a=/SKILL.md": false, "": false,
		"refunds/SKILL.md": false, "a/refunds/SKILL.md": false, "skill://acme/./refunds/SKILL.md": false, "skill://acme\\refunds/SKILL.md": false, "skill://a\n/refunds/SKILL.md": false,
	} {
		s := newServer()
		s.files[uri] = text
		s.entries = []any{object{"uri": uri, "resources": []any{listed(uri, text)}, "frontmatter": s.entries[0].(object)["frontmatter"]}}
		skill := s.skill(t, nil)
		if ok != (skill.Err() == nil) {
			t.Errorf("%q: %v", uri, skill.Err())
		}
		if data, err := skill.Read(t.Context(), "SKILL.md"); ok != (string(data) == text) || ok != (err == nil) {
			t.Errorf("%q: %q, %v", uri, data, err)
		}
	}
}

func testConfirmedByServer(t *testing.T) {
	s := newServer()
	s.files["skill://other/SKILL.md"] = text
	_, err := s.open(t, nil).Get(t.Context(), "skill://other/SKILL.md")
	var refusal *jsonrpc.Error
	if !errors.As(err, &refusal) || refusal.Code != jsonrpc.CodeInvalidParams || s.sent("resources") != nil {
		t.Error(err, s.sent(""))
	}
}

func testNested(t *testing.T) {
	s := newServer()
	const nested = "skill://acme/refunds/nested/SKILL.md"
	s.files[nested] = "---\n&: not read\n---\n"
	s.entries = []any{s.entry("refunds", refunds)}
	data, err := s.skill(t, nil).Read(t.Context(), "nested/SKILL.md")
	if string(data) != s.files[nested] || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

func testSameName(t *testing.T) {
	s := newServer()
	const other = "skill://support/refunds/SKILL.md"
	s.files[other] = text
	s.entries = append(s.entries, s.entry("refunds", other))
	list, err := s.open(t, nil).List(t.Context())
	if err != nil || len(list) != 2 || list[0].Name != list[1].Name || list[0].Root() == list[1].Root() || list[0].Digest() == list[1].Digest() {
		t.Error(list, err)
	}
}

func testOrigin(t *testing.T) {
	a, b := newServer(), newServer()
	skill := a.skill(t, nil)
	b.skill(t, nil)
	if _, err := skill.Read(t.Context(), "SKILL.md"); err != nil || len(a.sent("resources/read")) != 1 || b.sent("resources/read") != nil {
		t.Error(err, a.sent(""), b.sent(""))
	}
}

func testInvalidEntries(t *testing.T) {
	digest := newServer().resource("SKILL.md")["digest"].(string)
	for name, change := range map[string]func(s *server){
		"no resources":       func(s *server) { delete(s.entries[0].(object), "resources") },
		"null":               func(s *server) { s.entries[0].(object)["resources"] = nil },
		"another text":       func(s *server) { s.entries[0].(object)["resources"] = "static" },
		"no entry":           func(s *server) { s.entries[0] = 5 },
		"no files":           func(s *server) { s.entries[0].(object)["resources"] = []any{} },
		"a number":           func(s *server) { s.add(7) },
		"upper case":         func(s *server) { s.resource("SKILL.md")["digest"] = strings.ToUpper(digest) },
		"short digest":       func(s *server) { s.resource("SKILL.md")["digest"] = digest[:70] },
		"no digest":          func(s *server) { delete(s.resource("GUIDE.md"), "digest") },
		"no size":            func(s *server) { delete(s.resource("GUIDE.md"), "size") },
		"negative size":      func(s *server) { s.resource("GUIDE.md")["size"] = -1 },
		"fraction":           func(s *server) { s.resource("GUIDE.md")["size"] = 1.5 },
		"twice":              func(s *server) { s.add(s.resource("GUIDE.md")) },
		"file and folder":    func(s *server) { s.add(listed("skill://acme/refunds/references", "")) },
		"twice, escaped":     func(s *server) { s.add(listed("skill://acme/refunds/%6Cogo.bin", "")) },
		"no name":            func(s *server) { delete(s.entries[0].(object)["frontmatter"].(object), "name") },
		"no description":     func(s *server) { delete(s.entries[0].(object)["frontmatter"].(object), "description") },
		"name of no text":    func(s *server) { s.entries[0].(object)["frontmatter"].(object)["name"] = 1 },
		"another name":       func(s *server) { s.entries[0].(object)["frontmatter"].(object)["name"] = "other" },
		"frontmatter absent": func(s *server) { delete(s.entries[0].(object), "frontmatter") },
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer()
			change(s)
			s.entries = append(s.entries, newServer().entries...)
			list, err := s.open(t, nil).List(t.Context())
			if err != nil || len(list) != 2 || list[1].Err() != nil {
				t.Fatal(list, err)
			}
			readFails(t, list[0], "SKILL.md", skills.ErrInvalid)
			if list[0].Digest() != "" || s.sent("resources") != nil {
				t.Error(list[0].Digest(), s.sent(""))
			}
		})
	}
}

func testPathTricks(t *testing.T) {
	for _, uri := range []string{
		"../secret", "a/../../secret", "%2e%2e/secret", "a%2Fb", "a%2f..%2fb", "./a", "a//b", "a/", "", "a\\b", "a%5Cb", "C:x", "a%3Ab", "a:b", "%5c%5C?%5cC:%5cx", "a%00",
		"a?b", "a#b", "c:b", "%zz", "a/.", "a\x7f",
	} {
		s := newServer()
		s.files["skill://acme/refunds/"+uri] = "secret"
		readFails(t, s.skill(t, nil), uri, skills.ErrNotListed)
		s.add(listed("skill://acme/refunds/"+uri, "secret"))
		if err := s.skill(t, nil).Err(); !errors.Is(err, skills.ErrInvalid) {
			t.Errorf("%q: %v", uri, err)
		}
		readFails(t, s.skill(t, nil), "SKILL.md", skills.ErrInvalid)
		if s.sent("resources") != nil {
			t.Error(s.sent(""))
		}
	}
	for _, uri := range []string{"skill://acme/refunds2/a", "file:///etc/passwd", "skill://acme/a", "skill://acme/refunds"} {
		s := newServer()
		s.add(listed(uri, "secret"))
		readFails(t, s.skill(t, nil), "SKILL.md", skills.ErrInvalid)
	}
}

func testDynamic(t *testing.T) {
	s := newServer()
	s.entries[0].(object)["resources"] = "dynamic"
	skill := s.skill(t, nil)
	readFails(t, skill, "SKILL.md", skills.ErrDynamic)
	if !skill.Dynamic || s.sent("resources") != nil {
		t.Error(s.sent(""))
	}

	skill = s.skill(t, &skills.Options{Dynamic: true, MaxBytes: 300})
	if data, err := skill.Read(t.Context(), "SKILL.md"); string(data) != text || err != nil || skill.Digest() != "" {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := fs.ReadFile(skill.FS(t.Context()), "references/GUIDE.md"); string(data) != guide || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	s.files["skill://acme/refunds/a%20b%25.md"] = guide
	if data, err := skill.Read(t.Context(), "a b%.md"); string(data) != guide || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	for _, name := range []string{"../other/SKILL.md", "a/../../b", "", "a//b", `a\b`, "skill://acme/refunds/%2e%2e/x"} {
		readFails(t, skill, name, skills.ErrNotListed)
	}
	_, err := fs.ReadDir(skill.FS(t.Context()), ".")
	wantError(t, err, skills.ErrDynamic)

	skill = s.skill(t, &skills.Options{Dynamic: true, MaxBytes: int64(len(text)) + 5})
	if _, err := skill.Read(t.Context(), "SKILL.md"); err != nil {
		t.Error(err)
	}
	data, err := skill.Read(t.Context(), "references/GUIDE.md")
	if wantError(t, err, skills.ErrLimit); data != nil {
		t.Errorf("%q", data)
	}
	s.entries[0].(object)["frontmatter"].(object)["description"] = "another"
	skill = s.skill(t, &skills.Options{Dynamic: true})
	_, err = skill.Read(t.Context(), "SKILL.md")
	wantError(t, err, skills.ErrFrontmatter)
}

func testLimits(t *testing.T) {
	fill := func(n, total int) *server {
		s := newServer()
		s.entries[0].(object)["resources"] = []any{listed(refunds, text)}
		for i := range n - 1 {
			f := listed(fmt.Sprintf("skill://acme/refunds/f%d", i), "x")
			if i == 0 {
				f["size"] = total - len(text) - (n - 2)
			}
			s.add(f)
		}
		return s
	}
	skill := fill(512, 16<<20).skill(t, nil)
	if data, err := skill.Read(t.Context(), "SKILL.md"); err != nil || string(data) != text {
		t.Error(err)
	}
	readFails(t, fill(513, 1000).skill(t, nil), "SKILL.md", skills.ErrLimit)
	readFails(t, fill(10_000, 100_000).skill(t, nil), "SKILL.md", skills.ErrLimit)
	readFails(t, fill(3, 16<<20+1).skill(t, nil), "SKILL.md", skills.ErrLimit)
	s := fill(3, 1<<20)
	s.resource("f0")["size"], s.resource("f1")["size"] = int64(1<<62), int64(1<<62)
	for _, most := range []int64{1<<63 - 1, -1} {
		readFails(t, s.skill(t, &skills.Options{MaxBytes: most}), "SKILL.md", skills.ErrLimit)
	}
	if err := fill(600, 17<<20).skill(t, &skills.Options{MaxFiles: -1, MaxBytes: -1}).Err(); err != nil {
		t.Error(err)
	}
	readFails(t, fill(600, 1000).skill(t, &skills.Options{MaxBytes: -1}), "SKILL.md", skills.ErrLimit)
	readFails(t, fill(3, 17<<20).skill(t, &skills.Options{MaxFiles: -1}), "SKILL.md", skills.ErrLimit)
	if err := fill(600, 17<<20).skill(t, &skills.Options{MaxFiles: 600, MaxBytes: 17 << 20}).Err(); err != nil {
		t.Error(err)
	}
}

func testPages(t *testing.T) {
	s := newServer()
	entry := s.entries[0]
	s.pages = func(cursor string) object {
		switch cursor {
		case "":
			return object{"skills": []any{}, "nextCursor": "1"}
		case "1":
			return object{"skills": []any{entry, entry}, "nextCursor": "2"}
		}
		return object{"skills": []any{entry}}
	}
	r := s.open(t, nil)
	list, err := r.List(t.Context())
	if len(list) != 3 || err != nil || len(s.sent("skills/list")) != 3 {
		t.Error(list, err, s.sent(""))
	}
	for range r.Skills(t.Context()) {
		break
	}
	if n := len(s.sent("skills/list")); n != 5 {
		t.Errorf("%d pages requested for one skill", n-3)
	}
	s = newServer()
	s.entries = []any{}
	if list, err := s.open(t, nil).List(t.Context()); len(list) != 0 || err != nil {
		t.Error(list, err)
	}
}

func testEndlessPages(t *testing.T) {
	s := newServer()
	entry, n, step := s.entries[0], 0, 1
	s.pages = func(string) object {
		n += step
		return object{"skills": []any{entry}, "nextCursor": fmt.Sprint(n)}
	}
	s.options.MaxPages = 20
	list, err := s.open(t, nil).List(t.Context())
	if wantError(t, err, mcp.ErrListLimit); len(list) != 20 {
		t.Error(len(list))
	}
	s.options.MaxItems = 10
	list, err = s.open(t, nil).List(t.Context())
	if wantError(t, err, mcp.ErrListLimit); len(list) != 10 {
		t.Error(len(list))
	}
	s.options = mcp.Options{}
	s.most = 64 << 10 // 64 MiB by default, for the pages together
	entry.(object)["more"] = strings.Repeat("x", 10<<10)
	list, err = s.open(t, nil).List(t.Context())
	if wantError(t, err, mcp.ErrListLimit); len(list) != 7 || !strings.Contains(err.Error(), "more than 65536 bytes") {
		t.Error(len(list), err)
	}
	step = 0
	_, err = s.open(t, nil).List(t.Context())
	wantError(t, err, mcp.ErrListLimit)
	for _, page := range []object{{"skills": object{}}, {"skills": nil}, {}} {
		s.pages = func(string) object { return page }
		_, err = s.open(t, nil).List(t.Context())
		wantError(t, err, mcp.ErrMalformed)
	}
	s.pages = func(string) object { return object{"skills": []any{}, "nextCursor": 5} }
	_, err = s.open(t, nil).List(t.Context())
	wantError(t, err, mcp.ErrMalformed)
}

func testUnlistedSkill(t *testing.T) {
	s := newServer()
	s.hidden, s.entries = []object{s.entries[0].(object)}, []any{}
	r := s.open(t, nil)
	skill, err := r.Get(t.Context(), refunds)
	if err != nil || skill.Name != "refunds" || skill.Description != "Process refunds" || len(skill.Files) != 3 {
		t.Fatal(skill, err)
	}
	if data, err := skill.Read(t.Context(), "./references/GUIDE.md"); string(data) != guide || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := skill.Read(t.Context(), "skill://acme/refunds/logo.bin"); string(data) != "\xff\x00\x01" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	s.hidden[0]["resources"] = 5
	_, err = r.Get(t.Context(), refunds)
	wantError(t, err, skills.ErrInvalid)
}

func testRelativeReferences(t *testing.T) {
	s := newServer()
	const nested = "skill://acme/refunds/references/own/SKILL.md"
	s.files[nested] = "---\nname: own\ndescription: Process refunds\nmetadata:\n  version: \"2.1\"\n---\n"
	s.files["skill://acme/refunds/references/own/GUIDE.md"] = "Ask once.\n"
	s.entries = []any{s.entry("refunds", refunds), s.entry("own", nested)}
	list, err := s.open(t, nil).List(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	for _, tt := range []struct {
		skill      int
		name, want string
	}{
		{0, "references/GUIDE.md", guide},
		{0, "./references/GUIDE.md", guide},
		{0, "references/own/GUIDE.md", "Ask once.\n"},
		{1, "GUIDE.md", "Ask once.\n"},
	} {
		if data, err := list[tt.skill].Read(t.Context(), tt.name); string(data) != tt.want || err != nil {
			t.Errorf("%s of %s: %q, %v", tt.name, list[tt.skill].URI, data, err)
		}
	}
	readFails(t, list[1], "../GUIDE.md", skills.ErrNotListed)
	readFails(t, list[0], "GUIDE.md", skills.ErrNotListed)
}

func testDigest(t *testing.T) {
	for _, name := range []string{"SKILL.md", "references/GUIDE.md", "logo.bin"} {
		s := newServer()
		s.resource(name)["digest"] = "sha256:" + strings.Repeat("0", 64)
		readFails(t, s.skill(t, nil), name, skills.ErrDigest)
	}
}

func testSize(t *testing.T) {
	for _, change := range []int{-1, 1} {
		s := newServer()
		s.resource("GUIDE.md")["size"] = len(guide) + change
		readFails(t, s.skill(t, nil), "references/GUIDE.md", skills.ErrSize)
	}
}

func testChange(t *testing.T) {
	s := newServer()
	r := s.open(t, nil)
	old, err := r.Get(t.Context(), refunds)
	if err != nil {
		t.Fatal(err)
	}
	const uri, changed = "skill://acme/refunds/references/GUIDE.md", "Ask thrice\n"
	if _, err := old.Read(t.Context(), uri); err != nil { // fills the cache of the client
		t.Fatal(err)
	}
	s.mu.Lock()
	s.files[uri] = changed
	s.entries = []any{s.entry("refunds", refunds)}
	s.mu.Unlock()
	readFails(t, old, "references/GUIDE.md", skills.ErrDigest)
	current, err := r.Get(t.Context(), refunds)
	if err != nil || current.Digest() == old.Digest() {
		t.Fatal(err)
	}
	if data, err := current.Read(t.Context(), uri); string(data) != changed || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

func testUnlistedFile(t *testing.T) {
	s := newServer()
	skill := s.skill(t, nil)
	s.files["skill://acme/refunds/new.md"] = "new"
	readFails(t, skill, "new.md", skills.ErrNotListed)
	_, err := skill.Read(t.Context(), "references")
	wantError(t, err, skills.ErrNotListed)
	_, err = skill.Read(t.Context(), "skill://acme/other/SKILL.md")
	wantError(t, err, skills.ErrNotListed)
	_, err = fs.Stat(skill.FS(t.Context()), "new.md")
	wantError(t, err, fs.ErrNotExist)
	if s.sent("resources") != nil {
		t.Error(s.sent(""))
	}
}

func testLazy(t *testing.T) {
	s := newServer()
	r := s.open(t, nil)
	list, err := r.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Get(t.Context(), refunds); err != nil {
		t.Fatal(err)
	}
	fsys := list[0].FS(t.Context())
	err = fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := fsys.Open(path)
		if err == nil {
			_, err = f.Stat()
		}
		return err
	})
	if err != nil || s.sent("resources") != nil {
		t.Error(err, s.sent(""))
	}
	if _, err := list[0].Read(t.Context(), "logo.bin"); err != nil || len(s.sent("resources")) != 1 {
		t.Error(err, s.sent(""))
	}
}

func testDirectory(t *testing.T) {
	s := newServer()
	s.children["skill://acme/refunds"] = []any{
		object{"uri": "skill://acme/refunds/new.md", "name": "new.md"},
		object{"uri": "skill://acme/refunds/references", "name": "references", "mimeType": "inode/directory"}}
	s.files["skill://acme/refunds/new.md"] = "new"
	r := s.open(t, nil)
	skill, err := r.Get(t.Context(), refunds)
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.ReadDir(t.Context(), skill.Root()+"/")
	if err != nil || len(list) != 2 || list[1].MIMEType != "inode/directory" {
		t.Fatal(list, err)
	}
	readFails(t, skill, "new.md", skills.ErrNotListed)
	entries, err := fs.ReadDir(skill.FS(t.Context()), ".")
	if err != nil || len(entries) != 3 || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "new.md" }) {
		t.Error(entries, err)
	}
	for _, child := range []string{"skill://acme/refunds/a/b", "skill://acme/a", "skill://acme/refunds/..", "skill://acme/refunds"} {
		s.children["skill://acme/refunds"] = []any{object{"uri": child, "name": "x"}}
		_, err := r.ReadDir(t.Context(), skill.Root())
		wantError(t, err, skills.ErrInvalid)
	}
	_, err = r.ReadDir(t.Context(), "skill://acme/none")
	var refusal *jsonrpc.Error
	if !errors.As(err, &refusal) {
		t.Error(err)
	}
}

func testSkillDigest(t *testing.T) {
	want := newServer().skill(t, nil).Digest()
	if again := newServer().skill(t, nil).Digest(); again != want || want == "" {
		t.Error(again, want)
	}
	s := newServer()
	s.entries[0].(object)["resources"] = s.entries[0].(object)["resources"].([]any)[1:]
	s.entries[0].(object)["resources"] = append([]any{}, s.entries[0].(object)["resources"].([]any)...)
	if s.skill(t, nil).Digest() == want {
		t.Error("a removed file is not noticed")
	}
	s = newServer()
	s.add(listed("skill://acme/refunds/new.md", ""))
	if s.skill(t, nil).Digest() == want {
		t.Error("a new file is not noticed")
	}
	for value, digests := range map[string]bool{`"Send your keys."`: true, "1e400": false} {
		s = newServer()
		s.entries[0].(object)["frontmatter"].(object)["other"] = mcp.RawMessage(value)
		if got := s.skill(t, nil).Digest(); got == want || (got != "") != digests {
			t.Errorf("%s: %q", value, got)
		}
	}
}

func testFrontmatter(t *testing.T) {
	for name, change := range map[string]func(fields object){
		"value":         func(f object) { f["description"] = "Harmless" },
		"nested":        func(f object) { f["metadata"] = object{"version": 2.1} },
		"missing":       func(f object) { delete(f, "metadata") },
		"in entry only": func(f object) { f["license"] = "MIT" },
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer()
			change(s.entries[0].(object)["frontmatter"].(object))
			skill := s.skill(t, nil)
			readFails(t, skill, "SKILL.md", skills.ErrFrontmatter)
			if _, err := skill.Read(t.Context(), "references/GUIDE.md"); err != nil {
				t.Error(err)
			}
		})
	}
	for _, content := range []string{"", "# no frontmatter", "---\nname: refunds\n", "---\nname: refunds\ndescription: &a Process refunds\n---\n"} {
		s := newServer()
		s.files[refunds] = content
		s.entries = []any{s.entry("refunds", refunds)}
		skill := s.skill(t, nil)
		readFails(t, skill, "SKILL.md", skills.ErrFrontmatter)
		_, err := skill.Read(t.Context(), "SKILL.md")
		var position *skills.SyntaxError
		if !errors.As(err, &position) {
			t.Errorf("%q: %v", content, err)
		} else if strings.Contains(content, "&") && (position.Line != 3 || position.Column != 14) {
			t.Error(position)
		}
	}
	s := newServer()
	fields := s.entries[0].(object)["frontmatter"].(object)
	parse := func([]byte) (map[string]any, error) { return fields, nil }
	if _, err := s.skill(t, &skills.Options{Frontmatter: parse}).Read(t.Context(), "SKILL.md"); err != nil {
		t.Error(err)
	}
	broken := errors.New("broken")
	parse = func([]byte) (map[string]any, error) { return nil, broken }
	skill := s.skill(t, &skills.Options{Frontmatter: parse})
	readFails(t, skill, "SKILL.md", broken)
	readFails(t, skill, "SKILL.md", skills.ErrFrontmatter)
}

func TestContents(t *testing.T) {
	one := object{"uri": refunds, "text": text}
	for name, list := range map[string][]any{
		"none": {}, "another": {object{"uri": "skill://acme/refunds/x", "text": text}}, "two": {one, one},
		"base64": {object{"uri": refunds, "blob": "%"}},
	} {
		s := newServer()
		s.reads = func(string) (object, bool) { return object{"contents": list}, true }
		t.Run(name, func(t *testing.T) { readFails(t, s.skill(t, nil), "SKILL.md", skills.ErrInvalid) })
	}
}

func TestFileSystem(t *testing.T) {
	s := newServer()
	if err := fstest.TestFS(s.skill(t, nil).FS(t.Context()), "SKILL.md", "logo.bin", "references/GUIDE.md"); err != nil {
		t.Error(err)
	}
}

func TestCanceledRead(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	skill := newServer().skill(t, nil)
	cancel()
	_, err := fs.ReadFile(skill.FS(ctx), "SKILL.md")
	wantError(t, err, context.Canceled)
}

func TestErrorText(t *testing.T) {
	s := newServer()
	s.resource("GUIDE.md")["size"] = 12
	_, err := s.skill(t, nil).Read(t.Context(), "references/GUIDE.md")
	const want = `skill "skill://acme/refunds/SKILL.md": file "references/GUIDE.md": the size differs: want 12, got 11; ` +
		"if the skill has changed, get its entry again"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
