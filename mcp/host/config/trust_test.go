package config

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestProjectStartsOnlyAfterTrust: an entry of a project's file, wherever it was read, is not
// ready to be started before the program has trusted it; those of other files are.
func TestProjectStartsOnlyAfterTrust(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for name, text := range map[string]string{
		filepath.Join(dir, ".mcp.json"):   `{"mcpServers":{"p":{"command":"a"},"off":{"command":"a","disabled":true}}}`,
		filepath.Join(home, ".mcp.json"):  `{"mcpServers":{"u":{"command":"a"}}}`,
		filepath.Join(dir, "named.json"):  `{"mcpServers":{"n":{"command":"a"}}}`,
		filepath.Join(dir, "cursor.json"): ``,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := Load(dir, filepath.Join(dir, "named.json"))
	c.Trust(nil)
	for name, want := range map[string]bool{"p": false, "off": false, "u": true, "n": true} {
		s := c.Server(name)
		if _, err := s.Expand(t.Context(), nil); s.Trusted() != want || (err == nil) != want || !want && !errors.Is(err, ErrUntrusted) {
			t.Errorf("%s: trusted %v, %v", name, s.Trusted(), err)
		}
	}
	for _, other := range []*Server{Parse([]byte(`{"p":{"command":"a"}}`), "f", "project").Servers[0],
		ParseTOML([]byte("[mcp_servers.p]\ncommand='a'"), "f", "project").Servers[0], Discover(&Places{OS: "linux", Home: home, Dir: dir})[0].Server("p")} {
		if other.Trusted() {
			t.Errorf("%v is trusted", other)
		}
	}
	var asked []string
	before := c.Server("p")
	c.Trust(func(s *Server) bool { asked = append(asked, s.Name); return true })
	if !slices.Equal(asked, []string{"p"}) || before.Trusted() || !c.Server("p").Trusted() || before.Equal(c.Server("p")) {
		t.Error(asked, before.Trusted())
	}
	if _, err := c.Server("p").Expand(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if c.Server("off").Trust().Disabled != true {
		t.Error("trust enables")
	}
}

// TestContentOfEnvFiles: the question of trust shows the variables in a file as others, and
// the server gets those and no later ones.
func TestContentOfEnvFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ".env")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("NAME_OF_FILE", ".env")
	load := func(scope string) *Server {
		return Parse([]byte(`{"x":{"command":"a","envFile":["${NAME_OF_FILE}","none"]}}`), filepath.Join(dir, "f.json"), scope).Servers[0]
	}
	write("A=1 ${B}\nexport API_TOKEN='hunter22'\nNODE_OPTIONS=--x\n")
	s := load("project")
	want := []string{"runs a", "sets the variables in the file ${NAME_OF_FILE}", "sets A=1 ${B}", "sets API_TOKEN=***", "sets NODE_OPTIONS=--x",
		"sets the variables in the file none, which does not exist", "uses the values of NAME_OF_FILE"}
	if got := s.Effects(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	one := Parse([]byte(`{"x":{"command":"a","envFile":"${NAME_OF_FILE}"}}`), filepath.Join(dir, "f.json"), "project").Servers[0]
	trusted := one.Trust()
	write("A=2\nNODE_OPTIONS=--require ./evil\n")
	e, err := trusted.Expand(t.Context(), nil)
	if err != nil || !slices.Equal(e.Env, []string{"A=1 ${B}", "API_TOKEN=hunter22", "NODE_OPTIONS=--x"}) {
		t.Errorf("%v %v", e, err)
	}
	if got := s.Trust().Effects(); !slices.Equal(got, want) {
		t.Errorf("later: %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "none"), []byte("LD_PRELOAD=x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Trust().Expand(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "envFile") {
		t.Errorf("a file that has appeared since the question: %v", err)
	}
	if next := load("project"); !next.Equal(s) || next.Trust().Equal(s.Trust()) {
		t.Error("a server whose file has changed is the same, or an unread one is not")
	}
	other := one.Trust()
	if _, err := other.Expand(t.Context(), &Vars{Lookup: func(string) (string, bool) { return "none", true }}); err == nil {
		t.Error("another file is read than was shown")
	}
	in := Parse([]byte(`{"x":{"command":"a","envFile":"${input:f}"}}`), filepath.Join(dir, "f.json"), "project").Servers[0].Trust()
	if _, err := in.Expand(t.Context(), &Vars{Input: func(context.Context, string) (string, error) { return ".env", nil }}); err == nil {
		t.Error("a file is read that the user did not see")
	}
}

// TestContentThatRuns: a file is only a secret if no other setting uses it.
func TestContentThatRuns(t *testing.T) {
	for text, want := range map[string]bool{
		`{"command":"a","env":{"API_TOKEN":"${file:f}"}}`:                                false,
		`{"command":"a","args":["--token","${file:f}"]}`:                                 false,
		`{"command":"a","args":["--token=${file:f}"]}`:                                   false,
		`{"command":"sh","args":["-c","${DB_TOKEN}"],"env":{"DB_TOKEN":"${file:f}"}}`:    true,
		`{"command":"sh","args":["-c","${ DB_TOKEN }"],"env":{"DB_TOKEN":"${file:f}"}}`:  true,
		`{"command":"sh","args":["-c","eval $DB_TOKEN"],"env":{"DB_TOKEN":"${file:f}"}}`: true,
		`{"command":"${env:DB_TOKEN}","env":{"DB_TOKEN":"${file:f}"}}`:                   true,
		`{"url":"https://${DB_TOKEN}/","env":{"DB_TOKEN":"${file:f}"}}`:                  true,
		`{"command":"env","args":["--unset=API_TOKEN","${file:f}"]}`:                     true,
		`{"command":"python3","args":["-Xtoken","${file:f}"]}`:                           true,
	} {
		s := Parse([]byte(`{"mcpServers":{"x":`+text+`}}`), "", "project").Servers[0]
		if got := s.codeReferences(s.usedVariables())["file:f"]; got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

// TestEnvFilesOfUsersAreReadAtTheStart: without a question, a file is read when the server starts.
func TestEnvFilesOfUsersAreReadAtTheStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "e")
	s := &Server{Name: "x", Command: "a", EnvFiles: []string{file}}
	parsed := Parse([]byte(`{"x":{"command":"a","envFile":"e"}}`), filepath.Join(filepath.Dir(file), "f.json"), "user").Servers[0]
	for _, want := range []string{"A=1", "A=2"} {
		if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Server{s, parsed} {
			if e, err := s.Expand(t.Context(), nil); err != nil || !slices.Equal(e.Env, []string{want}) {
				t.Error(e.Env, err)
			}
		}
	}
}

// TestFilesOutsideOfTheProject: the question shows no secret of the user, and the content
// counts all the same.
func TestFilesOutsideOfTheProject(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	file := filepath.Join(home, "own")
	load := func(text string) *Server {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Parse([]byte(`{"x":{"command":"a","args":["${file:~/own}"],"envFile":"~/own"}}`), filepath.Join(dir, "f.json"), "project").Servers[0]
	}
	s := load("DATABASE=hunter22\nNODE_OPTIONS=-r x\nDOCKER_PASSWORD=hunter22\nNODE_AUTH_TOKEN=hunter22\nHTTPS_PROXY=http://u:hunter22@h\nGOFLAGS=-toolexec=x")
	want := []string{"runs a ${file:~/own}", "sets the variables in the file ~/own, which is outside of the project", "sets DATABASE=***", "sets NODE_OPTIONS=-r x",
		"sets DOCKER_PASSWORD=***", "sets NODE_AUTH_TOKEN=***", "sets HTTPS_PROXY=http://u:***@h", "sets GOFLAGS=-toolexec=x",
		"uses the content of the file ~/own, which is outside of the project"}
	if got := s.Effects(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	load("DATABASE=hunter33")
	if _, err := s.Trust().Expand(t.Context(), nil); err == nil {
		t.Error("another content is used than the user was asked about")
	}
	if got := load("HOME=/x\x00SECRET=hunter22").Effects(); strings.Contains(strings.Join(got, "\n"), "hunter22") {
		t.Errorf("%q", got)
	}
}

// TestManyFilesInQuestion: one file by many paths takes no gigabytes, and what was not read
// is not used.
func TestManyFilesInQuestion(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "big"), []byte(strings.Repeat("x", maxReferenced)), 0o600); err != nil {
		t.Fatal(err)
	}
	var args []string
	for i := range 2 * maxFile / maxReferenced {
		args = append(args, "\"${file:"+strings.Repeat("./", i)+"big}\"")
	}
	s := Parse([]byte(`{"x":{"command":"a","args":[`+strings.Join(args, ",")+`]}}`), filepath.Join(dir, "f.json"), "project").Servers[0]
	lines := s.Effects()
	if n := len(strings.Join(lines, "")); n > 2*maxFile || !strings.HasSuffix(lines[len(lines)-1], "which is not read") {
		t.Errorf("%d bytes", n)
	}
	if _, err := s.Trust().Expand(t.Context(), nil); err == nil {
		t.Error("a file is used that the user did not see")
	}
}

// TestUnreadableFileInQuestion: a file that Effects cannot read is not shown as an empty one, and
// is not used when it can be read.
func TestUnreadableFileInQuestion(t *testing.T) {
	dir := t.TempDir()
	s := Parse([]byte(`{"x":{"command":"a","args":["${file:late}"]}}`), filepath.Join(dir, "f.json"), "project").Servers[0]
	if lines := s.Effects(); !slices.Contains(lines, "uses the content of the file late, which is not read") {
		t.Errorf("%q", lines)
	}
	if err := os.WriteFile(filepath.Join(dir, "late"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Trust().Expand(t.Context(), nil); err == nil {
		t.Error("a file is used that the user did not see")
	}
}

// TestManyAbsentFilesInQuestion: the question takes a small multiple of the entry, and not its
// square.
func TestManyAbsentFilesInQuestion(t *testing.T) {
	const files = 2000
	var args []string
	for i := range files {
		args = append(args, `"${file:absent`+strconv.Itoa(i)+`}"`)
	}
	s := Parse([]byte(`{"x":{"command":"a","args":[`+strings.Join(args, ",")+`]}}`), filepath.Join(t.TempDir(), "f.json"), "project").Servers[0]
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lines := s.Effects()
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / files; n > 20_000 || len(lines) != files+1 {
		t.Errorf("%d bytes for each of %d lines", n, len(lines))
	}
}
