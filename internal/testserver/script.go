package testserver

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// A Script is a server that responds to raw lines with raw bytes. It is called
// with an empty line first, and then with each line that the client sends,
// without the line break. Each string that it returns is written at once.
type Script func(line string) []string

// Replies returns a Script that responds to each method with a line, in which $id
// stands for the id of the request. It does not respond to other methods.
func Replies(answers map[string]string) Script {
	return func(line string) []string {
		if line == "" {
			return nil
		}
		f := newFields("message", []byte(line))
		answer, ok := answers[f.optText("method")]
		if !ok {
			return nil
		}
		return []string{strings.ReplaceAll(answer, "$id", string(f.raw["id"])) + "\n"}
	}
}

// Serve runs the script until r has ended or w fails.
func (f Script) Serve(r io.Reader, w io.Writer) error {
	in := bufio.NewReader(r)
	for line := ""; ; {
		for _, part := range f(line) {
			if _, err := io.WriteString(w, part); err != nil {
				return err
			}
		}
		text, err := in.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line = strings.TrimRight(text, "\r\n")
	}
}

// Pipe returns the client's end of an in-memory connection to the script.
func (f Script) Pipe() io.ReadWriteCloser {
	return connect(func(_ context.Context, r io.ReadCloser, w io.WriteCloser) {
		_ = f.Serve(r, w)
	})
}
