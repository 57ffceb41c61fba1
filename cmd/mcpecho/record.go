package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/mcp"
)

// A recorder records the connections of a command in a file. A nil recorder does
// nothing.
type recorder struct {
	file *os.File
	w    *recording.Writer
}

// newRecorder creates the file, readable by its owner only because masking may
// miss a secret.
func (c *invocation) newRecorder() (*recorder, error) {
	f, err := os.OpenFile(c.flags.record, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, localFailure(err)
	}
	secrets := c.flags.secrets()
	if c.entry != nil {
		for _, value := range c.entry.Headers {
			secrets = append(secrets, value)
		}
		for _, e := range c.entry.Env {
			if key, value, _ := strings.Cut(e, "="); diag.IsSecretName(key) {
				secrets = append(secrets, value)
			}
		}
	}
	return &recorder{f, recording.NewWriter(f, secrets...)}, nil
}

// wrap returns a transport whose connections are recorded.
func (r *recorder) wrap(t mcp.Transport) mcp.Transport {
	if r == nil {
		return t
	}
	return r.w.Wrap(t)
}

func (r *recorder) close() error {
	if r == nil {
		return nil
	}
	err := r.w.Close()
	if closed := r.file.Close(); err == nil {
		err = closed
	}
	return localFailure(err)
}

// serveReplay is the server of a recording.
func (c *invocation) serveReplay(ctx context.Context) error {
	if c.flags.protocol != "" {
		return c.usageHint("--protocol does not work with --replay, which uses the protocol version of the recording", "type: "+c.paste(c.without("protocol")))
	}
	f, err := os.Open(c.flags.replay)
	if err != nil {
		return localFailure(err)
	}
	entries, err := recording.Read(f)
	_ = f.Close()
	if err != nil {
		return localFailure(errors.New(c.flags.replay + ": " + err.Error()))
	}
	r := recording.NewReplay(entries, &recording.Options{Report: func(problem string) {
		_, _ = io.WriteString(c.stderr, "mcpecho: "+escapeLine(problem)+"\n")
	}})
	if c.flags.address != "" {
		h := newReplayHandler(r)
		legacy := slices.ContainsFunc(entries, func(e recording.Entry) bool { return e.Sent && e.Message.Method == "initialize" })
		web, err := serveHandler(c.flags.address, h, h.Close, legacy, c.flags.requireLogin)
		return c.serveUntilDone(ctx, web, err)
	}
	done := make(chan struct{})
	go func() { // ends with the input, or the program
		r.Serve(&lineStream{in: bufio.NewReader(c.stdin), out: c.stdout})
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A lineStream is a stream of messages, one a line.
type lineStream struct {
	in  *bufio.Reader
	out io.Writer
}

// maxReplayLine limits a message of a client, in bytes.
const maxReplayLine = 64 << 20

func (s *lineStream) Read() ([]byte, error) {
	var line []byte
	for {
		part, err := s.in.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxReplayLine {
			return nil, mcp.ErrTooLarge
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func (s *lineStream) Write(p []byte) (int, error) { return s.out.Write(p) }
func (s *lineStream) Close() error                { return nil }
