package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	text := ""
	for _, shell := range shellNames() {
		o := runCommand(t, "completion", shell)
		o.want(t, 0, o.stdout, "")
		text += o.stdout + "\n"
	}
	golden(t, "completion.txt", text)
}

// completions are lines and what must be among the completions of the last
// word, or nothing when there must be none.
var completions = []struct{ line, want string }{
	{"mcpecho to", "tools"},
	{"mcpecho completi", "completion"},
	{"mcpecho -t http resourc", "resources"},
	{"mcpecho tools --proto", "--protocol"},
	{"mcpecho tools/list --connect", "--connect-timeout"},
	{"mcpecho call --protocol 2026", "2026-07-28"},
	{"mcpecho watch -t ss", "sse"},
	{"mcpecho completion fi", "fish"},
	{"mcpecho help resou", "resources"},
	{"mcpecho tools weat", "weather"},
	{"mcpecho -q call --timeout 5s weat", "weather"},
	{"mcpecho skills rea", "read"},
	{"mcpecho call weather ech", "echo"},
	{"mcpecho info -q weather --timeout 5s ask_samp", "ask_sampling"},
	{"mcpecho skills weat", "weather"},
	{"mcpecho skills read weat", "weather"},
	{"mcpecho skills -q check --timeout 5s weat", "weather"},
}

// hostileNames are names of servers that a shell would run if it evaluated them.
var hostileNames = []string{"$(touch canary)", "`touch canary`", "evil$(touch canary)", "evil; touch canary; #", "evil'; touch canary; '", `evil"$(touch canary)`,
	"evil{a,b}*", "${(e)$(touch canary)}", "$(touch${IFS}canary)", "(touch canary)", "<(touch canary)", "--trace=canary", "two\nlines", "zz$(touch canary)"}

// runInShell runs a script of a shell, if that is installed.
func runInShell(t *testing.T, script string, shell ...string) string {
	t.Helper()
	if _, err := exec.LookPath(shell[0]); err != nil {
		t.Skip("no ", shell[0], " here")
	}
	ctx, cancel := context.WithTimeout(t.Context(), testutil.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell[0], append(shell[1:], "-c", script)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+cmd.Dir+string(filepath.ListSeparator)+os.Getenv("PATH"), "HOME="+cmd.Dir, "GORACE=atexit_sleep_ms=0")
	if err := os.Symlink(mcpechoPath(t), filepath.Join(cmd.Dir, "mcpecho")); err != nil {
		t.Fatal(err)
	}
	servers := `{"mcpServers": {"weather": {"command": ` + quoted(filepath.ToSlash(mcpechoPath(t))) + `, "args": ["serve"]}, "with blank": {"url": "https://example.com/mcp"}`
	for _, name := range hostileNames {
		servers += ", " + quoted(name) + `: {"url": "https://example.com/mcp"}`
	}
	servers += "}}"
	if err := os.WriteFile(filepath.Join(cmd.Dir, ".mcp.json"), []byte(servers), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(cmd.Dir, "canary")); err == nil {
		t.Error("completion has run a command that a server's name contains")
	}
	return string(out)
}

func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	script := runCommand(t, "completion", "bash").stdout + `
complete -p mcpecho
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mcpecho; echo "$*: ${COMPREPLY[*]}"; }
ask mcpecho tools -- mcpecho vers
ask mcpecho call -o out
ask mcpecho tools ''
ask mcpecho tools evil
ask mcpecho tools '\$'
ask mcpecho tools with
ask mcpecho call weather echo ech
ask mcpecho call nowhere ech
ask mcpecho call '$(touch canary)' ech
ask mcpecho tools @ in-ba
ask mcpecho call @ in-bash ech
`
	holdServer(t, "in-bash", "--", "mcpecho", "serve").begun(t)
	for _, c := range completions {
		script += "ask " + c.line + "\n"
	}
	out := runInShell(t, script, "bash", "--norc")
	for _, want := range []string{"complete -o default -F _mcpecho mcpecho\n", "mcpecho tools -- mcpecho vers: \n", "mcpecho call -o out: \n", "mcpecho call weather echo ech: \n", "mcpecho call nowhere ech: \n", "mcpecho tools @ in-ba: @in-bash\n", "mcpecho call @ in-bash ech: echo\n", `mcpecho tools with: with\ blank` + "\n", `evil\$\(touch\ canary\)`, `mcpecho tools \$: \$\(touch\ canary\)`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	for _, c := range completions {
		if _, rest, ok := strings.Cut(out, c.line+": "); !ok || !strings.Contains(strings.SplitN(rest, "\n", 2)[0], c.want) {
			t.Errorf("%q is not completed with %q:\n%s", c.line, c.want, out)
		}
	}
}

func TestCompletionInFish(t *testing.T) {
	t.Parallel()
	script := runCommand(t, "completion", "fish").stdout
	for _, c := range completions {
		script += "echo " + c.line + ":\ncomplete -C '" + c.line + "'\n"
	}
	script += "complete -C 'mcpecho tools '\ncomplete -C 'mcpecho tools evil'\ncomplete -C 'mcpecho tools \"$(touch canary)'\n"
	out := runInShell(t, script, "fish", "--no-config")
	for _, c := range completions {
		if _, rest, ok := strings.Cut(out, c.line+":\n"); !ok || !strings.HasPrefix(rest, c.want) {
			t.Errorf("%q is not completed with %q:\n%s", c.line, c.want, out)
		}
	}
}

// TestCompletionInZsh types into a shell: its completion needs its line editor.
func TestCompletionInZsh(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte(runCommand(t, "completion", "zsh").stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	text := "zmodload zsh/zpty\nzpty z zsh -f -i\n" +
		"zpty -w z \"autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; source " + script + "; echo ready\\$((1))\"\n" +
		"zpty -r z out '*ready1*'\n"
	for _, c := range completions {
		// What is typed comes back at once, and what is wanted after it.
		text += "zpty -n -w z " + shellQuote(c.line) + "$'\\t'\nzpty -r z out " + shellQuote("*"+c.want+"*") + "\nzpty -n -w z $'\\x15'\n"
	}
	// "with" is completed with a blank, which the shell must quote.
	text += "zpty -n -w z $'mcpecho tools with\\t'\nzpty -r z out '*blank*'\nzpty -n -w z $'\\x15'\n" +
		"zpty -n -w z $'mcpecho tools zz\\t'\nzpty -r z out '*canary*'\nzpty -n -w z $'\\x15'\n"
	runInShell(t, text, "zsh", "-f")
}

// TestCompletionOfManyNames takes memory in proportion to the names.
func TestCompletionOfManyNames(t *testing.T) {
	names := slices.Repeat([]string{"name"}, 20_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text := completed(names)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 100<<20 {
		t.Errorf("%d bytes for %d", allocated, len(text))
	}
}
