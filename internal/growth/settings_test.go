package growth_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/glob"
	"github.com/stdmcp/stdmcp/internal/growth"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

// The input is a list of members of a server's settings.
func TestGrowthOfSettings(t *testing.T) {
	growth.Test(t, &growth.Reader{Name: "configuration", Base: `"command":"x"`, Limits: []string{"a file may have 10000", "longer than 256 bytes"},
		Bytes: 160, Reason: "a server of 25 bytes is a struct of 816, and a table of 1,000 bytes reads its settings",
		Dimensions: []growth.Dimension{
			growth.Beside("length of an argument", `"args":["`, "a", `"],`),
			growth.Beside("arguments", `"args":[`, `"a",`, `"a"],`),
			growth.Beside("variables", `"env":{`, `"E00000000":"v",`, `"L":""},`),
			growth.Beside("references", `"description":"`, "${HOME}", `",`),
			growth.Beside("beginnings of references", `"cwd":"`, "${", `",`),
			growth.Beside("length of a value", `"env":{"E":"${X:-`, "v", `}"},`),
			growth.Beside("comments", "", "// 1\n", ""),
			growth.Beside("a long comment", "/*", "*", "*/"),
			growth.Beside("unknown members", "", `"u00000000":1,`, ""),
			growth.Beside("a long unknown member", `"`, "u", `":0,`),
			growth.Beside("members of the same name", "", `"x":0,`, ""),
			growth.Beside("servers", ``, `"command":"x"},"s00000000":{`, ""),
			growth.Beside("length of the name of a server", `"command":"x"},"`, `s`, `":{`),
		},
		Prepare: func(input string) func() error {
			text := []byte(`{"mcpServers":{"a":{` + input + `}}}`)
			return func() error {
				c := config.Parse(text, "", "")
				for _, p := range c.Problems {
					if !strings.Contains(p.Err.Error(), "unknown") && !strings.Contains(p.Err.Error(), "twice") {
						return p.Err
					}
				}
				return nil
			}
		}})
}

// The input is a list of projects in the file that Claude Code has in the home directory.
func TestGrowthOfProjects(t *testing.T) {
	growth.Test(t, &growth.Reader{Name: "projects", Base: `"":{}`, Flat: true,
		Bytes: 160, Reason: "a project of 9 bytes is a struct of 400, and its problem one of 100",
		Dimensions: []growth.Dimension{
			growth.Beside("projects", "", `"p00000000":{"mcpServers":{}},`, ""),
			growth.Beside("wrong servers", "", `"w00000000":{"mcpServers":{"a":1}},`, ""),
			growth.Beside("lines", "", "\n", ""),
			growth.Beside("length of a folder", `"`, "f", `":{"mcpServers":{"a":1}},`),
		},
		Prepare: func(input string) func() error {
			home := t.TempDir()
			if err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte(`{"projects":{`+input+`}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			return func() error {
				for _, f := range config.Discover(&config.Places{OS: "linux", Home: home, Dir: home}) {
					for _, p := range f.Problems {
						if p.Server == "" {
							return p.Err
						}
					}
				}
				return nil
			}
		}})
}

func toml(input string) error {
	c := config.ParseTOML([]byte(input), "", "")
	for _, p := range c.Problems {
		if !strings.Contains(p.Err.Error(), "unknown") {
			return p.Err
		}
	}
	if len(c.Servers) == 0 {
		return errors.New("no server")
	}
	return nil
}

func TestGrowthOfTOML(t *testing.T) {
	growth.Test(t, &growth.Reader{Name: "TOML", Base: "[mcp_servers.a]\ncommand = 'x'\n", Flat: true, Limits: []string{"nest deeper than 128", "is neither text in quotes, a number"},
		Bytes: 80, Reason: "an item of 2 bytes is a node of 64, and one of 2 in JSON",
		Dimensions: []growth.Dimension{
			growth.Beside("parts of a key", "a", ".a", "=1\n"),
			growth.Beside("parts of the name of a table", "[mcp_servers.b", ".b", "]\n"),
			growth.Beside("length of a key", "", "c", "=1\n"),
			growth.Beside("length of a text", "d='", "x", "'\n"),
			growth.Beside("escapes of a text", `e="`, `\t`, "\"\n"),
			growth.Beside("lines of a text", `f="""`, "x\n", "\"\"\"\n"),
			growth.Beside("quotes in a text", `g='''`, `''x`, "'''\n"),
			growth.Beside("keys", "", "h00000000=1\n", ""),
			growth.Beside("tables", "", "[mcp_servers.b.i00000000]\n", ""),
			growth.Beside("tables in tables", "", "[mcp_servers.b.j.j00000000.j]\n", ""),
			growth.Beside("items", "k=[", "1,", "]\n"),
			growth.Beside("members", "l={", "l00000000=1,", "}\n"),
			growth.Beside("comments", "", "#\n", ""),
			growth.Beside("digits", "n=1", "0", ".0\n"),
			growth.Beside("digits with underscores", "o=1", "_0", "\n"),
			{Name: "depth", Grow: func(n int, inner string) string {
				return "p=" + strings.Repeat("[", n/2) + strings.Repeat("]", n/2) + "\n" + inner
			}},
		},
		// What is not in the table of the servers is skipped.
		Prepare: func(input string) func() error {
			return func() error { return toml("[mcp_servers.b]\ncommand='x'\n" + input) }
		}})
}

// The input is a glob and a name. The time for a glob that has a star is the product of
// their lengths, unless its text matches at once; a glob of a file or a query has at
// most 1 KiB.
func TestGrowthOfGlobs(t *testing.T) {
	both := func(name, glob, text string) growth.Dimension {
		return growth.Dimension{Name: name, Grow: func(n int, inner string) string {
			g, s, _ := strings.Cut(inner, "\x00")
			return strings.Repeat(glob, n/len(glob)) + g + "\x00" + strings.Repeat(text, n/len(glob)) + s
		}}
	}
	dimensions := []growth.Dimension{
		both("text", "a", "a"),
		both("stars", "*a", "a"),
		growth.In(1, growth.Beside("text of a star", "", "b", ""))[0],
		both("classes", "[a-z]", "a"),
		both("open brackets", "[", "["),
		both("braces", "{a,b}", "a"),
		growth.In(0, growth.Beside("a long class", "{x,[", "b", "]}*"))[0],
	}
	growth.Test(t, &growth.Reader{Name: "globs", Base: "x\x00x", Flat: true, Dimensions: dimensions[:3],
		Prepare: func(input string) func() error {
			glob, name, _ := strings.Cut(input, "\x00")
			return func() error { matchGlob("*"+glob+"[x]", name+"x"); return nil }
		}})
	long := errors.New("the glob is too long")
	growth.Test(t, &growth.Reader{Name: "globs of files", Base: "x\x00x", Flat: true, Dimensions: dimensions, Limits: []string{long.Error()},
		Budget: 1 << 20, Reason: "a glob has at most 64 alternatives",
		Prepare: func(input string) func() error {
			glob, name, _ := strings.Cut(input, "\x00")
			return func() error {
				if len(glob) > 1024 {
					return long
				}
				matchGlob("*"+glob, name)
				return nil
			}
		}})
}

func TestGrowthOfReferences(t *testing.T) {
	growth.Test(t, &growth.Reader{Name: "references", Base: "x", Flat: true,
		Bytes: 64, Reason: "a reference of 4 bytes becomes 5, and three copies of the text are compared with names of secrets",
		Dimensions: []growth.Dimension{
			growth.Beside("text", "", "x", ""),
			growth.Beside("references", "", "${A}", ""),
			growth.Beside("beginnings of references", "", "${", ""),
			growth.Beside("dollars", "", "$", ""),
			growth.Beside("ends of references", "", "}", ""),
			growth.Beside("references of another kind", "", "$env:A ", ""),
			growth.Beside("beginnings of another kind", "", "$env:", ""),
			growth.Beside("a long default", "${B:-", "x", "}"),
			growth.Beside("long names", "$env:", "A", " "),
			growth.Beside("parameters of a URL", "https://h/?", "a&", ""),
		},
		Prepare: func(input string) func() error {
			s := &config.Server{Name: "s", Command: "x", Args: []string{input}}
			v := &config.Vars{Lookup: func(name string) (string, bool) { return "value", name != "B" }}
			return func() error { _, err := s.Expand(context.Background(), v); return err }
		}})
}

func TestGrowthOfTemplates(t *testing.T) {
	growth.Test(t, &growth.Reader{Name: "Expand", Base: "x", Flat: true,
		Bytes: 120, Reason: "the value of a variable with a name of one byte is in two slices, escaped and joined",
		Dimensions: []growth.Dimension{
			growth.Beside("text", "", "x", ""),
			growth.Beside("characters to escape", "", "<", ""),
			growth.Beside("expressions", "", "{a}", ""),
			growth.Beside("variables", "{a", ",b", "}"),
			growth.Beside("variables with names", "{?a", ",b", "}"),
			growth.Beside("lists", "", "{?l*}", ""),
			growth.Beside("prefixes", "", "{a:1}", ""),
			growth.Beside("a long name", "{", "a", "}"),
			growth.Beside("a name of many parts", "{a", ".a", "}"),
		},
		Prepare: func(input string) func() error {
			t := &mcp.ResourceTemplate{URITemplate: input}
			values := map[string]any{"a": "1", "b": "2", "l": []string{"1", "2"}}
			return func() error { _, err := t.Expand(values); return err }
		}})
}

func TestGrowthOfFrontmatter(t *testing.T) {
	growth.Test(t, &growth.Reader{Name: "frontmatter", Flat: true, Base: "a: b\n", Limits: []string{"more than 512", "levels", "longer than 256 KiB", "longer than a line or 1024 bytes", "want a comma or the end", "the number is too large"},
		Bytes: 80, Reason: "an item of 2 bytes is a value of 32, in a slice that doubles",
		Dimensions: []growth.Dimension{
			growth.Beside("length of a key", "", "b", ": 1\n"),
			growth.Beside("keys", "", "c00000000: 1\n", ""),
			growth.Beside("length of a text", "d: x", "x", "\n"),
			growth.Beside("lines of a text", "e: x\n", " x\n", ""),
			growth.Beside("empty lines", "f: x\n", "\n", " x\n"),
			growth.Beside("lines of a literal text", "g: |\n", " x\n", ""),
			growth.Beside("empty lines of a folded text", "h: >\n", "\n", " x\n"),
			growth.Beside("indentation", "i:\n ", " ", "x\n"),
			growth.Beside("quoted text", "j: '", "''", "'\n"),
			growth.Beside("escapes", `k: "`, `\t`, "\"\n"),
			growth.Beside("blanks in quoted text", `l: "`, " ", "\"\n"),
			growth.Beside("items", "m:\n", " - x\n", ""),
			growth.Beside("items of a flow", "n: [", "x,", "x]\n"),
			growth.Beside("members of a flow", "o: [", "{o: x},", "x]\n"),
			growth.Beside("comments", "", "# x\n", ""),
			growth.Beside("digits", "p: 1", "0", "\n"),
			growth.Beside("depth", "q: ", "[", "\n"),
		},
		Prepare: func(input string) func() error {
			text := []byte(input)
			return func() error { _, err := skills.ParseFrontmatter(text); return err }
		}})
}

// matchGlob is glob.Match, where a variable has the name of the package.
var matchGlob = glob.Match
