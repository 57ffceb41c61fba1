package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/lineedit"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/state"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// A shell is a session with one server, in which a user or a script runs commands.
type shell struct {
	c       *invocation // the command that started the shell
	entry   *config.Server
	editor  *lineedit.Editor // nil if the commands do not come from a terminal
	history *state.History
	notices *terminal.Notices
	console *terminal.Console // of all connections
	ctx     context.Context   // of the shell, for what outlives a command

	answer atomic.Pointer[flags.Answer] // of the running command; may be nil

	seen   int         // notifications before the last command
	asJSON atomic.Bool // notifications are printed as JSON
	began  atomic.Bool // the user has entered a command

	mu      lock.Mutex // guards what follows
	s       *conversation
	end     func() error                 // of s
	watched []*mcp.Subscription          // of the watch command
	lists   map[string]*listCache        // by name
	entered map[string]*lineedit.History // by tool and argument that the user was asked for
	cancel  context.CancelFunc           // of the running command; nil if there is none
	again   bool                         // Ctrl-C was pressed, and no command was entered since
	ended   map[*conversation]bool       // whose end has been reported
}

// An interrupts value decides what an interrupt does. The zero value ends the
// program.
type interrupts struct {
	handle  atomic.Pointer[func() bool]
	signals chan os.Signal // that the program receives

	once   sync.Once
	editor *lineedit.Editor // for questions; nil if there is no terminal. Set by once
}

// handled reports whether the shell used the interrupt for the running command.
func (i *interrupts) handled() bool {
	if f := i.handle.Load(); f != nil {
		return (*f)()
	}
	return false
}

// close restores the terminal if a question is open, because the server has ended,
// say.
func (i *interrupts) close() {
	i.once.Do(func() {}) // wait for lineEditor
	if i.editor != nil {
		i.editor.Close()
	}
}

// raise does what Ctrl-C does while the terminal does not turn it into a signal.
func (i *interrupts) raise() { i.signals <- os.Interrupt }

func runShell(ctx context.Context, c *invocation) error {
	sh := &shell{c: c, entry: c.entry, lists: make(map[string]*listCache), entered: make(map[string]*lineedit.History), ended: make(map[*conversation]bool)}
	var stop context.CancelFunc
	sh.ctx, stop = context.WithCancel(ctx)
	defer stop()
	c.shell = sh
	sh.answer.Store(c.flags.Answer)
	in, out := terminal.File(c.stdin), terminal.File(c.stderr)
	interactive := in != nil && out != nil
	e := *c.environment
	if interactive && c.supportsStyles(c.stderr) {
		sh.useEditor(&e, in, out)
		defer terminal.OnResize(sh.editor.Resize)()
	} else {
		// Notifications are printed beside results.
		e.stdout, e.stderr = terminal.Serialized(e.stdout), terminal.Serialized(e.stderr)
	}
	c.environment = &e
	e.lines = nil
	sh.console = e.console()
	sh.notices = terminal.NewNotices(func(line string) { sh.printNotice(line) })
	sh.asJSON.Store(c.flags.JSON)
	c.onLog = func(m *mcp.LogMessage) {
		if sh.asJSON.Load() {
			sh.notices.Add(logJSON(m))
		} else {
			sh.notices.Add("log " + logLine(m))
		}
	}
	if err := sh.connect(ctx); err != nil {
		return err
	}
	defer func() {
		sh.close()
		if err := c.recorder.close(); err != nil {
			c.report(context.Background(), err)
		}
	}()
	if c.interrupts != nil && interactive {
		interrupt := sh.interrupt
		c.interrupts.handle.Store(&interrupt)
		defer c.interrupts.handle.Store(nil)
	}
	if interactive {
		sh.greet()
	}
	if sh.editor != nil {
		return sh.interact(ctx)
	}
	return sh.script(ctx, interactive)
}

// useEditor makes the shell read lines with an editor, and print above them.
func (sh *shell) useEditor(e *environment, in, out *os.File) {
	sh.editor = newEditor(in, out)
	e.stderr = &terminal.PromptWriter{Editor: sh.editor, File: out}
	if f := terminal.File(e.stdout); f != nil {
		e.stdout = &terminal.PromptWriter{Editor: sh.editor, File: f}
	}
}

func newEditor(in, out *os.File) *lineedit.Editor {
	return lineedit.New(in, out, lineedit.Options{
		Raw: func() (func(), error) {
			restore, ok := terminal.MakeRaw(in, out)
			if !ok {
				return nil, errors.New("cannot change the mode of the terminal")
			}
			return restore, nil
		},
		Size: func() (int, int) { columns, rows, _ := terminal.WindowSize(out); return columns, rows },
	})
}

// lineEditor returns the editor for questions: that of the shell, or another one.
// It is nil if the terminal cannot show it.
func (c *invocation) lineEditor() *lineedit.Editor {
	switch {
	case c.shell != nil && c.shell.editor != nil:
		return c.shell.editor
	case c.interrupts == nil:
		return nil
	}
	c.interrupts.once.Do(func() {
		in, out := terminal.File(c.stdin), terminal.File(c.stderr)
		if in != nil && out != nil && c.supportsStyles(c.stderr) {
			c.interrupts.editor = newEditor(in, out)
			terminal.OnResize(c.interrupts.editor.Resize)
		}
	})
	return c.interrupts.editor
}

// connect connects to the server, and prints its notifications from then on.
func (sh *shell) connect(ctx context.Context) error {
	sh.c.entry = sh.entry // with its variables
	s, end, err := sh.c.open(ctx)
	if err != nil {
		return err
	}
	sh.mu.Lock()
	sh.s, sh.end, sh.watched = s, end, nil
	clear(sh.lists)
	sh.mu.Unlock()
	if sh.editor != nil { // a script reads of it in the error of its next command
		go sh.watchEnd(s) // ends with the connection
	}
	sub, err := s.Subscribe(ctx, &mcp.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true})
	if err == nil {
		go sh.follow(sub) // ends with the connection
	}
	return nil // changes of lists are a convenience
}

func (sh *shell) watchEnd(s *conversation) {
	<-s.Done()
	if sh.current() == s {
		sh.reportEnd(s)
	}
}

// reportEnd says once that the server has ended.
func (sh *shell) reportEnd(s *conversation) {
	sh.mu.Lock()
	reported := sh.ended[s]
	sh.ended[s] = true
	sh.mu.Unlock()
	if !reported {
		sh.note(sh.deadText(s) + ` Type "restart" to start it again.`)
	}
}

func (sh *shell) deadText(s *conversation) string {
	text := "The connection to " + sh.c.targetName() + " has ended"
	if err := s.Err(); err != nil && !errors.Is(err, mcp.ErrClosed) {
		text += ": " + strings.TrimSpace(failure.Text(err))
	} else if err != nil {
		text += ": " + terminal.FirstLine(err.Error())
	}
	return strings.TrimSuffix(text, ".") + "."
}

// follow prints the changes that a subscription reports.
func (sh *shell) follow(sub *mcp.Subscription) {
	for {
		change, err := sub.Next(sh.ctx)
		if err != nil {
			return
		}
		sh.forget(time.Now())
		if sh.editor != nil && !sh.began.Load() {
			continue // many servers announce their lists when they start
		}
		if sh.asJSON.Load() {
			sh.notices.Add(changeJSON(change))
		} else {
			sh.notices.Add(changeLine(change))
		}
	}
}

func changeLine(change mcp.Change) string {
	if change.Kind == mcp.ResourceUpdated {
		return "updated " + change.URI
	}
	list, _ := strings.CutSuffix(strings.TrimPrefix(string(change.Kind), "notifications/"), "/list_changed")
	return "changed " + list
}

// printNotice prints a notification. A script reads them from standard output.
func (sh *shell) printNotice(line string) {
	text := terminal.EscapeLine(line)
	if sh.editor == nil {
		_ = sh.c.write(text + "\n")
		return
	}
	if !sh.asJSON.Load() {
		text = time.Now().Format(time.TimeOnly) + " " + text
	}
	sh.console.Styled(sh.c.hide(text), terminal.Dim, sh.c.styler(sh.c.stderr))
}

// note prints a line that is not a result.
func (sh *shell) note(line string) {
	if !sh.c.flags.Quiet {
		sh.console.Line(sh.c.folded(line))
	}
}

func (sh *shell) current() *conversation {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.s
}

func (sh *shell) close() {
	sh.mu.Lock()
	end := sh.end
	sh.s, sh.end = nil, nil
	sh.mu.Unlock()
	if end != nil {
		if err := end(); err != nil {
			sh.c.report(context.Background(), err)
		}
	}
}

// with runs f, which is what a command does, with the connection of the shell.
func (sh *shell) with(ctx context.Context, f func(*conversation) error) error {
	s := sh.current()
	if isDone(s) {
		if err := sh.revive(ctx, s); err != nil {
			return err
		}
		s = sh.current()
	}
	err := s.explain(f(s))
	sh.c.warnDiscarded(s, err)
	return err
}

func isDone(s *conversation) bool {
	if s == nil {
		return true
	}
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}

// revive asks whether to start the server again.
func (sh *shell) revive(ctx context.Context, s *conversation) error {
	dead := &failure.Error{Status: failure.Unreachable, Kind: "crashed", Message: "the server has ended", Hint: `"restart" starts it again`}
	if s != nil {
		sh.mu.Lock()
		sh.ended[s] = true
		sh.mu.Unlock()
		dead.Message = sh.deadText(s)
	}
	if sh.editor == nil {
		return dead
	}
	sh.note(dead.Message)
	a := &asker{c: sh.c}
	a.discard()
	if yes, err := a.confirm(ctx, "Start it again?"); err != nil || !yes {
		return dead
	}
	return sh.restart(ctx)
}

func (sh *shell) restart(ctx context.Context) error {
	sh.close()
	if err := sh.connect(ctx); err != nil {
		return err
	}
	kept := " What it kept of the session before is lost."
	if sh.c.session != "" {
		kept = " The session goes on."
	}
	sh.note("Connected to " + sh.c.targetName() + " again." + kept)
	return nil
}

// interrupt cancels the running command. It reports false if there is none, or if
// the user interrupts it for the second time.
func (sh *shell) interrupt() bool {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.cancel == nil || sh.again {
		return false
	}
	sh.again = true
	sh.cancel()
	return true
}

// A listCache is a list of the server for completion and for schemas.
type listCache struct {
	raw     mcp.RawMessage
	fetched time.Time
}

// cacheTime is how long the shell uses a list. A change that the server reports
// ends it earlier.
const cacheTime = 30 * time.Second

// list returns a list, from memory if it is not too old.
func (sh *shell) list(ctx context.Context, name string) (mcp.RawMessage, error) {
	sh.mu.Lock()
	s, cached := sh.s, sh.lists[name]
	sh.mu.Unlock()
	if cached != nil && time.Since(cached.fetched) < cacheTime {
		return cached.raw, nil
	}
	if isDone(s) {
		return nil, mcp.ErrClosed
	}
	raw, _, err := sh.c.fetchOffered(ctx, s, lists()[name])
	if err != nil {
		return nil, err
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.lists[name] = &listCache{raw, time.Now()}
	return raw, nil
}

// forget removes lists from memory, so that list fetches them again, and reports
// whether one of them was fetched before the given time.
func (sh *shell) forget(before time.Time) (had bool) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for _, l := range sh.lists {
		had = had || l.fetched.Before(before)
	}
	clear(sh.lists)
	return had
}
