package interop

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/wrapped"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/skills"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// The servers of this file, in testdata/skills.mjs, serve a folder of skills with
// the official TypeScript SDK, and with the package of the specification's own
// repository.
var skillAuthors = []string{"sdk", "ext-skills"}

// skillFiles are the skills that both serve: in a directory of several levels, with
// frontmatter of every kind, nested in each other, and not only of text.
var skillFiles = map[string]string{
	"acme/billing/refunds/SKILL.md": "---\nname: refunds\ndescription: >-\n  Process refunds\n  by the rules: ask twice\nlicense: Apache-2.0 # theirs\n" +
		"metadata:\n  version: \"2.1\"\n  author: 'it''s us'\nallowed-tools: Bash(refund:*) Read\n---\n\n# Refunds\n\nSee [the guide](references/GUIDE.md).\n",
	"acme/billing/refunds/references/GUIDE.md":  "Ask twice: Grüß Gott, 你好.\n",
	"acme/billing/refunds/references/empty.txt": "",
	"greet/SKILL.md":           "---\nname: greet\ndescription: |\n  Greets people.\n\n  In their language.\ncompatibility: any\n---\n# Greet\n",
	"greet/logo.png":           "\x89PNG\r\n\x1a\n\xff\x00",
	"greet/formal/SKILL.md":    "---\nname: formal\ndescription: \"Greets \\u2014 formally\"\n---\n",
	"greet/formal/titles.json": `["Dr."]`,
}

// skillFolder writes skillFiles, and the skills of programs from npm that scripts/interop
// installs for all servers.
func skillFolder(t *testing.T) (dir string, files map[string]string) {
	t.Helper()
	script(t, "server") // skips
	dir, files = t.TempDir(), maps.Clone(skillFiles)
	for _, pattern := range []string{"chrome-devtools-mcp/skills", "playwright-core/lib/tools/skills"} {
		root := os.DirFS(filepath.Join(os.Getenv("STDMCP_INTEROP"), pattern))
		_ = fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err // that package is not installed
			}
			data, err := fs.ReadFile(root, path)
			files[path] = string(data)
			return err
		})
	}
	for path, content := range files {
		path = filepath.Join(dir, path)
		testutil.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testutil.Must(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return dir, files
}

// skillServer returns the command of a server of testdata/skills.mjs.
func skillServer(t *testing.T, args ...string) []string {
	t.Helper()
	path, err := filepath.Abs("testdata/skills.mjs")
	testutil.Must(t, err)
	return append([]string{"env", "STDMCP_INTEROP=" + os.Getenv("STDMCP_INTEROP"), "node", path}, args...)
}

// serveSkills starts a server over HTTP and returns its URL.
func serveSkills(t *testing.T, author, dir string) string {
	t.Helper()
	args := skillServer(t, author, dir, "0")
	return "http://127.0.0.1:" + serving(t, exec.Command(args[0], args[1:]...)) + "/mcp"
}

func TestSkillsOfOtherServers(t *testing.T) {
	dir, files := skillFolder(t)
	for _, author := range skillAuthors {
		t.Run(author, func(t *testing.T) {
			t.Parallel()
			args := skillServer(t, author, dir)
			process := func() mcp.Transport { return stdio.Command(args[0], args[1:]...) }
			readSkills(t, process(), mcp.ProtocolVersion20260728, files)
			readSkills(t, process(), mcp.ProtocolVersion20251125, files)
			readSkills(t, streamhttp.New(serveSkills(t, author, dir), nil), mcp.ProtocolVersion20260728, files)
		})
	}
}

// readSkills reads all skills of a server, which must be those of files.
func readSkills(t *testing.T, tr mcp.Transport, version string, files map[string]string) {
	t.Helper()
	ctx := t.Context()
	c, err := mcp.Connect(ctx, wrapped.Again(tr), &mcp.Options{ProtocolVersions: []string{version}})
	testutil.Must(t, err)
	defer c.Close()
	r := skills.NewReader(c, nil)
	list, err := r.List(ctx)
	testutil.Must(t, err)
	var got []string
	for _, s := range list {
		testutil.Check(t, s.Err())
		root := strings.TrimPrefix(s.Root(), "skill://")
		got = append(got, root)
		for _, f := range s.Files {
			data, err := s.Read(ctx, f.Name)
			if want, ok := files[root+"/"+f.Name]; err != nil || !ok || string(data) != want {
				t.Errorf("%s of %s: %q, %v", f.Name, root, data, err)
			}
		}
		n := 0
		for path := range files {
			if strings.HasPrefix(path, root+"/") {
				n++
			}
		}
		if n != len(s.Files) {
			t.Errorf("%s: %d files, want %d", root, len(s.Files), n)
		}
		again, err := r.Get(ctx, s.URI)
		if err != nil || again.Digest() != s.Digest() {
			t.Errorf("%s: %v", s.URI, err)
		}
	}
	slices.Sort(got)
	var want []string
	for path := range files {
		if root, ok := strings.CutSuffix(path, "/SKILL.md"); ok {
			want = append(want, root)
		}
	}
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("skills %q, want %q", got, want)
	}

	refunds, err := r.Get(ctx, "skill://acme/billing/refunds/SKILL.md")
	testutil.Must(t, err)
	if refunds.Description != "Process refunds by the rules: ask twice" || refunds.Frontmatter["license"] != "Apache-2.0" {
		t.Errorf("%+v", refunds.Frontmatter)
	}
	var answer *jsonrpc.Error
	if _, err := r.Get(ctx, "skill://acme/billing/SKILL.md"); !errors.As(err, &answer) || answer.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("a skill that is none: %v", err)
	}
	if _, err := refunds.Read(ctx, "../../../greet/logo.png"); !errors.Is(err, skills.ErrNotListed) {
		t.Errorf("a file of another skill: %v", err)
	}
	children, err := r.ReadDir(ctx, refunds.Root())
	if err != nil || len(children) != 2 || !slices.ContainsFunc(children, func(r *mcp.Resource) bool {
		return r.URI == refunds.Root()+"/references" && r.MIMEType == "inode/directory"
	}) {
		t.Errorf("%+v, %v", children, err)
	}
}

// TestSkillOfAnotherServerChanges changes a file while a program uses the skill.
func TestSkillOfAnotherServerChanges(t *testing.T) {
	dir, _ := skillFolder(t)
	url := serveSkills(t, "sdk", dir)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	c, err := mcp.Connect(ctx, streamhttp.New(url, nil), nil)
	testutil.Must(t, err)
	defer c.Close()
	r := skills.NewReader(c, nil)
	const uri = "skill://greet/formal/SKILL.md"
	held, err := r.Get(ctx, uri)
	testutil.Must(t, err)
	file := filepath.Join(dir, "greet", "formal", "titles.json")
	testutil.Must(t, os.WriteFile(file, []byte(`["Sir"]`), 0o644))
	// The SDK compares what it serves with the entry, too.
	if data, err := held.Read(ctx, "titles.json"); err == nil || data != nil {
		t.Errorf("%q, %v", data, err)
	}
	reload(t, url)
	if data, err := held.Read(ctx, "titles.json"); !errors.Is(err, skills.ErrDigest) && !errors.Is(err, skills.ErrSize) || data != nil {
		t.Errorf("%q, %v", data, err)
	}
	now, err := r.Get(ctx, uri)
	testutil.Must(t, err)
	if data, err := now.Read(ctx, "titles.json"); err != nil || string(data) != `["Sir"]` || now.Digest() == held.Digest() {
		t.Errorf("%q, %v", data, err)
	}
}

// TestSkillsOfAnotherServerAppear follows the list while skills come and go.
func TestSkillsOfAnotherServerAppear(t *testing.T) {
	script(t, "server") // skips
	for _, c := range []struct {
		name, version string
		http          bool
	}{
		{"http", mcp.ProtocolVersion20260728, true},
		{"stdio", mcp.ProtocolVersion20260728, false},
		{"legacy stdio", mcp.ProtocolVersion20251125, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, url := t.TempDir(), ""
			args := skillServer(t, "sdk", dir)
			var tr mcp.Transport = stdio.Command(args[0], args[1:]...)
			put := func(name, skill string) {
				t.Helper()
				// In one step, as a server over stdio notices by itself.
				from := t.TempDir()
				testutil.Must(t, os.WriteFile(filepath.Join(from, "SKILL.md"), []byte(skill), 0o644))
				testutil.Must(t, os.Rename(from, filepath.Join(dir, name)))
				if c.http && url != "" {
					reload(t, url)
				}
			}
			put("greet", "---\nname: greet\ndescription: Greets\n---\n")
			if c.http {
				url = serveSkills(t, "sdk", dir)
				tr = streamhttp.New(url, nil)
			}
			client, err := mcp.Connect(t.Context(), wrapped.Again(tr), &mcp.Options{ProtocolVersions: []string{c.version}})
			testutil.Must(t, err)
			defer client.Close()

			step := 0
			for list, err := range skills.NewReader(client, nil).Watch(t.Context()) {
				testutil.Must(t, err)
				switch { // a list may equal the one before
				case step == 0 && len(list) == 1:
					put("formal", "---\nname: formal\ndescription: Greets formally\n---\n")
					step = 1
				case step == 1 && len(list) == 2:
					data, err := list[0].Read(t.Context(), "SKILL.md")
					if !strings.Contains(string(data), "name: formal") || err != nil {
						t.Errorf("%s, %q, %v", list[0].URI, data, err)
					}
					testutil.Must(t, os.Rename(filepath.Join(dir, "greet"), filepath.Join(t.TempDir(), "greet")))
					if c.http {
						reload(t, url)
					}
					step = 2
				case step == 2 && len(list) == 1:
					if list[0].Name != "formal" {
						t.Errorf("%s remains", list[0].URI)
					}
					return
				}
			}
			t.Errorf("the lists ended at step %d", step)
		})
	}
}

// reload makes the server read its folder again.
func reload(t *testing.T, url string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, http.NoBody)
	testutil.Must(t, err)
	res, err := http.DefaultClient.Do(req)
	testutil.Must(t, err)
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v", text, err)
	}
}

// TestCommandReadsSkillsOfOtherServers uses mcpecho as a user would.
func TestCommandReadsSkillsOfOtherServers(t *testing.T) {
	dir, files := skillFolder(t)
	for _, author := range skillAuthors {
		t.Run(author, func(t *testing.T) {
			t.Parallel()
			run := func(args ...string) string {
				t.Helper()
				args = append(append([]string{"skills"}, args...), "--")
				cmd := exec.Command(peer(t, "mcpecho"), append(args, skillServer(t, author, dir)...)...)
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				if err != nil {
					t.Errorf("mcpecho %q: %v\n%s%s", args, err, out, stderr.Bytes())
				}
				return string(out)
			}
			if out := run(); !strings.Contains(out, "refunds\tProcess refunds by the rules: ask twice\n") {
				t.Errorf("%s", out)
			}
			if out := run("read", "formal", "titles.json"); strings.TrimSuffix(out, "\n") != files["greet/formal/titles.json"] {
				t.Errorf("%q", out)
			}
			if out := run("check"); strings.Count(out, ": nothing wrong\n") != strings.Count(out, "\n") || !strings.Contains(out, "greet, 4 files") {
				t.Errorf("%s", out)
			}
		})
	}
}
