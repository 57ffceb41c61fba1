package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// printLong is print for lists and descriptions: it uses $PAGER if the text is
// longer than the screen.
func (c *invocation) printLong(ctx context.Context, text string) error {
	out := terminalFile(c.stdout)
	pager := c.getenv("PAGER")
	if out == nil || pager == "" || pager == "cat" || !c.toTerminal() || !c.isTerminal(c.stdin) || runtime.GOOS == "windows" {
		return c.print(text)
	}
	_, height, _ := windowSize(out)
	if height <= 0 || screenLines(text, c.terminalWidth(out)) < height {
		return c.print(text)
	}
	cmd := systemShell(ctx, pager)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), out, os.Stderr
	cmd.Env = append(os.Environ(), "LESS="+c.getenv("LESS"))
	if c.getenv("LESS") == "" {
		cmd.Env[len(cmd.Env)-1] = "LESS=FRX" // as git: quit if it fits, show colors, keep the screen
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		_, _ = io.WriteString(c.stderr, "mcpecho: $PAGER: "+escapeLine(err.Error())+"\n")
		return c.print(text)
	}
	return nil
}

// screenLines returns the number of lines of a terminal that text takes.
func screenLines(text string, width int) (n int) {
	for line := range strings.Lines(text) {
		n += 1 + max(0, textWidth(strings.TrimSuffix(withoutStyles(line), "\n"))-1)/max(1, width)
	}
	return n
}
