package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
)

func TestHelp(t *testing.T) {
	t.Parallel()
	text := ""
	lines := []string{"help", "help flags"}
	for _, name := range commandNames() {
		lines = append(lines, "help "+name)
	}
	for _, line := range lines {
		o := runCommand(t, strings.Fields(line)...)
		if o.status != 0 || o.stderr != "" {
			t.Errorf("%s: status %d, %s", line, o.status, o.stderr)
		}
		text += "$ mcpecho " + line + "\n" + o.stdout + "\n"
	}
	golden(t, "help.txt", text)
}

func TestHelpFitsATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range append(commands(), &command{}) {
		for line := range strings.Lines(runCommand(t, strings.Fields("help "+c.name)...).stdout) {
			if terminal.TextWidth(line) > 80+1 {
				t.Errorf("help %s: %q is wider than 80 columns", c.name, line)
			}
		}
	}
}

func TestHelpIsShort(t *testing.T) {
	t.Parallel()
	for line, most := range map[string]int{"help": 48, "help call": 35, "help flags": 60} {
		if o := runCommand(t, strings.Fields(line)...); strings.Count(o.stdout, "\n") > most {
			t.Errorf("%s has more than %d lines:\n%s", line, most, o.stdout)
		}
	}
	for _, cmd := range commands() {
		if cmd.group != "" && strings.Count(runCommand(t, "help").stdout, "\n  "+cmd.name+" ") != 1 {
			t.Errorf("help does not list %s once", cmd.name)
		}
	}
}

// TestOldWords compares the words that other commands have replaced with these.
func TestOldWords(t *testing.T) {
	t.Parallel()
	for old, line := range map[string]string{
		"templates -- mcpecho serve": "resources --templates -- mcpecho serve", "resources/templates/list --json -- mcpecho serve": "resources --json --templates -- mcpecho serve",
		"ping --json -- mcpecho serve": "info --json --ping -- mcpecho serve", "version": "-V",
		"help logout": "help login", "templates -h": "resources --help", "help task": "help raw",
	} {
		want := runCommand(t, strings.Fields(line)...)
		if want.status != 0 || want.stdout == "" {
			t.Errorf("%s: %+v", line, want)
		}
		runCommand(t, strings.Fields(old)...).want(t, 0, want.stdout, "")
	}
	if o := runCommand(t, "ping", "--", "mcpecho", "serve"); o.status != 0 || !strings.Contains(o.stdout, " responded in ") {
		t.Errorf("%+v", o)
	}
	if o := runScript(t, "resources --templates\ntemplates"); o.status != 0 || strings.Count(o.stdout, "echo://greeting/{name}") != 2 {
		t.Errorf("in a shell: %+v", o)
	}
}

func TestWaysToGetHelp(t *testing.T) {
	t.Parallel()
	call := runCommand(t, "help", "call").stdout
	for _, line := range []string{"call --help", "call -h", "--help call", "help tools/call", "call add a=1 --help", "call-tool -h"} {
		runCommand(t, strings.Fields(line)...).want(t, 0, call, "")
	}
	all := runCommand(t, "help").stdout
	for _, line := range []string{"--help", "-h", "help"} {
		runCommand(t, strings.Fields(line)...).want(t, 0, all, "")
	}
	runCommand(t, "--version").want(t, 0, runCommand(t, "version").stdout, "")
}

// TestMistakes shows the messages for wrong input.
func TestMistakes(t *testing.T) {
	t.Parallel()
	lines := []string{
		"tols",
		"lst",
		"frobnicate",
		"tools/lsit",
		"help cal",
		"tools",
		"tools --",
		"tools http://",
		"tools ftp://example.com/mcp",
		"tools localhost:3001/mcp",
		"tools 127.0.0.1:3001",
		"tools http://127.0.0.1:1/mcp -H Bearer:",
		"tools http://127.0.0.1:1/mcp -H hunter2",
		"tools http://127.0.0.1:1/mcp -H",
		"tools http://127.0.0.1:1/mcp -t htttp",
		"tools http://127.0.0.1:1/mcp -t stdio",
		"tools http://127.0.0.1:1/mcp -e A=b",
		"tools http://127.0.0.1:1/mcp -- mcpecho serve",
		"tools -t http -- mcpecho serve",
		"serve --http",
		"serve --http nowhere",
		"serve --http 99999",
		"serve --http http://127.0.0.1:3001",
		"serve http://127.0.0.1:1/mcp",
		"complete -- mcpecho serve",
		"complete prompt -- mcpecho serve",
		"complete prompt review -- mcpecho serve",
		"complete tool echo message -- mcpecho serve",
		"complete prompt revew language -- mcpecho serve",
		"complete prompt review topic -- mcpecho serve",
		"complete resource echo://greeting name -- mcpecho serve",
		"complete prompt review lang g -- mcpecho serve",
		"complete resource echo://greeting/{name} nme A -- mcpecho serve",
		"watch",
		"watch -o file -- mcpecho serve",
		"completion",
		"completion tcsh",
		"completion fihs",
		"tools everything",
		"tools everything.json:memory",
		"call https://example.com/mcp",
		"login",
		"login -- mcpecho serve",
		"logout nowhere",
		"servers weather",
		"call echo message=hi",
		"call -- mcpecho serve",
		"read -- mcpecho serve",
		"ping now -- mcpecho serve",
		"info add subtract -- mcpecho serve",
		"version -- mcpecho serve",
		"tools -y -- mcpecho serve",
		"tools --jsn -- mcpecho serve",
		"tools -json -- mcpecho serve",
		"tools ./main_test.go",
		"tools go -x",
		"tools go run ./server",
		"tools go -y server -H X:secret",
		"call go message=hi -x",
		"call go -y server",
		"call add --a 2 -- mcpecho serve",
		"http://127.0.0.1:1/mcp",
		"-- mcpecho serve",
		"echo message=hi -- mcpecho serve",
		"tools --json=yes -- mcpecho serve",
		"serve --json",
		"tools --timeout",
		"tools --timeout soon -- mcpecho serve",
		"tools --timeout -5s -- mcpecho serve",
		"tools --protocol 2024-11-5 -- mcpecho serve",
		"tools -e SECRET -- mcpecho serve",
		"--jsno",
		"call add {} b=1 -- mcpecho serve",
		"call add [] -- mcpecho serve",
		"call add { -- mcpecho serve",
		"call add a:=x -- mcpecho serve",
		"call add a -- mcpecho serve",
		"call add a=1 a=2 -- mcpecho serve",
		"call add a=1 -- mcpecho serve",
		"call add a=1 b=2 c=3 -- mcpecho serve",
		"call add a=1 b=two -- mcpecho serve",
		"call ad a=1 -- mcpecho serve",
		"call frobnicate -- mcpecho serve",
		"call ehco {} -- mcpecho serve",
		"call fail -- mcpecho serve",
		"info addd -- mcpecho serve",
		"read echo://tetx -- mcpecho serve",
		"prompt reviwe -- mcpecho serve",
		"prompt review -- mcpecho serve",
		"prompt review lang=go -- mcpecho serve",
		"read text -- mcpecho serve",
		"prompt review language:=1 -- mcpecho serve",
		"tools --json --nope -- mcpecho serve",
		"call ehco --json -- mcpecho serve",
		"call fail --json -- mcpecho serve",
		"prompt review --json -- mcpecho serve",
	}
	text := ""
	for _, line := range lines {
		o := runCommand(t, strings.Fields(line)...)
		if o.status != failure.Usage && o.status != failure.Refused {
			t.Errorf("%s: status %d", line, o.status)
		}
		if o.stdout != "" && !strings.HasPrefix(line, "call fail") {
			t.Errorf("%s: prints %q", line, o.stdout)
		}
		text += "$ mcpecho " + line + "\n" + o.stderr + "[status " + strconv.Itoa(o.status) + "]\n\n"
	}
	golden(t, "mistakes.txt", text)
}

func TestTypedName(t *testing.T) {
	cached := "/cache/8c/8c926fd0aa056a2013887936a269b38312fc07ad3f7757121f5ddad892f46825-d/mcpecho"
	const latest = "go run github.com/stdmcp/stdmcp/cmd/mcpecho@latest"
	for arg0, want := range map[string]string{
		"mcpecho": "mcpecho", "./mcpecho": "./mcpecho", "/usr/bin/mcpecho": "/usr/bin/mcpecho", "/my-d/mcpecho": "/my-d/mcpecho",
		"/tmp/go-build123/b001/exe/mcpecho": latest, cached: latest,
	} {
		if got := typedName(arg0); got != want {
			t.Errorf("%s: %s", arg0, got)
		}
	}
	t.Chdir("../..")
	if got := typedName(cached); got != "go run ./cmd/mcpecho" {
		t.Error(got)
	}
}
