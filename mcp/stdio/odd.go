package stdio

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// maxPart limits what Explain quotes of a line without an end, in bytes.
const maxPart = 100

// note keeps text, for Explain, until the next message arrives.
//
//go:noinline
func (l *lines) note(text string) {
	l.noted = text != ""
	l.mu.Lock()
	l.odd = text
	l.mu.Unlock()
}

// framed reports whether a line has the end of a Content-Length, as those of a server do
// that writes no line breaks after messages.
func framed(line []byte) bool {
	return bytes.Contains(bytes.ToLower(line[max(0, len(line)-30):]), []byte("content-length: "))
}

// noteLine notes what a line that is not a message says about the server.
func (l *lines) noteLine(line []byte) {
	switch {
	case l.noted:
	case framed(line):
		l.note("the server writes Content-Length before each message, as language servers do; in MCP each message is a line")
	case bytes.Contains(line, []byte("://")):
		l.note(servesHTTP(hide(string(line), l.hidden)))
	}
}

// notePart keeps the beginning of a line whose end has not arrived, until it arrives. A
// long message passes here, too, so that only Explain makes a text of it.
func (l *lines) notePart(line []byte) {
	if l.part = len(line) > 0; l.part {
		l.mu.Lock()
		l.begin = append(l.begin[:0], line[:min(len(line), smallBuffer)]...)
		l.mu.Unlock()
	}
}

// endPart forgets what notePart has kept.
func (l *lines) endPart() {
	l.part = false
	l.mu.Lock()
	l.begin = l.begin[:0]
	l.mu.Unlock()
}

// Explain implements jsonrpc.Explainer. After a timeout it adds what the server has
// written since its last message.
func (l *lines) Explain(err error) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	l.mu.Lock()
	odd, begin := l.odd, string(l.begin)
	l.mu.Unlock()
	if odd == "" && begin != "" {
		odd = "the server wrote no line break after " + diag.Printable(hide(begin, l.hidden), maxPart)
	}
	if odd == "" {
		return nil
	}
	return &diag.SeenError{Err: err, Seen: odd}
}

// servesHTTP returns what to do with a program whose output contains the URL of a server
// on this machine, or "".
func servesHTTP(output string) string {
	output = diag.Printable(diag.HideUserinfo(output), 0)
	for {
		before, after, found := strings.Cut(output, "://")
		if !found {
			return ""
		}
		output = after
		scheme := before[strings.LastIndexByte(before, 'h')+1:]
		if scheme != "ttp" && scheme != "ttps" || !diag.HasWord(after, "localhost,127.,0.0.0.0,[::,***@localhost,***@127.", 0) {
			continue
		}
		if end := wire.IndexAny(after, " ?#\"'`<>(),;|"); end >= 0 {
			after = after[:end]
		}
		return "the program printed h" + scheme + "://" + strings.TrimRight(after, ".:") + ": if it serves MCP there, connect to that URL, or start it with its option for stdio"
	}
}
