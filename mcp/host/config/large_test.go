package config

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestLargeFiles: files of up to 4 MiB, with as many entries, variables, arguments or
// lines as that permits, take a moment. Where the time grew with the square of the
// length, they took hours.
func TestLargeFiles(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	repeat := func(text string) string { return strings.Repeat(text, size/len(text)) }
	number := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	program := func(member string) string { return `{"mcpServers":{"a":{"command":"x",` + member + `}}}` }
	for name, text := range map[string]string{
		"references":     program(`"cwd":"` + repeat("${") + `"`),
		"masked":         program(`"env":{"TOKEN":"` + repeat("${") + `"}`),
		"variables":      program(`"cwd":"` + number("${V%d:-}") + `"`),
		"arguments":      program(`"args":[` + number(`"%d",`) + `]`),
		"secret values":  program(`"env":{` + number(`"K%d":"value-%[1]d",`) + `}`),
		"secret queries": `{"mcpServers":{"a":{"url":"https://example.com/?` + number("a=%d&") + `"}}}`,
		"wrong entries":  `{"mcpServers":{` + number("\n\"%d\":{},") + `}}`,
		"wrong members":  program(number("\n\"%d\":1,")),
		"inputs":         `{"inputs":[` + number(`{"id":"%d"},`) + `],"mcpServers":{"a":{"command":"x","cwd":"` + number("${input:%d}") + `"}}}`,
		"long name":      `{"mcpServers":{"` + repeat("k") + `":{"command":"x",` + number(`"%d":1,`) + `}}}`,
		"long override":  program(`"overrides":{"` + repeat("k") + `":{"arguments":{` + number(`"%d":1,`) + `}}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			use(Parse([]byte(text), "a.json", "project"))
		})
	}
	for name, text := range map[string]string{
		"tables":  number("[mcp_servers.s%d]\ncommand='x'\n"),
		"keys":    "[mcp_servers.a]\n" + number("k%d=1\n"),
		"wrong":   number("[mcp_servers.s%d]\n"),
		"ignored": number("[t%d]\n"),
		"members": "[mcp_servers.a]\n" + number("[mcp_servers.a.s%d]\n"),
		"inline":  "[mcp_servers.a]\nenv={" + number("k%d=1,") + "}",
		"name":    "[mcp_servers." + repeat("k") + "]\ncommand='x'\n" + number("k%d=1\n"),
		"dotted":  "[mcp_servers.a]\n" + number(strings.Repeat("a.", 60)+"k%d=1\n"),
	} {
		t.Run("TOML "+name, func(t *testing.T) {
			t.Parallel()
			use(ParseTOML([]byte(text), "a.toml", "project"))
		})
	}
	t.Run("merged", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "a.json")
		if err := os.WriteFile(file, []byte(`{"mcpServers":{`+number(`"%d":{},`)+`}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		use(Load(t.TempDir(), file, file))
	})
}

// TestDepthOfEveryDialect: values nest as deep as in JSON, and a longer chain of keys or
// brackets is refused before it takes memory.
func TestDepthOfEveryDialect(t *testing.T) {
	repeat := strings.Repeat
	for name, at := range map[string]func(depth int) *Config{
		"JSON": func(n int) *Config {
			return Parse([]byte(`{"mcpServers":{"a":{"command":"x","y":`+repeat("[", n-3)+repeat("]", n-3)+`}}}`), "", "")
		},
		"comments": func(n int) *Config {
			return Parse([]byte(`{"mcpServers":{/**/"a":{"command":"x","y":`+repeat(`{"b":`, n-3)+`1`+repeat(",}", n-3)+`}}}`), "", "")
		},
		"dotted key": func(n int) *Config {
			return ParseTOML([]byte("[mcp_servers.a]\ncommand='x'\n"+repeat("b.", n-3)+"y=1"), "", "")
		},
		"root key": func(n int) *Config {
			return ParseTOML([]byte("mcp_servers.a.command='x'\nmcp_servers.a."+repeat("b.", n-3)+"y=1"), "", "")
		},
		"table": func(n int) *Config {
			return ParseTOML([]byte("[mcp_servers.a]\ncommand='x'\n[mcp_servers.a"+repeat(".b", n-3)+"]"), "", "")
		},
		"list": func(n int) *Config {
			return ParseTOML([]byte("[mcp_servers.a]\ncommand='x'\ny="+repeat("[", n-3)+repeat("]", n-3)), "", "")
		},
		"inline": func(n int) *Config {
			return ParseTOML([]byte("[mcp_servers.a]\ncommand='x'\ny="+repeat("{b=", n-3)+"1"+repeat("}", n-3)), "", "")
		},
		"all": func(n int) *Config {
			return ParseTOML([]byte("[mcp_servers.a]\ncommand='x'\n[mcp_servers.a.b.b]\nb.b={b.b="+repeat("[", n-8)+repeat("]", n-8)+"}"), "", "")
		},
	} {
		if c := at(128); len(c.Servers) != 1 || len(c.Problems) != 1 { // an unknown field
			t.Errorf("%s: %v at the limit", name, c.Problems)
		}
		for _, depth := range []int{129, 1 << 20} {
			if c := at(depth); len(c.Servers) != 0 || len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Error(), "128") {
				t.Errorf("%s: %v below %d levels", name, c.Problems, depth)
			}
		}
	}
}

// TestBytesOfLargeFiles: what a file takes is limited by its length. Each key of TOML
// is kept, as tables may be continued anywhere, which is more where keys have a letter.
func TestBytesOfLargeFiles(t *testing.T) {
	const size = 256 << 10
	number := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for text, most := range map[string]uint64{
		"a='" + strings.Repeat("x", size) + "'":          8,
		number("[t%d]\na.b.c=[1, {d=2}]\n"):              8,
		number("[[t]]\na=%d\n"):                          8,
		number("# comment %d\n\n"):                       8,
		"[mcp_servers.a]\n" + strings.Repeat("a.", size): 8,
		"[mcp_servers.a]\nx=" + strings.Repeat("[", 120) + strings.Repeat("1,", size/2) + strings.Repeat("]", 120): 48,
		"[mcp_servers.a]\n" + number("a%d={"+strings.Repeat("a={", 90)+strings.Repeat("}", 90)+"}\n"):              72,
		"[mcp_servers.a]\n" + number(strings.Repeat("a.", 60)+"k%d=1\n"):                                           96,
		"[mcp_servers.a]\n" + number("k%d.a=1\n"):                                                                  96,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ParseTOML([]byte(text), "", "")
		runtime.ReadMemStats(&after)
		if bytes := (after.TotalAlloc - before.TotalAlloc) / uint64(len(text)); bytes > most {
			t.Errorf("%.30q...: %d bytes per byte, want at most %d", text, bytes, most)
		}
	}
}

// TestLimitsOfFile: a file with too many servers or too long a name is refused, and
// the warnings about it are limited.
func TestLimitsOfFile(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpServers":{` + strings.Repeat(`"a":{},`, maxServers) + `"b":{}}}`:      "10001 servers; a file may have 10000",
		`{"mcpServers":{"` + strings.Repeat("a", maxName+1) + `":{"command":"x"}}}`: "longer than 256 bytes",
	} {
		if c := Parse([]byte(text), "", ""); len(c.Servers) != 0 || len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Error(), want) || len(c.Problems[0].Error()) > 400 {
			t.Errorf("%v, want %s", c.Problems, want)
		}
	}
	for entry, want := range map[string]string{
		`"excludeTools":["` + strings.Repeat("*", maxGlob+1) + `"]`:               `"tools" has a glob of 1025 bytes; at most 1024 are permitted`,
		`"envFile":["a"` + strings.Repeat(`,"a"`, maxEnvFiles) + `]`:              `"envFile" has 17 files; at most 16 are permitted`,
		`"includeTools":["` + strings.Repeat("*", maxGlob) + `"],"envFile":["a"]`: "",
	} {
		c := Parse([]byte(`{"mcpServers":{"a":{"command":"x",`+entry+`}}}`), "", "")
		if want == "" && len(c.Problems) == 0 {
			continue
		}
		if len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Error(), want) {
			t.Errorf("%v, want %s", c.Problems, want)
		}
	}
	c := Parse([]byte(`{"mcpServers":{"a":{"command":"x"`+`,"`+strings.Repeat("x", 1000)+`":1`+`},"`+strings.Repeat("b", maxName)+`":{"command":"x"}}}`), "", "")
	if len(c.Servers) != 2 || len(c.Problems) != 1 || len(c.Problems[0].Error()) > 400 {
		t.Error(c.Problems)
	}
	var b strings.Builder
	for i := range 2 * maxWarnings {
		fmt.Fprintf(&b, `,"%d":1`, i)
	}
	c = Parse([]byte(`{"mcpServers":{"a":{"command":"x"`+b.String()+`},"b":{"command":"x","y":1},"c":{}}}`), "", "")
	if len(c.Servers) != 2 || len(c.Problems) != maxWarnings+1 || c.Problems[maxWarnings].Server != "c" {
		t.Errorf("%d problems", len(c.Problems))
	}
}

// TestLongValuesOfVariables: a file that names a long variable a million times does not
// take a gigabyte.
func TestLongValuesOfVariables(t *testing.T) {
	long := strings.Repeat("x", 64<<10)
	vars := &Vars{Lookup: func(string) (string, bool) { return long, true }}
	for args, want := range map[int]bool{maxFile / len(long): true, maxFile/len(long) + 1: false, 1 << 10: false} {
		s := &Server{Command: "x", Args: []string{strings.Repeat("${V}", args/2), strings.Repeat("${V}", args-args/2)}}
		x, err := s.Expand(context.Background(), vars)
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), `"args" has variables whose values are longer than 4 MiB`) {
			t.Errorf("%d: %v", args, err)
		}
		if err == nil && len(x.Args[0])+len(x.Args[1]) != maxFile {
			t.Errorf("%d: %d bytes", args, len(x.Args[0]))
		}
		s = &Server{Command: "x", Env: strings.Split(strings.Repeat("V ", args)+"V=", " ")}
		x, err = s.Expand(context.Background(), vars)
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), `"env" has variables whose values are longer than 4 MiB`) {
			t.Errorf("%d that are passed on: %v", args, err)
		}
		if err == nil && len(x.Env) != args+1 {
			t.Errorf("%d that are passed on: %d", args, len(x.Env))
		}
	}
}

// TestLongFilesOfVariables: the limit of the values includes those from files.
func TestLongFilesOfVariables(t *testing.T) {
	name := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(name, []byte(strings.Repeat("A=12345\n", maxFile/8)), 0o600); err != nil {
		t.Fatal(err)
	}
	for files, want := range map[int]bool{1: true, 2: false, maxEnvFiles: false} {
		s := &Server{Command: "x", EnvFiles: slices.Repeat([]string{name}, files)}
		if _, err := s.Expand(context.Background(), nil); (err == nil) != want || err != nil && !strings.Contains(err.Error(), `"envFile" has variables whose values are longer than 4 MiB`) {
			t.Errorf("%d: %v", files, err)
		}
	}
}

// use calls what programs call with a configuration.
func use(c *Config) {
	for _, p := range c.Problems {
		_ = p.Error()
	}
	for i, s := range c.All() {
		if i == 1000 {
			break // one more takes as long as these
		}
		if expanded, err := s.Expand(context.Background(), &Vars{Input: func(_ context.Context, id string) (string, error) {
			_, err := c.Input(id)
			return id, err
		}}); err == nil {
			_ = expanded.String()
		}
		_ = s.String()
		s.Public()
		s.Effects()
	}
}
