package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/shellwords"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/system"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// answers returns the handlers of --root and --sampling. Without these flags the
// client declares no such capability, and a server that asks nevertheless makes
// mcpecho say what to type.
func (c *invocation) answers(s *conversation) []mcp.Handler {
	refuse := func(method, flag string) mcp.Handler {
		var said sync.Once
		return mcp.HandleRequest(method, func(context.Context, mcp.RawMessage) (any, error) {
			said.Do(func() { c.tell(s, upperFirst(c.askHint(flag))) })
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this client does not handle " + method}
		})
	}
	roots, sampling := refuse("roots/list", "root"), refuse("sampling/createMessage", "sampling")
	if c.flags.Roots != nil {
		roots = mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return c.flags.Roots, nil }}
	}
	if c.flags.Sampling != "" {
		p := &sampler{c: c, s: s, turn: make(chan struct{}, 1)}
		sampling = mcp.Sampling{CreateMessage: p.createMessage, Tools: true}
	}
	return []mcp.Handler{roots, sampling}
}

// askHint returns what to add if a server asks for what the flag root or sampling
// provides.
func (c *invocation) askHint(flag string) string {
	what, where, does := "directories: add --root DIR", "", ""
	if flag == "sampling" {
		what, does = "a model: add --sampling COMMAND", ", which reads the request as JSON and writes the answer"
	}
	switch {
	case c.session != "":
		where = " to the command that holds @" + c.session
	case c.shell != nil:
		where = " to the command line that starts the shell"
	}
	return "the server asks for " + what + where + does
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// missingAnswer returns the hint for an error of a server that requires a
// capability which only a flag provides, or "".
func (c *invocation) missingAnswer(err error) string {
	var answer *jsonrpc.Error
	switch {
	case c.command == nil || !errors.As(err, &answer):
		return ""
	case answer.Code == mcp.CodeMissingClientCapability:
		return c.missingIn("client support: " + string(answer.Data))
	}
	return c.missingIn(answer.Message)
}

// missingIn is missingAnswer for the text of an error, for which servers have no
// common code before 2026-07-28.
func (c *invocation) missingIn(text string) string {
	text = strings.ToLower(text)
	switch {
	case !strings.Contains(text, "client"), !strings.Contains(text, "support") && !strings.Contains(text, "capab"):
		return ""
	case strings.Contains(text, "sampling") && c.flags.Sampling == "":
		return c.askHint("sampling")
	case strings.Contains(text, "roots") && c.flags.Roots == nil:
		return c.askHint("root")
	}
	return ""
}

// A sampler answers requests for a model with the program of --sampling.
type sampler struct {
	c    *invocation
	s    *conversation
	turn chan struct{} // full while the program runs: a server cannot start many at once
}

const (
	maxSample    = 16 << 20 // bytes of the program's output
	maxComplaint = 4 << 10  // bytes of its standard error that are shown
)

// createMessage runs the program. The server receives no details of its failure,
// because they may contain secrets of the user.
func (p *sampler) createMessage(ctx context.Context, params *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
	defer p.c.hold.Asking("")()
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-p.turn }()
	request, err := params.MarshalJSON()
	if err != nil {
		return nil, err
	}
	out, complaint := &limitedBuffer{limit: maxSample}, &limitedBuffer{limit: maxComplaint}
	cmd := system.Shell(ctx, p.c.flags.Sampling)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(string(request)+"\n"), out, complaint
	cmd.WaitDelay = time.Second // for programs that it started
	res, err := new(mcp.CreateMessageResult), cmd.Run()
	if err == nil && out.full {
		err = errors.New("its output is longer than " + strconv.Itoa(maxSample) + " bytes")
	}
	if err == nil {
		res, err = p.result(out.data)
	}
	if err == nil {
		return res, nil
	}
	if ctx.Err() == nil {
		text := "--sampling " + shellwords.Quote(p.c.hide(p.c.flags.Sampling)) + " failed: " + err.Error()
		if words := strings.TrimSpace(string(complaint.data)); words != "" {
			text += "\n\t" + strings.ReplaceAll(p.c.hide(words), "\n", "\n\t")
		}
		p.s.console.Line(text)
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client's model failed"}
}

// result reads the program's output: an object with a member "content" is the
// result, and everything else is the text of the model.
func (p *sampler) result(out []byte) (*mcp.CreateMessageResult, error) {
	text := strings.TrimSpace(string(out))
	name, _, _ := strings.Cut(strings.TrimSpace(p.c.flags.Sampling), " ")
	res := &mcp.CreateMessageResult{Model: filepath.Base(name)}
	switch {
	case text == "":
		return nil, errors.New("it wrote nothing to standard output")
	case hasContent([]byte(text)):
		err := res.UnmarshalJSON([]byte(text))
		if err == nil && (len(res.Content) == 0 || slices.ContainsFunc(res.Content, func(one mcp.Content) bool { return one.Type == "" })) {
			err = errors.New(`the member "content" has no content with a type`)
		}
		if err != nil {
			return nil, errors.New("its output is not a result of sampling/createMessage: " + err.Error())
		}
		if res.Model == "" {
			res.Model = filepath.Base(name)
		}
		return res, nil
	}
	res.Content, res.StopReason = []mcp.Content{{Type: mcp.ContentText, Text: text}}, "endTurn"
	return res, nil
}

// hasContent reports whether text is a JSON object with the member content, even if
// it is one that the protocol forbids.
func hasContent(text []byte) bool {
	whole, members := wire.NewReader(text), wire.NewReader(text)
	whole.Lax()
	members.Lax()
	isObject := whole.Kind() == wire.Object
	whole.Skip()
	if !isObject || whole.End() != nil {
		return false
	}
	for members.Object(); members.More(); members.Skip() {
		if string(members.Key()) == "content" {
			return true
		}
	}
	return members.Err() != nil // a member occurs twice
}

// A limitedBuffer keeps the first bytes that are written, and discards the others.
type limitedBuffer struct {
	data  []byte
	limit int
	full  bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	n := min(len(p), b.limit-len(b.data))
	b.data = append(b.data, p[:n]...)
	b.full = b.full || n < len(p)
	return len(p), nil
}
