package testserver

import (
	"bufio"
	"io"
	"strings"
)

// A Script is a server that answers raw lines with raw bytes. It is called with
// each line that the client sent, without the line break, and before the first
// with an empty line; what it returns is sent as it is, piece by piece.
type Script func(line string) []string

// Replies is a Script that answers by method. In an answer $id stands for the
// id of the request; the line break at its end is added. A method that is not
// there gets no answer.
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

// Pipe returns the client's end of an in-memory connection. The script runs
// behind it until it is closed.
func (f Script) Pipe() io.ReadWriteCloser {
	return connect(func(r io.ReadCloser, w io.WriteCloser, _ <-chan struct{}) {
		_ = f.Serve(r, w)
	})
}
