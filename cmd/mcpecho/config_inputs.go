package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/lineedit"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// inputs holds the values of ${input:ID} in a configuration. Each value is
// prompted for once, even if several servers use it.
type inputs struct {
	c      *invocation
	file   *config.Config
	turn   chan struct{}     // full during a prompt; guards what follows
	values map[string]string // by id
	in     *bufio.Reader     // standard input

	console *console // whose progress a prompt hides; may be nil
}

func (c *invocation) newInputs(file *config.Config) *inputs {
	return &inputs{c: c, file: file, turn: make(chan struct{}, 1), values: make(map[string]string), in: bufio.NewReader(c.stdin)}
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
		in.console.pause()
		defer in.console.resume()
	}
	prompt := escapeLine(firstOf(description.Description, description.ID))
	if len(description.Options) > 0 {
		prompt += " (" + escapeLine(strings.Join(description.Options, ", ")) + ")"
	}
	if description.Default != "" && !description.Password {
		prompt += " [" + escapeLine(description.Default) + "]"
	}
	line := &lineedit.Line{Secret: description.Password, History: choiceHistory(description.Options), Around: true}
	if f, ok := in.c.stdin.(*os.File); ok && description.Password && in.c.lineEditor() == nil {
		if show, ok := hideTyping(f); ok {
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
		case len(description.Options) > 0 && !slices.Contains(description.Options, value):
			a.print(strconv.Quote(value) + " is not one of the options.\n")
		default:
			return value, nil
		}
	}
}
