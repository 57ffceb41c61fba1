package main

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/hold"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func shellNames() []string { return []string{"bash", "zsh", "fish"} }

func runCompletion(ctx context.Context, c *invocation) error {
	if len(c.args) > 1 && c.args[0] != toolNames && c.args[0] != configuredNames {
		return c.extraArgument(c.args[1])
	}
	switch c.args[0] {
	case "bash":
		return c.print(bashScript())
	case "zsh":
		return c.print(zshScript())
	case "fish":
		return c.print(fishScript())
	case configuredNames:
		return c.printNames()
	case toolNames:
		return c.printToolNames(ctx)
	}
	return c.usageHint("completion: the shell must be bash, zsh or fish, not "+wire.Quote(c.args[0]), c.didMean(c.args[0], shellNames(), ""))
}

// configuredNames is the argument with which the scripts list the names of the
// configured servers, without starting any. Names that a line or a shell could
// take for something else are left out: those that would be flags and those with
// line breaks or invisible characters. The scripts have the shell quote the others.
const configuredNames = "servers"

// toolNames is the argument with which the scripts list the names of a server's tools.
const toolNames = "tools"

// printNames prints the names that the command in the second argument takes: of servers, of
// sessions as @NAME, or for release of sessions.
func (c *invocation) printNames() error {
	name, at := "", "@"
	if cmd := findCommand(c.args[len(c.args)-1]); cmd != nil {
		name = cmd.name
	}
	var names []string
	if name == "release" {
		at = ""
	} else {
		names = serverNames(config.Load("."))
	}
	if !hasWord(unheld, name) {
		for _, session := range hold.Names() {
			names = append(names, at+session)
		}
	}
	return c.print(completed(names))
}

// completed returns the names that a script may complete, a line each.
func completed(names []string) string {
	var text strings.Builder // of all tools of a server
	for _, name := range names {
		if !strings.HasPrefix(name, "-") && terminal.EscapeName(name) == name && !strings.ContainsFunc(name, func(r rune) bool { return r != ' ' && unicode.IsSpace(r) }) {
			text.WriteString(name + "\n")
		}
	}
	return text.String()
}

// completionTimeout limits how long a press of Tab may take.
const completionTimeout = 5 * time.Second

// printToolNames prints the names of the tools of the server that the second argument
// names. A server that is not trusted, requires authorization or fails has none.
func (c *invocation) printToolNames(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	e := *c.environment
	e.stdin, e.stderr = strings.NewReader(""), io.Discard
	d, err := parse(&e, append([]string{"tools", "-q"}, c.args[1:]...))
	if err != nil {
		return c.print("")
	}
	var names []string
	_ = d.withServer(ctx, func(s *conversation) error {
		tools, err := d.tools(ctx, s)
		for _, t := range tools {
			names = append(names, t.Name)
		}
		return err
	})
	return c.print(completed(names))
}

// flagValues returns the possible values of a flag, or reports that its value is the
// path of a file or directory.
func flagValues(f *flags.Flag) (choices []string, path bool) {
	switch {
	case f.Value == "FILE", f.Value == "DIR":
		return nil, true
	case f.Value == "VERSION":
		return mcp.ProtocolVersions(), false
	case strings.Contains(f.Value, "|"):
		return strings.Split(f.Value, "|"), false
	}
	return nil, false
}

// words returns the possible first arguments of a command, where they are known
// without a server.
func (c *command) words() (words []string) {
	switch c.name {
	case "completion":
		return shellNames()
	case "help":
		return commandNames()
	}
	return c.actions
}

func commandNames() (names []string) {
	for _, c := range commands() {
		if c.group != "" {
			names = append(names, c.name)
		}
	}
	return names
}

// flagsOf returns the flags of a command, including --help.
func flagsOf(c *command) []flags.Flag {
	return slices.DeleteFunc(flags.All(), func(f flags.Flag) bool { return f.Name != "help" && !hasWord(c.flags, f.Name) })
}

// flagWords returns all forms of flags: -o, --output.
func flagWords(flags []flags.Flag) (words []string) {
	for i := range flags {
		words = append(words, flags[i].Names()...)
	}
	return words
}

// withValues returns the flags that have a value, as a shell pattern.
func withValues() string {
	return strings.Join(flagWords(slices.DeleteFunc(flags.All(), func(f flags.Flag) bool { return f.Value == "" })), "|")
}

// withTargets returns the names of the commands that take a target, and then a tool or
// not.
func withTargets(separator string, tool bool) string {
	var names []string
	for _, c := range commands() {
		if (c.target || c.pair) && c.tool == tool {
			names = append(append(names, c.name), c.aliases...)
		}
	}
	return strings.Join(names, separator)
}

// Each script first finds the command, which is the first word that is neither a
// flag nor the value of a flag, and leaves the words after -- to the shell.

func bashScript() string {
	var b bytes.Buffer
	b.WriteString(`# Completion of mcpecho for bash: source <(mcpecho completion bash)
_mcpecho() {
  local line=() n=0 cmd= target= tool= list=servers words= name quoted i
  for name in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do # of which @NAME is two
    if ((n)) && [[ ${line[n-1]} == @ ]]; then line[n-1]=@$name; else line[n++]=$name; fi
  done
  local cur=${line[n-1]} prev=${line[n-2]}
  COMPREPLY=()
  for ((i = 1; i < n - 1; i++)); do
    case ${line[i]} in
      --) return ;;
      ` + withValues() + `) ((i++)) ;;
      -*) ;;
      *) case $cmd/${line[i]} in
        /*) cmd=${line[i]} ;;
        skills/read|skills/check) ;;
        *) tool=$target target=${target:-${line[i]}} ;;
      esac ;;
    esac
  done
  case $prev in
`)
	for _, f := range flags.All() {
		if choices, _ := flagValues(&f); choices != nil {
			b.WriteString("    " + strings.Join(f.Names(), "|") + `) COMPREPLY=($(compgen -W '` + strings.Join(choices, " ") + `' -- "$cur")); return ;;` + "\n")
		}
	}
	b.WriteString("    " + withValues() + ") return ;;\n  esac\n  case $cmd in\n")
	b.WriteString("    '') words='" + strings.Join(append(commandNames(), flagWords(flags.All())...), " ") + "' ;;\n")
	for _, c := range commands() {
		b.WriteString("    " + strings.Join(append([]string{c.name}, c.aliases...), "|") + ") words='" +
			strings.Join(append(c.words(), flagWords(flagsOf(c))...), " ") + "' ;;\n")
	}
	b.WriteString(`  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  case $cmd in
    ` + withTargets("|", false) + `) [[ $target || $cur == -* ]] && return ;;
    ` + withTargets("|", true) + `) [[ $tool || $cur == -* ]] && return; [[ $target ]] && list=tools ;;
    release) target= ;;
    *) return ;;
  esac
  # The names come from files or a server: a line each, never evaluated, quoted for the command line.
  while IFS= read -r name; do
    printf -v quoted %q "$name"
    [[ $name == "$cur"* || $quoted == "$cur"* ]] && COMPREPLY+=("$quoted")
  done < <("${COMP_WORDS[0]}" completion $list "${target:-$cmd}" 2>/dev/null)
}
complete -o default -F _mcpecho mcpecho
`)
	return b.String()
}

func zshScript() string {
	var b bytes.Buffer
	b.WriteString(`#compdef mcpecho
# Completion of mcpecho for zsh: source <(mcpecho completion zsh)
_mcpecho() {
  local cmd target i
  for ((i = 2; i < CURRENT; i++)); do
    case $words[i] in
      --) shift $i words; ((CURRENT -= i)); _normal; return ;;
      ` + withValues() + `) ((i++)) ;;
      -*) ;;
      *) if [[ -z $cmd ]]; then cmd=$words[i]; elif [[ -z $target ]]; then target=$words[i]; fi ;;
    esac
  done
  local -a commands=(
`)
	for _, name := range commandNames() {
		b.WriteString("    " + shellQuote(name+":"+findCommand(name).short) + "\n")
	}
	b.WriteString("  )\n  case $cmd in\n    '') _arguments" + zshFlags(flags.All()) + " '*:command:{_describe command commands}' ;;\n")
	for _, c := range commands() {
		argument, second := "_default", ""
		servers := `:server:{compadd -- ${(f)"$(${(Q)words[1]} completion servers ` + c.name + ` 2>/dev/null)"}; _default}`
		switch words := strings.Join(c.words(), " "); {
		case c.actions != nil:
			second = " " + shellQuote("2"+strings.Replace(servers, "compadd", "compadd "+words+"; compadd", 1)) + " " + shellQuote("3"+servers)
		case c.pair:
			second = " " + shellQuote("2"+servers) + " " + shellQuote("3"+servers)
		case c.target:
			if second = " " + shellQuote("2"+servers); c.tool {
				second += " " + shellQuote(`3:tool:{compadd -- ${(f)"$(${(Q)words[1]} completion tools ${(Q)target} 2>/dev/null)"}; _default}`)
			}
		case words != "":
			argument = "(" + words + ")"
		case c.name == "release":
			argument = strings.TrimPrefix(servers, ":server:")
		}
		b.WriteString("    " + strings.Join(append([]string{c.name}, c.aliases...), "|") + ") _arguments" + zshFlags(flagsOf(c)) +
			" " + shellQuote("1:command:") + second + " " + shellQuote("*:argument:"+argument) + " ;;\n")
	}
	b.WriteString(`  esac
}
if [[ $funcstack[1] == _mcpecho ]]; then _mcpecho "$@"; else compdef _mcpecho mcpecho; fi
`)
	return b.String()
}

// zshFlags returns flags in the syntax of _arguments.
func zshFlags(flags []flags.Flag) string {
	var b bytes.Buffer
	for _, f := range flags {
		description := "[" + strings.NewReplacer("[", `\[`, "]", `\]`).Replace(f.Help) + "]"
		if f.Value != "" {
			choices, path := flagValues(&f)
			description += ":" + strings.NewReplacer(":", `\:`, "'", "").Replace(f.Value) + ":"
			switch {
			case choices != nil:
				description += "(" + strings.Join(choices, " ") + ")"
			case path:
				description += "_files"
			default:
				description += " "
			}
		}
		for _, name := range f.Names() {
			b.WriteString(" " + shellQuote("*"+name+description))
		}
	}
	return b.String()
}

func fishScript() string {
	var b bytes.Buffer
	all := strings.Join(commandNames(), " ")
	b.WriteString(`# Completion of mcpecho for fish: mcpecho completion fish | source
function __mcpecho_server
  contains -- -- (commandline -opc)
end
function __mcpecho_words
  set -l words
  set -l value
  for word in (commandline -opc)[2..]
    if set -q value[1]
      set -e value[1]
      continue
    end
    switch $word
      case ` + strings.ReplaceAll(withValues(), "|", " ") + `
        set value next
      case '-*'
      case '*'
        set -a words $word
    end
  end
  string join \n -- $words
end
function __mcpecho_no_target
  set -l words (__mcpecho_words)
  test (count $words) -eq 1; or test "$words" = "skills read" -o "$words" = "skills check"
end
complete -c mcpecho -n 'not __mcpecho_server; and not __fish_seen_subcommand_from ` + all + `' -f
complete -c mcpecho -n __mcpecho_server -x -a '(__fish_complete_subcommand --fcs-skip=(math (contains -i -- -- (commandline -opc)) - 1))'
`)
	for _, name := range commandNames() {
		c := findCommand(name)
		b.WriteString("complete -c mcpecho -n 'not __mcpecho_server; and not __fish_seen_subcommand_from " + all + "' -a " +
			c.name + " -d " + shellQuote(c.short) + "\n")
		if words := c.words(); words != nil {
			b.WriteString("complete -c mcpecho -n '__fish_seen_subcommand_from " + c.name + "' -f -a " + shellQuote(strings.Join(words, " ")) + "\n")
		}
	}
	b.WriteString("complete -c mcpecho -n 'not __mcpecho_server; and __fish_seen_subcommand_from " + withTargets(" ", false) + " " + withTargets(" ", true) +
		"; and __mcpecho_no_target' -a '(mcpecho completion servers (__mcpecho_words)[1] 2>/dev/null)' -d Server\n")
	b.WriteString("complete -c mcpecho -n 'not __mcpecho_server; and __fish_seen_subcommand_from release' -f -a '(mcpecho completion servers release 2>/dev/null)' -d Session\n")
	b.WriteString("complete -c mcpecho -n 'not __mcpecho_server; and __fish_seen_subcommand_from " + withTargets(" ", true) +
		"; and test (count (__mcpecho_words)) -eq 2' -f -a '(mcpecho completion tools (__mcpecho_words)[2] 2>/dev/null)' -d Tool\n")
	for _, f := range flags.All() {
		b.WriteString(fishFlag(&f))
	}
	return b.String()
}

// fishFlag returns the line for a flag, with the commands that have it.
func fishFlag(f *flags.Flag) string {
	line := "complete -c mcpecho -n 'not __mcpecho_server"
	if f.Name != "help" {
		var names []string
		for _, c := range commands() {
			if hasWord(c.flags, f.Name) {
				names = append(append(names, c.name), c.aliases...)
			}
		}
		line += "; and __fish_seen_subcommand_from " + strings.Join(names, " ")
	}
	line += "'"
	for _, name := range f.Names() {
		if long, ok := strings.CutPrefix(name, "--"); ok {
			line += " -l " + long
		} else {
			line += " -s " + name[1:]
		}
	}
	switch choices, path := flagValues(f); {
	case choices != nil:
		line += " -x -a " + shellQuote(strings.Join(choices, " "))
	case path:
		line += " -r -F"
	case f.Value != "":
		line += " -x"
	}
	return line + " -d " + shellQuote(f.Help) + "\n"
}

// shellQuote quotes s for a shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
