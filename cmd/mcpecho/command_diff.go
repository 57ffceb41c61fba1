package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/compat"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/guess"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/input"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// runDiff compares what two servers offer.
func runDiff(ctx context.Context, c *invocation) error {
	sides, err := c.diffSides()
	if err != nil {
		return err
	}
	var catalogs [2]*compat.Catalog
	for i, s := range sides {
		if catalogs[i], err = s.read(ctx); err != nil {
			return err
		}
		c.traced = c.traced || s.c.traced
		sides[1].c.traced = c.traced
	}
	changes := compat.Sorted(compat.Compare(catalogs[0], catalogs[1]))
	if c.flags.JSON {
		err = c.printJSON(diffJSON(catalogs, changes))
	} else {
		err = c.printLong(ctx, c.shown(diffText(catalogs, changes)))
	}
	if err != nil {
		return err
	}
	counts := countKinds(changes)
	bad := counts[compat.Breaking]
	message := terminal.Count(bad, "change") + " may break callers"
	if bad > 0 {
		message = terminal.Count(bad, "change") + " " + plural(bad, "breaks", "break") + " callers"
	} else if c.flags.Strict {
		bad = counts[compat.Unknown]
		message = terminal.Count(bad, "change") + " may break callers"
	}
	if bad > 0 {
		return &failure.Error{Status: failure.Refused, Kind: "breaking", Message: message}
	}
	return nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// A diffSide is one of the two servers of diff: a recording, or a server to connect to.
type diffSide struct {
	c     *invocation
	file  string   // of a recording
	typed string   // the argument
	all   []string // after the first --

	session bool // the server of the shell
}

// diffSides returns the two sides of the command line: arguments before --, and
// commands after each --.
func (c *invocation) diffSides() (sides [2]diffSide, err error) {
	if c.inShell() {
		return c.diffInShell()
	}
	servers := c.servers()
	all := len(c.args) + len(servers)
	for _, server := range servers {
		if len(server) > 0 && strings.Contains(server[0], "://") {
			line := append(c.without(), server[0])
			return sides, c.usageHint("a URL does not belong after --", "type: "+c.paste(line))
		}
		if len(server) == 0 {
			return sides, c.usageHint("a command that starts a server is missing after --", "type: "+c.diffLine(c.args, servers))
		}
	}
	switch {
	case all > 2:
		extra := strconv.Itoa(all)
		if len(servers) == 0 {
			at := all / 2
			if !guess.NamesServer(c.args) {
				at = 1
			}
			if guess.NamesServer(c.args) || guess.NamesServer(c.args[1:]) {
				return sides, c.usageHint("diff compares two servers, not "+extra+"; a command that starts one needs quotes or --",
					"type: "+c.paste([]string{"diff", strings.Join(c.args[:at], " "), strings.Join(c.args[at:], " ")}))
			}
		}
		return sides, c.usageHint("diff compares two servers, not "+extra, "type: "+c.diffLine(c.args, servers))
	case all < 2:
		what := "diff needs two servers or recordings"
		if all == 1 {
			what += ", and only one is given"
		}
		return sides, c.usageHint(what, "type: "+c.diffLine(c.args, servers))
	}
	for i := range sides {
		d := *c
		d.server, d.args, d.target, d.entry = nil, nil, "", nil
		sides[i] = diffSide{c: &d, all: c.server}
		if at := i - len(c.args); at >= 0 {
			d.server = servers[at]
		} else {
			err = sides[i].find(c.args[i])
		}
		if err != nil {
			return sides, err
		}
	}
	return sides, c.shareFlags(sides)
}

// servers returns the commands after each --.
func (c *invocation) servers() (all [][]string) {
	for rest := c.server; rest != nil; {
		var one []string
		one, rest = cutServer(rest)
		all = append(all, one)
	}
	return all
}

// diffInShell returns the sides of diff in a shell: its argument, and the server of the
// shell.
func (c *invocation) diffInShell() (sides [2]diffSide, err error) {
	if len(c.args) != 1 {
		return sides, c.usage("in a shell, diff compares one server or recording with that of the shell")
	}
	d, session := *c, *c
	d.server, d.target, d.entry, d.args = nil, "", nil, nil
	d.recorder, d.flags.Record, d.flags.Trace = nil, "", "" // which the session keeps open
	sides = [2]diffSide{{c: &d}, {c: &session, session: true}}
	if err := sides[0].find(c.args[0]); err != nil {
		return sides, err
	}
	sides[0].dropFlags()
	return sides, nil
}

// diffLine returns a command line with the first two of what the user has typed, and a
// sample in place of what is missing.
func (c *invocation) diffLine(args []string, servers [][]string) string {
	line := c.without()
	kept := 0
	line = slices.DeleteFunc(line, func(word string) bool {
		if slices.Contains(args, word) {
			kept++
		}
		return slices.Contains(args, word) && kept > 2
	})
	have := min(len(args), 2)
	servers = slices.DeleteFunc(slices.Clone(servers), func(server []string) bool { return len(server) == 0 })
	for ; have+len(servers) < 2; have++ {
		line = append(line, sampleURL)
	}
	for _, server := range servers[:min(len(servers), 2-have)] {
		line = append(append(line, "--"), server...)
	}
	return c.paste(line)
}

// find finds what an argument names: a URL, a configured server, a recording, a
// program by its path, or a command in quotes.
func (s *diffSide) find(word string) error {
	c := s.c
	c.target, s.typed = word, word
	if strings.Contains(word, "://") {
		return c.findTarget()
	}
	cfg, name := c.load()
	info, err := os.Stat(word)
	words, open := splitCommand(word)
	switch {
	case cfg.Server(name) != nil:
		return c.findTarget()
	case err == nil && info.IsDir():
		return c.usageHint(wire.Quote(word)+" is a directory, not a recording", "type: "+c.retyped(word, sampleURL))
	case err == nil && strings.ContainsAny(word, `/\`) && guess.IsProgram(word) && !isRecording(word):
		c.server = []string{word}
		return nil
	case err == nil:
		s.file = word
		return nil
	case len(words) > 1 && guess.IsProgram(words[0]) && open:
		return c.usageHint(wire.Quote(word)+": a quote is not closed", "type: "+c.retyped(word, strings.NewReplacer(`"`, "", "'", "").Replace(word)))
	case len(words) > 1 && guess.IsProgram(words[0]):
		c.server = words
		return nil
	}
	return s.explainWord(cfg, word)
}

// sampleURL is the URL of a server, for suggestions.
const sampleURL = "https://example.com/mcp"

// explainWord returns the failure for an argument that is neither a server nor a file.
func (s *diffSide) explainWord(cfg *config.Config, word string) error {
	c := s.c
	message := wire.Quote(word) + " is neither a configured server nor a file"
	known := serverNames(cfg)
	dir := filepath.Dir(word)
	if files, err := os.ReadDir(dir); err == nil {
		for _, f := range files[:min(len(files), maxNear)] {
			name := f.Name()
			if dir != "." || strings.HasPrefix(word, "./") {
				name = dir + string(filepath.Separator) + name
			}
			if f.Type().IsRegular() && len(nearest.Names(word, []string{name})) > 0 && isRecording(name) {
				known = append(known, name)
			}
		}
	}
	if near := nearest.Names(word, known); len(near) > 0 {
		return c.usageHint(message+" (did you mean "+wire.Quote(near[0])+"?)", "type: "+c.retyped(word, near[0]))
	}
	if path, err := exec.LookPath(word); err == nil {
		return c.usageHint(wire.Quote(word)+" is a program", "if it is a server, type: "+c.retyped(word, path))
	}
	if slices.Contains([]string{".rec", ".mcp", ".json", ".jsonl", ".log", ".txt", ".session"}, filepath.Ext(word)) && !strings.Contains(word, ":") {
		return c.usageHint(message, "to record a server, type: "+c.paste([]string{"tools", "--record", word, sampleURL}))
	}
	err := c.findTarget()
	var f *failure.Error
	if err == nil || errors.As(err, &f) && !strings.HasPrefix(f.Hint, "use a URL, or type: ") {
		return err // with a better hint
	}
	return c.usageHint(message, "type: "+c.retyped(word, sampleURL))
}

// maxNear limits the files whose names are compared.
const maxNear = 1000

// isRecording reports whether a file begins like a recording.
func isRecording(name string) bool {
	f, err := input.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	return recording.IsRecording(f)
}

// splitCommand splits a command into words, as a shell does with spaces and quotes. It
// reports whether a quote is not closed.
func splitCommand(line string) (words []string, open bool) {
	var word bytes.Buffer
	quote, started := rune(0), false
	for _, r := range line + " " {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, started = r, true
		case r != ' ' || quote != 0:
			word.WriteRune(r)
			started = true
		case started:
			words = append(words, word.String())
			word.Reset()
			started = false
		}
	}
	if quote != 0 {
		words = append(words, word.String())
	}
	return words, quote != 0
}

// starts reports whether the side starts a program, and web whether it is at a URL.
func (s *diffSide) starts() bool {
	return s.c.server != nil || s.c.entry != nil && s.c.entry.Type == config.Stdio
}

func (s *diffSide) web() bool { return s.file == "" && !s.starts() }

// shareFlags leaves the flags for programs to the sides that start one, and those for
// URLs to the others.
func (c *invocation) shareFlags(sides [2]diffSide) error {
	starts, web := sides[0].starts() || sides[1].starts(), sides[0].web() || sides[1].web()
	f := &c.flags
	switch {
	case !starts && (f.Env != nil || f.InheritEnv || f.Dir != ""):
		return c.usageHint("-e, --inherit-env and --cwd need a server that is started", "type: "+c.paste(c.without("env", "inherit-env", "cwd")))
	case !web && (f.Header != nil || f.Transport != ""):
		line := c.without("transport", "header")
		for _, server := range c.servers() {
			line = append(append(line, "--"), server...)
		}
		return c.usageHint("-t and -H need a server at a URL", "type: "+c.paste(line))
	}
	for i := range sides {
		sides[i].dropFlags()
	}
	return nil
}

// dropFlags drops the flags for URLs from a side that starts a program, and those for
// programs from another one.
func (s *diffSide) dropFlags() {
	if f := &s.c.flags; s.starts() {
		f.Header, f.Transport = nil, ""
	} else {
		f.Env, f.InheritEnv, f.Dir = nil, false, ""
	}
}

// read returns the catalog of a side.
func (s *diffSide) read(ctx context.Context) (*compat.Catalog, error) {
	if s.file != "" {
		entries, err := input.Await(ctx, func() ([]recording.Entry, error) { return readRecording(s.file) })
		if err != nil {
			return nil, s.explainFile(err)
		}
		k, err := compat.Recorded(entries)
		if err != nil {
			return nil, s.c.usageHint(s.file+": "+err.Error(), "type: "+s.c.paste([]string{"tools", "--record", s.file, sampleURL}))
		}
		return k, nil
	}
	if !s.session {
		s.c.shell = nil // whose connection is to another server
	}
	var declared mcp.RawMessage
	s.c.onSent = func(message []byte) {
		if caps := compat.Declared(message); caps != nil {
			declared = slices.Clone(caps)
		}
	}
	var k *compat.Catalog
	err := s.c.withServer(ctx, func(conn *conversation) (err error) {
		k, err = compat.Read(ctx, conn.Client)
		return err
	})
	if err != nil {
		return nil, s.explain(err)
	}
	k.SetDeclared(declared)
	return k, nil
}

// explain returns the failure of a server without its secrets, and with a command line
// that names both servers.
func (s *diffSide) explain(err error) error {
	f := *failure.Classify(err)
	f.Message = s.c.hide(f.Message)
	if f.Status == failure.Forbidden && f.Hint == "" {
		f.Hint = s.c.loginHint()
	}
	if !strings.HasPrefix(f.Hint, "type: "+s.c.paste([]string{"diff"})) || len(s.all) == 0 && s.c.server == nil {
		return &f
	}
	var missed *diag.NotPassedError
	switch better := guess.Server(s.c.serverOr("-")); {
	case s.c.server == nil:
		f.Hint += strings.TrimPrefix(s.c.paste(append([]string{"diff", "--"}, s.all...)), s.c.paste([]string{"diff"}))
	case errors.As(err, &missed):
		line := slices.Clone(s.c.typed)
		at := slices.Index(line, s.c.typedCommand()) + 1
		for _, name := range missed.Names {
			line = slices.Insert(line, at, "-e", name)
		}
		f.Hint = "type: " + s.c.paste(line)
	case better == nil:
		f.Hint = ""
	case s.typed != "":
		for i := range better {
			better[i] = s.c.quoteWord(better[i])
		}
		f.Hint = "type: " + s.c.retyped(s.typed, strings.Join(better, " "))
	default:
		line := slices.Clone(s.c.typed)
		for i := range line {
			if n := len(s.c.server); i+n <= len(line) && i > 0 && line[i-1] == "--" && slices.Equal(line[i:i+n], s.c.server) {
				f.Hint = "type: " + s.c.paste(slices.Replace(line, i, i+n, better...))
				break
			}
		}
	}
	return &f
}

// serverOr returns the command of the server, or another one if there is none.
func (c *invocation) serverOr(other string) []string {
	if c.server != nil {
		return c.server
	}
	return []string{other}
}

// explainFile adds to the failure of a file what it is, if it is no recording.
func (s *diffSide) explainFile(err error) error {
	f := *failure.Classify(err)
	if cfg := config.LoadFile(s.file); len(cfg.Servers) > 0 {
		name := s.file + ":" + cfg.Servers[0].Name
		f.Message, f.Hint = s.file+" has configured servers, and is no recording", "type: "+s.c.retyped(s.file, name)
		return &f
	}
	if server := guess.Interpreter(s.file); server != nil {
		f.Message, f.Hint = s.file+" is a program, and no recording", "type: "+s.c.retyped(s.file, strings.Join(server, " "))
		return &f
	}
	f.Hint = "to record it again, type: " + s.c.paste([]string{"tools", "--record", s.file, sampleURL})
	return &f
}

// readRecording reads a recording that the user names. The error names the file and the
// line.
func readRecording(name string) ([]recording.Entry, error) {
	f, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := recording.Read(f)
	if err != nil {
		err = failure.Local(errors.New(name + ": " + err.Error()))
	}
	return entries, err
}

func countKinds(changes []compat.Change) (counts [compat.Breaking + 1]int) {
	for i := range changes {
		counts[changes[i].Kind]++
	}
	return counts
}

// diffText describes the changes for people, the worst first.
func diffText(catalogs [2]*compat.Catalog, changes []compat.Change) string {
	var b bytes.Buffer
	for i, side := range [...]string{"old", "new"} {
		b.WriteString(side + ": " + describeServer(catalogs[i]) + "\n")
	}
	if len(changes) == 0 {
		b.WriteString("nothing changed\n")
	}
	titles := [...]string{"compatible", "noted", "unknown", "breaking"}
	counts := countKinds(changes)
	for i := range changes {
		c := &changes[i]
		if i == 0 || changes[i-1].Kind != c.Kind {
			b.WriteString("\n" + titles[c.Kind] + " (" + strconv.Itoa(counts[c.Kind]) + "):\n")
		}
		line := "  " + c.Where() + ": " + c.Text
		switch {
		case c.Old != "" && c.New != "":
			line += ": " + c.Old + " → " + c.New
		case c.Old != "":
			line += ": was " + c.Old
		case c.New != "":
			line += ": " + c.New
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func describeServer(k *compat.Catalog) string {
	name, version := k.Server(), k.ProtocolVersion()
	if name == "" {
		name = "a server without a name"
	}
	if version == "" {
		return name
	}
	return name + ", protocol " + display.EscapeName(version)
}

// diffJSON returns the changes as an object.
func diffJSON(catalogs [2]*compat.Catalog, changes []compat.Change) []byte {
	b := wire.AppendString(wire.AppendKey([]byte("{"), "result"), compat.Worst(changes).String())
	for i, side := range [...]string{"old", "new"} {
		b = wire.AppendString(wire.AppendKey(append(wire.AppendKey(b, side), '{'), "server"), catalogs[i].Server())
		b = append(wire.AppendString(wire.AppendKey(b, "protocolVersion"), catalogs[i].ProtocolVersion()), '}')
	}
	b = append(wire.AppendKey(b, "changes"), '[')
	for i := range changes {
		c := &changes[i]
		b = wire.AppendString(wire.AppendKey(append(wire.AppendComma(b), '{'), "kind"), c.Kind.String())
		for _, member := range [...]struct{ key, value string }{{"item", c.Item}, {"path", c.Path}, {"text", c.Text}, {"old", c.Old}, {"new", c.New}} {
			if member.value != "" {
				b = wire.AppendString(wire.AppendKey(b, member.key), member.value)
			}
		}
		b = append(b, '}')
	}
	return append(b, "]}"...)
}
