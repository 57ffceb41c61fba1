package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/input"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/shellwords"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/mcp"
)

// maxScriptLine limits a command of a script, in bytes.
const maxScriptLine = 16 << 20

// script runs the commands that standard input holds, one a line. Its status is
// that of the first command that failed. When the server has ended, it skips commands
// until one of them starts it again.
func (sh *shell) script(ctx context.Context, prompts bool) error {
	first, number := failure.Done, 0
	dead, skipped := false, 0
	in := sh.c.reader()
	if !prompts { // otherwise questions read from there, too
		sh.c.environment.stdin = strings.NewReader("")
	}
	for {
		if prompts {
			_, _ = io.WriteString(sh.c.stderr, sh.prompt())
		}
		text, lines, err := readCommand(ctx, in)
		at := number + 1
		number += lines
		if err != nil && err != io.EOF {
			return err
		}
		commands, open := shellwords.Split(text)
		if open {
			return sh.c.usageHint("line "+strconv.Itoa(at)+": a quote or a JSON value is not closed", "close it with ', \", } or ]")
		}
		for _, words := range commands {
			if dead && !hasWord(withoutServer, words[0].Text) {
				skipped++
				continue
			}
			status, failed := sh.run(ctx, words)
			if first == failure.Done {
				first = status
			}
			dead = !prompts && isDone(sh.current()) && (dead || status == failure.Unreachable)
			switch {
			case failed != nil && !errors.Is(failed, errLeave):
				return failed
			case failed != nil, status != failure.Done && sh.c.flags.StopOnError && !prompts:
				sh.noteSkipped(skipped)
				return exitStatus(first)
			case !dead:
				sh.noteSkipped(skipped)
				skipped = 0
			}
		}
		if err == io.EOF {
			sh.noteSkipped(skipped)
			return exitStatus(first)
		}
	}
}

// withoutServer are the commands of a shell that need no server.
var withoutServer = []string{"restart", "exit", "quit", "help", "?"}

// noteSkipped says how many commands of a script were not run.
func (sh *shell) noteSkipped(n int) {
	if n > 0 {
		sh.note("Skipped " + terminal.Count(n, "command") + `, as the server had ended; the command "restart" starts it again.`)
	}
}

// exitStatus returns an error that ends the program with the status and prints
// nothing more.
func exitStatus(status int) error {
	if status == failure.Done {
		return nil
	}
	return &failure.Error{Status: status, Reported: true}
}

// readCommand reads lines until quotes and JSON are closed.
func readCommand(ctx context.Context, in *bufio.Reader) (text string, lines int, err error) {
	for {
		line, err := input.Await(ctx, func() ([]byte, error) { return input.ReadLine(in, maxScriptLine-len(text)) })
		if ctx.Err() != nil {
			return "", lines, context.Cause(ctx)
		}
		lines++
		if errors.Is(err, mcp.ErrTooLarge) {
			return "", lines, errors.New("a command of the script is longer than " + strconv.Itoa(maxScriptLine) + " bytes")
		}
		text += string(line)
		if _, open := shellwords.Split(text); err != nil || !open {
			return text, lines, err
		}
	}
}
