package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/form"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/hold"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/lineedit"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/webprogram"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// findEntry finds the configured server that the target names: NAME, FILE:NAME
// or, for commands with a tool, either of them with /TOOL.
func (c *invocation) findEntry() error {
	cfg, name := c.load()
	c.inputs = c.newInputs(cfg)
	if c.entry = cfg.Server(name); c.entry != nil {
		return nil
	}
	separators := []string{"/", "."}
	if len(c.args) > 0 && !(c.command.min > 0 && (strings.ContainsAny(c.args[0], "=:{") || c.args[0] == "-")) {
		separators = separators[:1]
	}
	for _, separator := range separators {
		tools := toolsIn(cfg, name, separator)
		if len(tools) == 0 || !c.command.tool {
			continue
		}
		tool := tools[0]
		if len(tools) > 1 {
			return c.usageHint(wire.Quote(name)+" names tools of "+terminal.Count(len(tools), "server"),
				"separate the server from the tool by a space")
		}
		c.entry = cfg.Server(strings.TrimSuffix(name, separator+tool))
		c.target, c.args = strings.TrimSuffix(c.target, separator+tool), append([]string{tool}, c.args...)
		return nil
	}
	if name != c.target && len(cfg.All()) == 0 {
		if err := c.checkFile(strings.TrimSuffix(c.target, ":"+name)); err != nil {
			return err
		}
	}
	return c.explainTarget(cfg, name)
}

// toolsIn returns what may be a tool in a name, each after the name of a configured
// server: of several, the user has to say which.
func toolsIn(cfg *config.Config, name, separator string) (tools []string) {
	for i := range name {
		if strings.HasPrefix(name[i:], separator) && cfg.Server(name[:i]) != nil {
			tools = append(tools, name[i+1:])
		}
	}
	return tools
}

// explainTarget returns the failure for a target that is neither a URL nor a
// configured server, with what the user may have meant.
func (c *invocation) explainTarget(cfg *config.Config, name string) error {
	for _, p := range cfg.Problems {
		if !p.Warning && p.Server == name {
			return &failure.Error{Status: failure.Usage, Kind: "configuration", Message: p.Error(), Hint: "correct the file", Err: p}
		}
	}
	if !c.command.web && isRecording(c.target) {
		return c.usage(wire.Quote(c.target) + ` is a recording; the recorded server is "serve --replay FILE"`)
	}
	message := "no server is configured as " + wire.Quote(c.hide(name))
	file, _ := strings.CutSuffix(c.target, ":"+name)
	files, _ := splitPrograms(c.flags.Config)
	if err := c.explainKey(append(files, file)...); err != nil {
		return err
	}
	if err := c.explainProblem(cfg, name, message); err != nil {
		return err
	}
	if inside := serverNames(config.LoadFile(c.target)); len(inside) > 0 { // FILE alone
		if len(inside) == 1 {
			return c.suggest("the name of a server is missing after "+wire.Quote(c.target), c.renamed(c.target, c.target+":"+inside[0]))
		}
		return c.usage("the name of a server is missing after " + wire.Quote(c.target) + ", which has " + strings.Join(inside, ", "))
	}
	if name == "help" {
		return c.suggest(message, cmdline.Words("help", c.command.name))
	}
	if _, port, err := net.SplitHostPort(name); err == nil && flags.CheckPort(port) != nil {
		return c.usageHint("the address "+wire.Quote(name)+": "+flags.CheckPort(port).Error(), "correct the port")
	}
	for _, begin := range []string{"http:/", "https:/", "http//", "https//"} {
		if rest, ok := strings.CutPrefix(c.target, begin); ok {
			return c.suggest("a URL must begin with http:// or https://", c.retyped(c.target, cmdline.Word{Text: strings.TrimRight(begin, ":/") + "://" + rest, Own: true}))
		}
	}
	if url := withScheme(name); url != "" {
		return c.suggest("a URL must begin with http:// or https://", c.retyped(name, cmdline.Word{Text: url, Own: true}))
	}
	if hasWord(hold.Names(), name) && !hasWord(unheld, c.command.name) {
		return c.suggest(message, c.renamed(name, "@"+name))
	}
	if err := c.programAsTarget(name); err != nil {
		return err
	}
	for _, arg := range c.args { // the server comes before the tool
		if !c.isServer(arg) || c.command.actions != nil && !slices.ContainsFunc(c.command.actions, func(action string) bool { return hasWord(c.typed, action) }) {
			continue
		}
		line := cmdline.Own(c.typed...)
		at, from := line.Index(c.target), line.Index(arg)
		if at < 0 || from < at {
			break
		}
		if c.command.max == 0 {
			return c.extraArgument(c.target)
		}
		return c.suggest("the server comes first", slices.Concat(line[:at], cmdline.Line{line[from]}, line[at:from], line[from+1:]))
	}
	known := slices.DeleteFunc(serverNames(cfg), func(name string) bool {
		return c.command.web && cfg.Server(name).URL == "" || strings.Contains(name, "://") || hasWord(c.typed, name)
	})
	if near := nearest.Typo(name, known); near != "" {
		return c.suggest(message+" (did you mean "+wire.Quote(near)+"?)", c.renamed(c.target, strings.TrimSuffix(c.target, name)+near))
	}
	for _, separator := range []string{"/", "."} { // of a tool
		at := strings.LastIndex(name, separator)
		if near := nearest.Typo(name[:max(at, 0)], known); at > 0 && c.command.tool && near != "" {
			return c.suggest(message+" (did you mean "+wire.Quote(near)+"?)", c.renamed(c.target, near+name[at:]))
		}
	}
	if strings.ContainsAny(name, `/\`) && name == c.target {
		if _, err := os.Stat(name); err != nil {
			message += ", and there is no file of this name"
		} else {
			message += ", and the file of this name is not a program"
		}
	}
	if strings.Contains(name, " ") || c.command.max == 0 && len(c.args) > 0 {
		return c.usageHint(message, "a command that starts a server belongs after --")
	}
	return c.usageHint(message, c.toType("for a list, ", cmdline.Words("servers")))
}

// explainProblem returns the failure for a server whose entry or file is invalid, or nil.
func (c *invocation) explainProblem(cfg *config.Config, name, message string) error {
	for _, p := range cfg.Problems {
		if p.Server == "" || p.Server == name {
			return c.usageHint(message+"\n\t"+p.Error(), "correct the file")
		}
	}
	return nil
}

// load reads the configuration, or only the file that the target names.
func (c *invocation) load() (cfg *config.Config, name string) {
	if i := strings.LastIndexByte(c.target, ':'); i > 0 {
		file, name := c.target[:i], c.target[i+1:]
		if hasWord(programNames, file) {
			c.flags.Config = append(c.flags.Config, file)
			return c.loadAll(), name
		}
		if _, err := os.Stat(file); err == nil || strings.HasSuffix(file, ".json") {
			return config.LoadFile(file), name
		}
	}
	return c.loadAll(), c.target
}

// loadAll reads the user's files, the project's, and those of -c, which may name
// other programs instead of files.
func (c *invocation) loadAll() *config.Config {
	files, programs := splitPrograms(c.flags.Config)
	cfg := config.Load(".", files...)
	for _, found := range config.Discover(nil) {
		if hasWord(programs, found.Program) {
			cfg.Problems = append(cfg.Problems, found.Problems...)
			for _, s := range found.Servers {
				if s.Scope != "project" {
					s.Scope = "local" // the user has named the program
				}
				cfg.Servers = slices.DeleteFunc(cfg.Servers, func(other *config.Server) bool { return other.Name == s.Name })
				cfg.Servers = append(cfg.Servers, s)
			}
		}
	}
	return cfg
}

// programNames are those of the programs whose files mcpecho finds.
var programNames = []string{"claude-desktop", "claude-code", "cursor", "vscode", "windsurf", "zed", "gemini", "codex"}

// splitPrograms separates the names of programs from those of files. A project could have a
// file with the name of a program, for which the user must type a path such as ./cursor.
func splitPrograms(names []string) (files, programs []string) {
	for _, name := range names {
		if hasWord(programNames, name) {
			programs = append(programs, name)
		} else {
			files = append(files, name)
		}
	}
	return files, programs
}

// expandEntry replaces the variables in the settings of the configured server,
// and uses its timeouts as the defaults of the flags.
func (c *invocation) expandEntry(ctx context.Context) error {
	if c.entry == nil {
		return nil
	}
	if err := c.confirmTrust(ctx); err != nil {
		return err
	}
	e, err := c.entry.Trust().Expand(ctx, &config.Vars{Input: c.inputs.value})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		wrong := &config.Problem{File: c.entry.Source, Server: c.entry.Name, Err: err}
		f := &failure.Error{Status: failure.Usage, Kind: "configuration", Message: wrong.Error(), Err: err}
		if _, rest, ok := strings.Cut(err.Error(), `needs the variable "`); ok {
			variable, _, _ := strings.Cut(rest, `"`)
			f.Hint = "set " + variable + " in the environment of mcpecho"
		}
		return f
	}
	c.entry = e
	if f := &c.flags; !f.IsGiven("timeout") && e.Timeout > 0 {
		f.Timeout = e.Timeout
	}
	if f := &c.flags; !f.IsGiven("connect-timeout") && e.ConnectTimeout > 0 {
		f.ConnectTimeout = e.ConnectTimeout
	}
	return nil
}

// checkAllowed returns an error if the configuration excludes the tool.
func (c *invocation) checkAllowed(tool string) error {
	e := cmp.Or(c.entry, c.held)
	if e == nil || e.Tools.Allows(tool) {
		return nil
	}
	return &failure.Error{Status: failure.Usage, Kind: "configuration",
		Message: "the tool " + wire.Quote(tool) + " is excluded by the entry of " + wire.Quote(e.Name) + " in " + terminal.EscapeName(e.Source)}
}

// entryProgram returns the transport that starts the program of the configured
// server.
func (c *invocation) entryProgram(s *conversation) *stdio.Transport {
	e, f := c.entry, &c.flags
	t := stdio.Command(e.Command, e.Args...)
	t.Env, t.InheritEnv = append(cloneWords(e.Env), f.Env...), e.InheritEnv || f.InheritEnv
	if t.Dir, t.Stderr = f.Dir, s.stderr; t.Dir == "" {
		t.Dir = e.Dir
	}
	return t
}

// entryTransport returns the transport to the configured server.
func (c *invocation) entryTransport(s *conversation) (mcp.Transport, error) {
	e, f := c.entry, &c.flags
	switch e.Type {
	case config.Stdio:
		if f.Transport != "" || f.Header != nil || f.Insecure {
			return nil, c.suggest("-t, -H and --insecure need a server at a URL, but "+c.targetName()+" is started", c.without("transport", "header", "insecure"))
		}
		return c.wrap(c.entryProgram(s)), nil
	case config.HTTP, config.SSE, "":
		header := make(http.Header)
		for key, value := range e.Headers {
			header.Set(key, value)
		}
		for key, values := range f.Header {
			header[key] = values
		}
		way := f.Transport
		if way == "" {
			way = e.Type
		}
		if e.Command == "" {
			return c.urlTransport(e.URL, header, way)
		}
		if way == "" {
			way = config.HTTP
		}
		web, err := c.urlTransport(e.URL, header, way)
		if err != nil {
			return nil, err
		}
		if s.program, err = webprogram.New(c.entryProgram(s), web, e.URL); err != nil {
			return nil, &failure.Error{Status: failure.Usage, Kind: "configuration", Message: c.targetName() + ": " + err.Error(), Err: err}
		}
		return s.program, nil
	}
	return nil, &failure.Error{Status: failure.Usage, Kind: "configuration", Message: c.targetName() + ": mcpecho does not support servers of type " + wire.Quote(e.Type)}
}

// inputs holds the values of ${input:ID} in a configuration. Each value is
// prompted for once, even if several servers use it.
type inputs struct {
	c      *invocation
	file   *config.Config
	turn   chan struct{}     // full during a prompt; guards what follows
	values map[string]string // by id
	in     *bufio.Reader     // standard input

	console *terminal.Console // whose progress a prompt hides; may be nil
}

func (c *invocation) newInputs(file *config.Config) *inputs {
	return &inputs{c: c, file: file, turn: make(chan struct{}, 1), values: make(map[string]string), in: c.reader()}
}

// value returns the value of an input. It is the Input function of config.Vars.
func (in *inputs) value(ctx context.Context, id string) (string, error) {
	if in == nil || !in.c.isTerminal(in.c.stdin) || !in.c.isTerminal(in.c.stderr) {
		return "", errors.New("cannot prompt for it: standard input and standard error must be a terminal")
	}
	description, err := in.file.Input(id)
	if err != nil {
		return "", err
	}
	select {
	case in.turn <- struct{}{}:
		defer func() { <-in.turn }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	value, ok := in.values[id]
	if !ok {
		if value, err = in.prompt(ctx, description); err == nil {
			in.values[id] = value
		}
	}
	return value, err
}

// prompt asks the user until the value is valid.
func (in *inputs) prompt(ctx context.Context, description *config.Input) (string, error) {
	a := &asker{c: in.c, in: in.in}
	if in.console != nil {
		in.console.Pause()
		defer in.console.Resume()
	}
	prompt := terminal.EscapeLine(terminal.FirstOf(description.Description, description.ID))
	if len(description.Options) > 0 {
		prompt += " (" + terminal.EscapeLine(strings.Join(description.Options, ", ")) + ")"
	}
	if description.Default != "" && !description.Password {
		prompt += " [" + terminal.EscapeLine(description.Default) + "]"
	}
	line := &lineedit.Line{Secret: description.Password, History: form.ChoiceHistory(description.Options), Around: true}
	if f, ok := in.c.stdin.(*os.File); ok && description.Password && in.c.lineEditor() == nil {
		if show, ok := terminal.HideTyping(f); ok {
			defer func() {
				show()
				a.print("\n")
			}()
		} else {
			prompt += " (visible)"
		}
	}
	for {
		line.Prompt = prompt + ": "
		value, err := a.askLine(ctx, line)
		switch {
		case errors.Is(err, io.EOF):
			return "", errors.New("no value was entered")
		case err != nil:
			return "", err
		case value == "":
			value = description.Default
		}
		switch {
		case value == "":
		case len(description.Options) > 0 && !hasWord(description.Options, value):
			a.print(wire.Quote(value) + " is not one of the options.\n")
		default:
			return value, nil
		}
	}
}
