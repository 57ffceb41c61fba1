package documents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

const root = "../../.."

// documents returns the paths of all documents.
func documents(t *testing.T) []string {
	t.Helper()
	paths := []string{root + "/README.md", root + "/CONTRIBUTING.md", root + "/CHANGELOG.md", root + "/SECURITY.md", root + "/examples/README.md"}
	testutil.Must(t, filepath.WalkDir(root+"/docs", func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// TestCodeCompiles builds each block of Go code, and runs the programs and tests
// among them.
func TestCodeCompiles(t *testing.T) {
	dir := t.TempDir()
	abs, err := filepath.Abs(root)
	testutil.Must(t, err)
	mod := "module docs\n\ngo 1.25\n\nrequire github.com/stdmcp/stdmcp v0.0.0\n\nreplace github.com/stdmcp/stdmcp => " + abs + "\n"
	write(t, filepath.Join(dir, "go.mod"), mod)
	var programs, tests, records []string
	for _, path := range documents(t) {
		for i, block := range blocks(t, path, "go") {
			if strings.HasPrefix(block, "// go-sdk\n") || strings.HasPrefix(block, "// mcp-go\n") {
				continue // see TestCodeOfOtherLibrariesCompiles
			}
			if source, excerpt, ok := strings.Cut(strings.TrimPrefix(block, "// from "), "\n"); ok && strings.HasPrefix(block, "// from ") {
				text, err := os.ReadFile(filepath.Join(root, source))
				if err != nil || !strings.Contains(string(text), excerpt) {
					t.Errorf("%s: %s does not contain this (%v):\n%s", path, source, err, excerpt)
				}
				continue // which the tests of that program compile
			}
			name := fmt.Sprintf("%s%d", packageName(path), i+1)
			file := "main.go"
			if strings.HasPrefix(block, "package ") {
				programs = append(programs, name)
			} else if strings.Contains(block, "func Test") {
				file, tests = "main_test.go", append(tests, "./"+name)
				if strings.Contains(block, `flag.Bool("record"`) {
					records = append(records, "./"+name)
				}
			}
			write(t, filepath.Join(dir, name, file), program(block))
		}
	}
	if len(programs) == 0 || len(tests) == 0 {
		t.Fatal("no programs found, or no tests")
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
	bin := filepath.Join(dir, "bin") + string(filepath.Separator)
	run("go", "build", "-o", os.DevNull, "./...")
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	run("go", "build", "-o", bin, "github.com/stdmcp/stdmcp/cmd/mcpecho")
	for _, name := range programs {
		run("go", "build", "-o", bin, "./"+name)
		if out := run(name); !strings.HasSuffix(out, "42\n") {
			t.Errorf("%s prints %q", name, out)
		}
	}
	for _, name := range records {
		run("go", "test", name, "-record")
	}
	run("go", append([]string{"test", "-count=1"}, tests...)...)
}

// packageName returns a name for the code of a document: its path in letters.
func packageName(path string) string {
	path, _ = strings.CutPrefix(filepath.ToSlash(path), root+"/")
	return strings.NewReplacer("/", "", "-", "", "_", "").Replace(strings.ToLower(strings.TrimSuffix(path, ".md")))
}

// blocks returns the code blocks of a language in a document.
func blocks(t *testing.T, path, language string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	testutil.Must(t, err)
	for _, m := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?)\n```").FindAllStringSubmatch("\n"+string(text), -1) {
		all = append(all, m[1])
	}
	return all
}

func write(t *testing.T, path, text string) {
	t.Helper()
	testutil.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	testutil.Must(t, os.WriteFile(path, []byte(text), 0o600))
}

// packages are the packages that a block may use without an import.
var packages = map[string]string{
	"context": "context", "errors": "errors", "flag": "flag", "fmt": "fmt", "http": "net/http", "io": "io", "json": "encoding/json", "log": "log",
	"bufio": "bufio", "net": "net", "os": "os", "slog": "log/slog", "time": "time",
	"tls": "crypto/tls", "x509": "crypto/x509",
	"atomic": "sync/atomic", "httptest": "net/http/httptest", "jsonschema": "github.com/stdmcp/stdmcp/mcp/jsonschema",
	"testing": "testing", "synctest": "testing/synctest", "mcptest": "github.com/stdmcp/stdmcp/mcp/mcptest",
	"mcp": "github.com/stdmcp/stdmcp/mcp", "jsonrpc": "github.com/stdmcp/stdmcp/mcp/jsonrpc",
	"stdio": "github.com/stdmcp/stdmcp/mcp/stdio", "sse": "github.com/stdmcp/stdmcp/mcp/sse",
	"streamhttp": "github.com/stdmcp/stdmcp/mcp/streamhttp", "oauth": "github.com/stdmcp/stdmcp/mcp/oauth",
	"host": "github.com/stdmcp/stdmcp/mcp/host", "dialers": "github.com/stdmcp/stdmcp/mcp/host/dialers",
	"schema": "github.com/stdmcp/stdmcp/mcp/host/schema", "config": "github.com/stdmcp/stdmcp/mcp/host/config", "skills": "github.com/stdmcp/stdmcp/mcp/skills", "typed": "github.com/stdmcp/stdmcp/mcp/typed",
}

var usePattern = regexp.MustCompile(`\b([a-z0-9]+)\.[A-Z]`)

// program turns a block into a package. A block without a package clause becomes
// the body of a function with a context and a client.
func program(block string) string {
	if strings.HasPrefix(block, "package ") {
		return block
	}
	test := strings.HasPrefix(block, "func ") || strings.HasPrefix(block, "var ") // and not statements
	var b strings.Builder
	b.WriteString("package docs\n\nimport (\n") // and not main, which go build would link
	var used []string
	for _, m := range usePattern.FindAllStringSubmatch(block, -1) {
		if path := packages[m[1]]; path != "" && !slices.Contains(used, path) {
			used = append(used, path)
			fmt.Fprintf(&b, "\t%q\n", path)
		}
	}
	if test {
		b.WriteString(")\n\n" + block + "\n")
		return b.String()
	}
	for _, path := range []string{"context", packages["mcp"]} {
		if !slices.Contains(used, path) {
			fmt.Fprintf(&b, "\t%q\n", path)
		}
	}
	b.WriteString(")\n\nfunc run(ctx context.Context, client *mcp.Client) error {\n{\n" + block + "\n}\nreturn nil\n}\n")
	return b.String()
}

var fencePattern = regexp.MustCompile("(?s)\n```.*?\n```")

var linkPattern = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

// headings returns the anchors of the headings of a document.
func headings(t *testing.T, path string) (anchors []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	testutil.Must(t, err)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(text), -1) {
		words := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		anchors = append(anchors, "#"+strings.ReplaceAll(words, " ", "-"))
	}
	return anchors
}

func TestLinksHaveTargets(t *testing.T) {
	for _, path := range documents(t) {
		text, err := os.ReadFile(path)
		testutil.Must(t, err)
		prose := fencePattern.ReplaceAll(text, nil)
		for _, m := range linkPattern.FindAllStringSubmatch(string(prose), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target := filepath.Join(filepath.Dir(path), m[1])
			info, err := os.Stat(target)
			switch {
			case err != nil:
				t.Errorf("%s: %v", path, err)
			case m[2] != "" && !info.IsDir() && !slices.Contains(headings(t, target), m[2]):
				t.Errorf("%s: %s has no heading for %s", path, m[1], m[2])
			}
		}
		for _, script := range regexp.MustCompile(`\B\.ci/[a-z]+|\bscripts/[a-z]+`).FindAllString(string(text), -1) {
			if _, err := os.Stat(filepath.Join(root, script)); err != nil && script != ".ci/cache" {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

// TestNamedTestsExist looks for the tests that the documents name, and the tables
// that generated documents contain.
func TestNamedTestsExist(t *testing.T) {
	tables, err := filepath.Glob(root + "/internal/lab/*/testdata/*.md")
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	for _, path := range append(documents(t), tables...) {
		text, err := os.ReadFile(path)
		testutil.Must(t, err)
		if filepath.Base(path) != "CHANGELOG.md" { // which has history
			CheckNamedTests(t, fencePattern.ReplaceAllString(string(text), ""))
		}
	}
}

// TestVersionIsTheSameEverywhere compares the documents with mcp.Version.
func TestVersionIsTheSameEverywhere(t *testing.T) {
	for file, want := range map[string][]string{
		"README.md":       {"\n- Version " + mcp.Version + ": "},
		"CHANGELOG.md":    {"\n## [" + mcp.Version + "] - 20", "## [Unreleased]\n\nTo become " + mcp.Version + ","},
		"docs/mcpecho.md": {"mcpecho@v" + mcp.Version + "\n"},
		"scripts/release": {`^.*\bVersion = "\([^"]*\)"`}, // which reads it
		"docs/README.md":  {"Version " + mcp.Version},
		"mcp/protocol.go": {`Version = "` + mcp.Version + `"`},
	} {
		text, err := os.ReadFile(filepath.Join(root, file))
		testutil.Must(t, err)
		if !slices.ContainsFunc(want, func(w string) bool { return strings.Contains(string(text), w) }) {
			t.Errorf("%s does not name version %s", file, mcp.Version)
		}
	}
}

// TestChangelogIsShort: each version has three paragraphs.
func TestChangelogIsShort(t *testing.T) {
	sections := strings.Split(page(t, "CHANGELOG.md"), "\n## [")[1:]
	for _, section := range sections {
		name, text, _ := strings.Cut(section, "]")
		text, _, _ = strings.Cut(text, "\n[") // the links at the end
		_, text, _ = strings.Cut(text, "\n\n")
		paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
		if len(paragraphs) != 3 || !strings.Contains(paragraphs[0], "**New:**") || !strings.HasPrefix(paragraphs[1], "**To change:**") || !strings.HasPrefix(paragraphs[2], "**Missing:**") {
			t.Errorf("[%s] has %d paragraphs; three are wanted, with New, To change and Missing", name, len(paragraphs))
		}
	}
	if len(sections) == 0 {
		t.Error("CHANGELOG.md has no version")
	}
}

// TestConfigurationIsRead parses each block of configuration.
func TestConfigurationIsRead(t *testing.T) {
	for _, path := range documents(t) {
		for _, block := range blocks(t, path, "jsonc?") {
			c := config.Parse([]byte(block), filepath.Base(path), "user")
			if len(c.Servers) == 0 || len(c.Problems) > 0 {
				t.Errorf("%s: %d servers, %v in\n%s", path, len(c.Servers), c.Problems, block)
			}
		}
	}
}
