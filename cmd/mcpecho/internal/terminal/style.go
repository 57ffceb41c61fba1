package terminal

import (
	"os"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/lineedit"
)

// File returns the terminal that out is, or nil.
func File(out any) *os.File {
	if p, ok := out.(*PromptWriter); ok {
		out = p.File
	}
	if f, ok := out.(*os.File); ok {
		if _, _, ok := WindowSize(f); ok {
			return f
		}
	}
	return nil
}

// A Style is a control sequence for text.
type Style string

const (
	Plain   Style = ""
	Bold    Style = "\x1b[1m"
	Dim     Style = "\x1b[2m"
	Red     Style = "\x1b[31m"
	magenta Style = "\x1b[35m"
)

// A PromptWriter writes to the terminal above the line that is being edited.
type PromptWriter struct {
	Editor *lineedit.Editor
	File   *os.File
}

func (w *PromptWriter) Write(p []byte) (int, error) {
	w.Editor.Print(string(p))
	return len(p), nil
}
