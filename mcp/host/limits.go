package host

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/blocks"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// ResultLimits limit the results of tools, so that one of them does not fill a
// model's context: set Options.Limits. If text is too long, a result keeps its
// beginning and its end, cut between lines if possible and never within a
// character. A note between them says how much is missing and which file has the
// whole text. A file and a note replace images and other binary content that is too
// large.
//
// A server's setting maxResultText and that of a tool in its overrides take
// precedence over MaxResultText. The limits apply to all calls of a Tool, to
// Host.Call, Host.CallTool and ResourceTools, but not to the clients that
// Host.Client returns. All that a model sees as text counts: also notes about links,
// images and other content, and the texts of errors. Structured content remains whole
// for programs; unless a text has the same, the result gets it as text, too, which is
// limited.
//
// The defaults are in brackets; negative means no limit. A ResultLimits holds no
// state; hosts can share it.
type ResultLimits struct {
	MaxResultText int // bytes of text in a result, without the note [50,000]
	MaxResultData int // bytes of an image, of audio or of a binary resource [1 MB]; of up to 100 in a result, four times that

	// Folder is where the host writes the content that it removes from results. It
	// is created if it is missing. In it, the host makes a folder of its own (mode
	// 0700, files 0600), which Shutdown removes. When empty, nothing is written.
	Folder string

	// MaxFolder is the maximum size of up to 10,000 files in bytes [64 MB]. The host removes
	// the oldest files to stay below it, and does not write a file that is larger
	// on its own.
	MaxFolder int64
}

// A ResultLimiter is a *ResultLimits.
type ResultLimiter interface{ newLimiter() limiter }

// A limiter applies limits to the results of one host. A program that sets no
// limits does not link the implementation.
type limiter interface {
	limit(res *mcp.CallToolResult, tool string, maxText int) *mcp.CallToolResult
	close()
}

// A resultLimiter implements limiter.
type resultLimiter struct {
	ResultLimits

	mu     lock.Mutex // guards the rest
	dir    string     // the host's own folder; empty until the first file
	files  []storedFile
	size   int64 // of all files
	last   int   // number of the last file
	closed bool
}

type storedFile struct {
	path string
	size int64
}

func (l *ResultLimits) newLimiter() limiter {
	r := &resultLimiter{}
	if l != nil {
		r.ResultLimits = *l
	}
	r.MaxResultText = wire.Limit(r.MaxResultText, 50_000, math.MaxInt)
	r.MaxResultData = wire.Limit(r.MaxResultData, 1_000_000, math.MaxInt)
	r.MaxFolder = wire.Limit(r.MaxFolder, 64_000_000, math.MaxInt64)
	return r
}

// limited applies Options.Limits to the result of a call.
func (t *Tool) limited(res *mcp.CallToolResult) *mcp.CallToolResult {
	l := t.host.limiter
	if l == nil || res == nil {
		return res
	}
	maxText := 0
	if t.server != nil {
		cfg, _ := t.current()
		if maxText = cfg.MaxResultText; t.over != nil && t.over.MaxResultText != 0 {
			maxText = t.over.MaxResultText
		}
	}
	return l.limit(res, t.name, maxText)
}

// limit returns a result within the limits: res itself, or a changed copy. maxText
// is the limit of the server or tool, or 0.
func (l *resultLimiter) limit(res *mcp.CallToolResult, tool string, maxText int) *mcp.CallToolResult {
	maxText = wire.Limit(maxText, l.MaxResultText, math.MaxInt)
	content, texts, total := make([]mcp.Content, 0, len(res.Content)+1), make([]string, 0, len(res.Content)+1), 0
	changed, images, stays, room, left := false, 0, make(map[int]bool), l.MaxResultData, maxBinaries
	if room < math.MaxInt/4 {
		room *= 4
	} else {
		left = math.MaxInt
	}
	for i := range res.Content {
		c := res.Content[i]
		stays[i] = isBinary(&c) && len(blocks.Text(&c)) <= maxNote
		if note := l.binary(&c, tool, &room, &left); note != "" {
			c, changed, stays[i] = mcp.TextContent(note), true, true
		}
		content, texts = append(content, c), append(texts, blocks.Text(&c))
		total += len(texts[i])
	}
	if n := len(res.StructuredContent); !blocks.Covers(res) && (total > 0 || n > maxText) {
		text := string(res.StructuredContent)
		content, texts, changed = append(content, mcp.TextContent(text)), append(texts, text), true
		total += n
	}
	if total > maxText {
		// One text replaces all that a model sees as text. Images, audio and the notes in
		// place of them stay, unless there are many or what describes them is long.
		var kept []mcp.Content
		var shown []string
		first := -1
		for i := range content {
			c := &content[i]
			switch {
			case texts[i] == "":
				kept = append(kept, *c)
			case stays[i] && images < maxImages:
				images++
				kept = append(kept, *c)
			default:
				if shown = append(shown, texts[i]); first < 0 {
					first = len(kept)
					kept = append(kept, mcp.Content{})
				}
			}
		}
		if first >= 0 {
			kept[first] = mcp.TextContent(l.shorten(strings.Join(shown, "\n"), tool, maxText))
		}
		content, changed = kept, true
	}
	if !changed {
		return res
	}
	own := *res
	own.Content = content
	return &own
}

const (
	maxNote   = 256 // bytes of the note about an image in a result that is too long
	maxImages = 20  // in a result that is too long

	maxBinaries = 100    // in a result; providers refuse more images
	maxFiles    = 10_000 // of a host
)

// isBinary reports whether a block has data that is not text.
func isBinary(c *mcp.Content) bool {
	if c.Raw != nil {
		return false
	}
	if c.Type == mcp.ContentResource && c.Resource != nil {
		_, isText := blocks.ResourceText(c.Resource)
		return !isText
	}
	return c.Type == mcp.ContentImage || c.Type == mcp.ContentAudio
}

// limitedError applies Options.Limits to the text of an error.
func (t *Tool) limitedError(err error) error {
	e, ok := err.(*Error)
	if t.host.limiter == nil || !ok {
		return err
	}
	text := t.limited(&mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(e.text)}}).Content[0].Text
	if text == e.text {
		return err
	}
	own := *e
	own.text = text
	return &own
}

// binary returns the note in place of binary content that is too large, or larger than
// the room that is left in the result, or one too many, or "".
func (l *resultLimiter) binary(c *mcp.Content, tool string, room, left *int) string {
	data, mimeType := blocks.Data(c), c.MIMEType
	size := len(data) / 4 * 3
	if !isBinary(c) || blocks.ForUser(c) {
		return ""
	}
	if *left--; *left >= 0 && size <= min(l.MaxResultData, *room) {
		*room -= size
		return ""
	}
	if c.Resource != nil {
		mimeType = c.Resource.MIMEType
	}
	note := "[not shown: " + string(c.Type) + " " + diag.Printable(mimeType, maxNote/2) + ", " + blocks.Size(data)
	block := mcp.Content{Type: mcp.ContentImage, Data: data}
	if *left < 0 { // nor a file each
		return note + "]"
	}
	decoded, err := block.Bytes()
	if err != nil {
		return note + ", which are not base64]"
	}
	return note + l.store(decoded, tool, extension(mimeType)) + "]"
}

// extension returns the extension for a file.
func extension(mimeType string) string {
	mimeType, _, _ = strings.Cut(mimeType, ";")
	_, kind, _ := strings.Cut(mimeType, "/")
	for i := range len(kind) {
		if c := kind[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			kind = kind[:i] // svg+xml
			break
		}
	}
	if kind == "" || len(kind) > 8 {
		return ".bin"
	}
	return "." + kind
}

// shorten returns the head and the tail of a text with a note between them.
func (l *resultLimiter) shorten(text, tool string, maxText int) string {
	head := headOf(text, maxText-maxText/3)
	tail := tailOf(text[len(head):], maxText/3)
	missing := text[len(head) : len(text)-len(tail)]
	note := "\n[" + strconv.Itoa(len(missing)) + " of " + strconv.Itoa(len(text)) + " bytes (" +
		strconv.Itoa(strings.Count(missing, "\n")+1) + " lines) are missing here" + l.store([]byte(text), tool, ".txt") + "]\n"
	return strings.TrimSuffix(head, "\n") + note + tail
}

// headOf returns the beginning of a text, of at most n bytes. It ends with a line
// if that costs at most half of it.
func headOf(text string, n int) string {
	n = min(n, len(text))
	if n < len(text) {
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		if i := strings.LastIndexByte(text[:n], '\n'); i >= n/2 {
			n = i + 1
		}
	}
	return text[:n]
}

// tailOf returns the end of a text, of at most n bytes. It begins with a line if
// that costs at most half of it.
func tailOf(text string, n int) string {
	at := max(len(text)-n, 0)
	if at > 0 {
		for at < len(text) && !utf8.RuneStart(text[at]) {
			at++
		}
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 && i < (len(text)-at)/2 && text[at-1] != '\n' {
			at += i + 1
		}
	}
	return text[at:]
}

// store writes a file and returns how to continue a note: where it is, or why it is
// not written.
func (l *resultLimiter) store(data []byte, tool, extension string) string {
	if l.Folder == "" {
		return ""
	}
	path, err := l.write(data, tool+extension)
	if err != nil {
		return "; the whole could not be stored: " + err.Error()
	}
	return "; the whole is in " + path
}

func (l *resultLimiter) write(data []byte, name string) (path string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch n := int64(len(data)); {
	case l.closed:
		return "", ErrShutdown
	case n > l.MaxFolder:
		return "", errors.New("it is larger than " + strconv.FormatInt(l.MaxFolder, 10) + " bytes")
	default:
		for len(l.files) > 0 && (l.size+n > l.MaxFolder || len(l.files) >= maxFiles) {
			_ = os.Remove(l.files[0].path)
			l.size -= l.files[0].size
			l.files = l.files[1:]
		}
	}
	if l.dir == "" {
		folder, err := filepath.Abs(l.Folder)
		if err == nil {
			err = os.MkdirAll(folder, 0o700)
		}
		if err == nil {
			l.dir, err = os.MkdirTemp(folder, "results-") // its mode is 0700
		}
		if err != nil {
			return "", err
		}
	}
	l.last++
	path = filepath.Join(l.dir, strconv.Itoa(l.last)+"-"+name)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = os.Remove(path)
		return "", err
	}
	l.files, l.size = append(l.files, storedFile{path, int64(len(data))}), l.size+int64(len(data))
	return path, nil
}

// close removes the files.
func (l *resultLimiter) close() {
	l.mu.Lock()
	if l.closed = true; l.dir != "" {
		_ = os.RemoveAll(l.dir)
	}
	l.mu.Unlock()
}
