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

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// inputs are what a configuration leaves to its user: ${input:ID}. Each is
// asked for once, however many servers want it.
type inputs struct {
	c      *invocation
	file   *config.Config
	turn   chan struct{}     // full while one is asked for; guards what follows
	values map[string]string // by id
	in     *bufio.Reader     // standard input
}

func (c *invocation) newInputs(file *config.Config) *inputs {
	return &inputs{c: c, file: file, turn: make(chan struct{}, 1), values: make(map[string]string), in: bufio.NewReader(c.stdin)}
}

// get is the function that config.Vars wants.
func (in *inputs) value(ctx context.Context, id string) (string, error) {
	if in == nil || !in.c.isTerminal(in.c.stdin) || !in.c.isTerminal(in.c.stderr) {
		return "", errors.New("nobody can be asked, as this is no terminal")
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

// ask asks until it gets what fits.
func (in *inputs) prompt(ctx context.Context, description *config.Input) (string, error) {
	a := &asker{c: in.c, in: in.in}
	prompt := escapeLine(firstOf(description.Description, description.ID))
	if len(description.Options) > 0 {
		prompt += " (" + escapeLine(strings.Join(description.Options, ", ")) + ")"
	}
	if description.Default != "" && !description.Password {
		prompt += " [" + escapeLine(description.Default) + "]"
	}
	if f, ok := in.c.stdin.(*os.File); ok && description.Password {
		if show, ok := hideTyping(f); ok {
			defer func() {
				show()
				a.print("\n")
			}()
		} else {
			prompt += " (it can be seen)"
		}
	}
	for {
		value, err := a.ask(ctx, prompt+": ")
		switch {
		case errors.Is(err, io.EOF):
			return "", errors.New("nothing was entered")
		case err != nil:
			return "", err
		case value == "":
			value = description.Default
		}
		switch {
		case value == "":
		case len(description.Options) > 0 && !slices.Contains(description.Options, value):
			a.print("It is none of these: " + strconv.Quote(value) + "\n")
		default:
			return value, nil
		}
	}
}
