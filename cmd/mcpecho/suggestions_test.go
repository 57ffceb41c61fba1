package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/shellwords"
)

// suggestion returns the command line that an error tells the user to type, or "".
func suggestion(stderr string) string {
	var fromJSON struct{ Error struct{ Hint string } }
	if json.Unmarshal([]byte(stderr), &fromJSON) == nil {
		stderr = fromJSON.Error.Hint
	}
	for line := range strings.Lines(stderr) {
		if before, typed, ok := strings.Cut(line, "type: "); ok && line[0] != '\t' && !strings.Contains(before, "exited with status") && !strings.HasSuffix(before, "content-") { // else a server wrote it
			typed, _, _ = strings.Cut(strings.TrimSuffix(typed, "\n"), "; its arguments: ")
			typed, _, _ = strings.Cut(typed, " (or the server's command after --)")
			typed, _, _ = strings.Cut(typed, " (found: ")
			return typed
		}
	}
	return ""
}

// filled replaces what a suggestion leaves open, as a user does.
func (p *folder) filled(line string) string {
	return strings.NewReplacer("https://example.com/mcp", p.here.Replace("URL"),
		"a=…", "a=1", "b=…", "b=1", "bytes=…", "bytes=1", "steps=…", "steps=1", "seconds=…", "seconds=0", "age=…", "age=7", "color=…", "color=green", "…", "x").Replace(line)
}

// runOnce runs a line as a user would who interrupts what does not end by itself.
func runOnce(t *testing.T, args []string) result {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, complaint := &interruptingWriter{cancel: func() {}}, &watchingWriter{cancel: cancel}
	if name, _ := cutName(args); findCommand(name) != nil && findCommand(name).endless {
		out.cancel = cancel
	}
	status := run(ctx, serverArgs(t, args), &environment{stdin: strings.NewReader(""), stdout: out, stderr: complaint,
		getenv: func(string) string { return "" }, self: mcpechoPath(t), name: "mcpecho"})
	if ctx.Err() == context.DeadlineExceeded {
		t.Errorf("mcpecho %s: still runs after a minute", shellwords.Join(args))
	}
	hide := strings.NewReplacer(mcpechoPath(t), "mcpecho", " --env GORACE=atexit_sleep_ms=0", "")
	return result{status, out.written.String(), hide.Replace(complaint.written.String())}
}

// A watchingWriter interrupts a command that says that it watches something.
type watchingWriter struct {
	written bytes.Buffer
	cancel  func()
}

func (w *watchingWriter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("Watching")) {
		w.cancel()
	}
	return w.written.Write(p)
}

// faked are programs that command lines of the tests start. fakeLaunchers replaces them.
var faked = []string{"node", "npx", "python3", "go"}

// fakeLaunchers puts the echo server in place of the launchers.
func fakeLaunchers(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return
	}
	dir := t.TempDir()
	for _, name := range faked {
		script := "#!/bin/sh\nGORACE=atexit_sleep_ms=0 exec " + shellQuote(mcpechoPath(t)) + " serve\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// startsOther reports whether a line starts a program that is neither mcpecho nor a
// launcher. Such a line is only parsed.
func startsOther(args []string) bool {
	_, server := cutServer(args)
	return len(server) > 0 && server[0] != "mcpecho" && (runtime.GOOS == "windows" || !slices.Contains(faked, server[0]))
}

// checkSuggestions follows what mcpecho tells a user to type who has typed a line. Every
// step must get further: to another error than those before. If strict is set, the last
// one must be none that mcpecho could have avoided; a line may have several mistakes.
func (p *folder) checkSuggestions(t *testing.T, line string, first result, strict bool) {
	t.Helper()
	seen := []string{"mcpecho " + line}
	errors := []string{first.stderr}
	last := first
	for last.status != 0 {
		next := suggestion(last.stderr)
		if next == "" {
			break
		}
		command, _, _ := strings.Cut(next, " | ")
		if before, rest, ok := strings.Cut(next, " | mcpecho "); ok && strings.HasPrefix(before, "echo ") {
			command = "mcpecho " + rest
		}
		command, _, _ = strings.Cut(command, " < ")
		if variable, rest, ok := strings.Cut(command, " mcpecho "); ok && strings.Contains(variable, "=") && !strings.HasPrefix(command, "mcpecho ") {
			command = "mcpecho " + rest
		}
		args := words(t, p.here.Replace(p.filled(command)))
		if len(args) == 0 || args[0] != "mcpecho" {
			t.Errorf("mcpecho %s\nis told to type, which is not a command of mcpecho:\n%s", line, next)
			return
		}
		if slices.Contains(seen, next) {
			t.Errorf("mcpecho %s\nis told again to type\n%s\nafter %q", line, next, seen)
			return
		}
		if lost := lostFlag(t, p.here.Replace(seen[len(seen)-1]), args, last.stderr); lost != "" {
			t.Errorf("mcpecho %s\nis told to type a line without %s:\n%s", line, lost, last.stderr)
		}
		if wrong := p.changed(t, seen[len(seen)-1], command, last.stderr, strict); wrong != "" {
			t.Errorf("mcpecho %s\nis told to type a line that %s:\n%s", line, wrong, last.stderr)
		}
		led := seen[len(seen)-1]
		seen = append(seen, next)
		if next != command {
			return // it reads standard input, or sets a variable
		}
		if startsOther(args) {
			c, err := parse(&environment{stdin: strings.NewReader(""), stdout: new(bytes.Buffer), stderr: new(bytes.Buffer), getenv: os.Getenv, name: "mcpecho"}, args[1:])
			if err == nil {
				return
			}
			var stderr bytes.Buffer
			c.stderr = &stderr
			last = result{status: c.report(t.Context(), err), stderr: stderr.String()}
		} else {
			last = runOnce(t, args[1:])
		}
		if strings.Contains(errors[len(errors)-1], "to trust it") && last.status == 0 {
			last = runOnce(t, words(t, p.here.Replace(led))[1:])
		}
		if last.status != 0 && slices.Contains(errors, last.stderr) {
			t.Errorf("mcpecho %s\nis told to type\n%s\nwhich fails the same:\n%s", line, next, last.stderr)
			return
		}
		if len(seen) > 6 {
			t.Errorf("mcpecho %s\nis led from line to line: %q", line, seen)
			return
		}
		errors = append(errors, last.stderr)
	}
	if strict && len(seen) > 1 && last.status == failure.Usage && !isFinal(last.stderr) {
		t.Errorf("mcpecho %s\nis led by %q to\n%s", line, seen[1:], last.stderr)
	}
}

// lostFlag returns a flag of a line, or the program of its server, that the suggested one
// should have, or "": the error does not mention it, and the suggested command has it.
func lostFlag(t *testing.T, line string, suggested []string, stderr string) string {
	command := findCommand(suggested[min(1, len(suggested)-1)])
	message, hint, _ := strings.Cut(stderr, "; ")
	if command == nil || !strings.HasPrefix(hint, "type: ") {
		return "" // it helps to correct the line, and is not that line
	}
	before, server := cutServer(words(t, line))
	if len(server) > 0 && command.target && !slices.Contains(suggested, server[0]) && !strings.Contains(stderr, server[0]) && !strings.Contains(message, "--,") {
		return server[0]
	}
	bound := []string{"header", "transport", "insecure", "env", "inherit-env", "cwd"} // to a kind of server
	for i := 0; i < len(before); i++ {
		word := before[i]
		f, _, hasValue := flags.Find(word)
		if f != nil && f.Value != "" && !hasValue {
			i++
		}
		if f != nil && slices.Contains(command.flags, f.Name) && !slices.Contains(bound, f.Name) && !slices.ContainsFunc(f.Names(), func(name string) bool { return strings.Contains(message, name) }) &&
			!slices.ContainsFunc(suggested, func(word string) bool { other, _, _ := flags.Find(word); return other != nil && other.Name == f.Name }) {
			return word
		}
	}
	return ""
}

// changed says in what a suggested line does something else than the user's line, or
// returns "". A word that the error mentions may have been wrong; every other one stays,
// and the suggestion adds nothing that a server would receive.
// Of a line with several mistakes, such as one of random words, parts may be lost.
func (p *folder) changed(t *testing.T, line, suggested, stderr string, strict bool) string {
	message, _, plain := strings.Cut(stderr, "type: ")
	plain = plain && (strings.HasSuffix(message, "; ") || strings.HasSuffix(message, "\n")) // else the hint is another way
	mentioned := func(word string) bool {
		return strings.Contains(unquoted(message), unquoted(word)) || strings.Contains(message, strings.Trim(strconv.Quote(word), `"`))
	}
	typed, typedServer := cutServer(words(t, p.here.Replace(p.filled(line))))
	next, _ := cutServer(words(t, p.here.Replace(suggested)))
	had := strings.Join(slices.Concat(typed, typedServer), " ")
	name, _ := cutName(next[1:])
	command := findCommand(name)
	if command == nil || hasWord([]string{"help", "trust", "servers", "version", "completion"}, command.name) {
		return "" // it helps with the line, and is not that line
	}
	for _, word := range next {
		for _, url := range typed {
			if strings.Contains(url, "://") && url[len(url)-1] != '/' && len(word) > len(url) && strings.HasPrefix(word, url) && !mentioned(word) && !slices.Contains(typed, word) {
				return "joins a word to " + url
			}
		}
		key, value, ok := strings.Cut(word, "=")
		if value = strings.Trim(strings.TrimPrefix(value, "="), `"`); ok && !flags.IsFlag(word) && value != "…" && value != "true" && value != "@FILE" {
			for part := range strings.FieldsSeq(value) {
				if !strings.Contains(unquoted(had), strings.Trim(unquoted(part), `'\`)) {
					return "invents a value for " + key
				}
			}
		}
	}
	if !strict || !plain || slices.ContainsFunc([]string{"URL", "JSON", "one server", "two servers", "action must be", "recording"}, mentioned) {
		return "" // what is wrong has other words
	}
	whole := p.here.Replace(p.filled(suggested))
	for i, word := range typed[1:] {
		if key, value, ok := strings.Cut(word, "="); flags.IsFlag(word) || flags.IsFlag(typed[i]) || mentioned(word) || ok && mentioned(key) {
			continue
		} else if ok {
			word = value
		}
		for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if !strings.Contains(whole, part) && !mentioned(part) && !strings.Contains(commandWords(), " "+part+" ") {
				return "loses " + part + " of " + word
			}
		}
	}
	return ""
}

// commandWords are the words that may mean a command, of this program or another one.
var commandWords = sync.OnceValue(func() string {
	var all []string
	for _, cmd := range commands() {
		all = append(append(all, cmd.name), cmd.aliases...)
	}
	return " " + strings.NewReplacer("/", " ", "-", " ").Replace(strings.Join(all, " ")) + " "
})

// isFinal reports whether an error is about something that mcpecho cannot know, such as
// that another program listens on the port.
func isFinal(stderr string) bool {
	return slices.ContainsFunc([]string{"address already in use", "correct the file", "is binary", "no such file", "cannot find", "first type:", "must be SCHEME"}, func(known string) bool {
		return strings.Contains(stderr, known)
	})
}

// checkAll follows the suggestions for lines, whose results are first, or else which it runs.
func (p *folder) checkAll(t *testing.T, lines []string, first []result, strict bool) {
	t.Helper()
	slots := make(chan struct{}, 4)
	for range cap(slots) {
		slots <- struct{}{}
	}
	// What changes files or the trust comes last and one by one, so that the results of
	// the others do not depend on it.
	changes := func(args []string) bool {
		return slices.ContainsFunc(args, func(word string) bool {
			return slices.Contains([]string{"add", "remove", "rm", "uninstall", "trust", "login", "logout", "mcp", "config", "delete", "add-json", "import", "auth", "theirs", "old", "older", "olde"}, word) || strings.HasPrefix(word, "theirs")
		})
	}
	for _, changing := range []bool{false, true} {
		done := make(chan struct{})
		n := 0
		for i, line := range lines {
			args := words(t, p.here.Replace(line))
			if changes(args) != changing || startsOther(args) || slices.Contains(args, "--trace") {
				continue
			}
			n++
			<-slots
			go func() { // ends with the line
				var o result
				if first != nil {
					o = first[i]
				} else {
					o = runOnce(t, args)
				}
				p.checkSuggestions(t, line, o, strict)
				slots <- struct{}{}
				done <- struct{}{}
			}()
			if changing {
				<-done
				n--
			}
		}
		for range n {
			<-done
		}
	}
}

// fuzzWords are real words of command lines.
var fuzzWords = []string{
	"tools", "call", "read", "prompt", "complete", "info", "resources", "templates", "prompts", "ping", "raw", "task", "check", "skills",
	"servers", "search", "help", "version", "completion", "trust", "web", "web", "web", "everything", "theirs", "URL", "BASE", "HOST/mcp",
	"echo", "echo", "ehco", "add", "image", "message=hi", "message:hi", "mesage=hi", "a=1", "b=2", "a=x", "hi", "-", "{a:1}", `'{"message":"hi"}'`,
	"review", "language", "language=go", "go", "echo://text", "echo://tetx", "tools/list", "tools/lits", "list", "get", "echo://greeting/{name}",
	"--json", "-q", "-o", "out.txt", "missing/x", "-c", "mcp.json", "nosuch.json", "-t", "http", "sse", "-H", "'X-Key: 1'", "--timeout", "5s",
	"5min", "--protocol", "2025-11-25", "2025", "-e", "A=b", "--tool-name", "--message", "--verbose", "--format", "json", "--bearer", "-k",
	"kill", "run", "describe", "tool", "everything.echo", "web/echo", "mcp.json:hidden", "nosuch.json:x", "everthing", "tols", "--watch",
	"server.js", "args.json", "@args.json", "bin.txt", "--log-level", "warn", "--", "mcpecho", "serve", "npx", "-y",
	"ask_elicitation", "--answer", "name=Ada", "--elicit", "notifications/cancelled", "tools/call", "everything::echo", "add(1,2)", "web,everything", "---", "show", "fetch",
	"record", "diff", "diff", "proxy", "proxy", "view", "log", "k.rec", "k.rec", "f.rec", "srv.js", "node", "'node srv.js'", "'V=1 node srv.js'", "V=2", "env",
	"--tool", "--record", "x.rec", "--http", ":0", "shell", "ui", "--method", "--follow",
}

// oddWords are names that a file or a server may have.
var oddWords = []string{
	"@web", "@nothing", "@scope/pkg", "'a b'", `'it"s'`, "'$(x)'", "'a;b'", "-x", "'--json=1'", "a=b=c", "'a=\"'", "..", "/", "~", "''", "%", "é", "‘x’", "[1]", "null", "'{'", "http://", "https://x y", "1e9", "-1",
	"--nosuch", "--jsno", "--timeout=", "--timeout=x", "-qq", "--no-json", "resources/read", "web.echo", "web/ehco", "theirs.x", "mcp.json:", ":web", "tools:web",
}

// deadEnds are random lines whose suggestions once got no further.
var deadEnds = []string{"view --follow echo X X", "add -q everything", "add -q new everything", "add BASE BASE", "theirs everthing HOST/mcp", "bin.txt --- echo://text URL"}

// TestSuggestionsForRandomLines does the same for lines of real words.
func TestSuggestionsForRandomLines(t *testing.T) {
	if !apart(t) {
		return
	}
	folder := newFolder(t)
	fakeLaunchers(t)
	n := 400
	if testing.Short() {
		n = 50
	}
	seed, _ := strconv.ParseUint(os.Getenv("MCPECHO_SEED"), 10, 64)
	random := rand.New(rand.NewPCG(1, seed))
	lines := slices.Clone(deadEnds)
	all := slices.Concat(fuzzWords, strings.Fields(commandWords()), oddWords)
	for _, cmd := range commands() {
		for _, name := range cmd.flags {
			all = append(all, "--"+name)
		}
	}
	for range n {
		line := make([]string, 1+random.IntN(5))
		for i := range line {
			from := fuzzWords // mostly
			if random.IntN(3) == 0 {
				from = all
			}
			line[i] = from[random.IntN(len(from))]
		}
		lines = append(lines, strings.Join(line, " "))
	}
	folder.checkAll(t, lines, nil, false)
}

// TestNoSuggestionStartsAProgram: a word that happens to be a program in PATH is not the
// command of a server. Those that the user names as one are, in TestMisuses.
func TestNoSuggestionStartsAProgram(t *testing.T) {
	if !apart(t) {
		return
	}
	newFolder(t)
	for _, program := range []string{"kill", "true", "env", "sh", "sort", "mv", "dd", "yes", "id", "test"} {
		for _, form := range []string{"X", "X web", "X -rf .", "X web echo message=hi", "tools X", "tools X y", "watch X", "shell X", "check X -k", "-q X y", "X --json", "call X message=hi", "help X", "X --tool-name echo", "'X y'", "tools 'X y'"} {
			line := strings.Replace(form, "X", program, 1)
			o := runOnce(t, words(t, line))
			if typed := suggestion(o.stderr); o.status == 0 || strings.Contains(typed+" ", "-- "+program+" ") || strings.Contains(typed, "-- '"+program) {
				t.Errorf("mcpecho %s: status %d\n%s", line, o.status, o.stderr)
			}
		}
	}
}
