package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/servercheck"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
)

const (
	maxCalls       = 200      // that the history keeps
	maxRunning     = 64       // at a time
	maxResultBytes = 32 << 20 // of results and arguments that the history keeps
)

// States of a call.
const (
	callRunning  = "running"
	callDone     = "done"
	callFailed   = "failed"
	callCanceled = "canceled"
)

// A call is a request of the user. The page receives it without the result and with the
// beginning of the arguments.
type call struct {
	ID        int
	Kind      string
	Name      string
	Arguments mcp.RawMessage
	At        float64
	Took      float64 // milliseconds
	Status    string
	Progress  mcp.RawMessage // the latest notification
	Error     string
	IsError   bool   // the tool failed
	Check     string // fits or violates the output schema; empty if there is none
	Problem   string // where and why the result violates the schema
	Size      int    // of the result
	Kept      bool   // the result is still here
	Update    bool   // the user did not ask for this call

	result mcp.RawMessage
	cancel context.CancelCauseFunc
}

// Results of the validation against an output schema.
const (
	checkFits     = "fits"
	checkViolates = "violates"
	checkUnknown  = "unknown" // the schema cannot be used, or the text looks like an error
)

// A callRequest asks for a call.
type callRequest struct {
	Kind      string
	Name      string
	Arguments mcp.RawMessage
	Anyway    bool // send arguments that do not match the schema
	Update    bool // read a followed resource again
}

// An invalidValue says where a value does not match its schema.
type invalidValue struct {
	Path    string // JSON Pointer
	Message string
	More    []*invalidValue
}

func (e *invalidValue) Error() string { return e.Message }

// validateAll is validate with an error for each member of an object that does not match.
func validateAll(schema, value mcp.RawMessage) error {
	err := validate(schema, value)
	var first *invalidValue
	if !errors.As(err, &first) || schema == nil {
		return err
	}
	seen := map[string]bool{first.Path + first.Message: true}
	add := func(e *invalidValue) {
		if key := e.Path + e.Message; !seen[key] && len(first.More) < maxProblems {
			seen[key] = true
			first.More = append(first.More, e)
		}
	}
	given, one := members(value), []byte{'{'}
	var required mcp.RawMessage
	for _, m := range members(schema) { // without the members that it requires
		if m.key == "required" {
			required = m.raw
			continue
		}
		one = append(wire.AppendKey(one, m.key), m.raw...)
	}
	one = append(one, '}')
	has := make(map[string]bool)
	for _, m := range given[:min(maxProblems, len(given))] {
		has[m.key] = true
		alone := append(append(wire.AppendKey([]byte{'{'}, m.key), m.raw...), '}')
		var wrong *invalidValue
		if errors.As(validate(one, alone), &wrong) && wrong.Path != "" {
			add(wrong)
		}
	}
	for _, name := range elements(required, maxProblems) {
		if key := wire.TextOf(name); len(given) <= maxProblems && !has[key] {
			add(&invalidValue{Message: wire.Quote(key) + " is missing"})
		}
	}
	return first
}

// maxProblems limits what is wrong with a value at once.
const maxProblems = 100

// validate returns an *invalidValue if a value does not match the schema. A schema that
// cannot be used accepts every value.
func validate(schema, value mcp.RawMessage) error {
	if err := wire.Valid(value); err != nil {
		return &invalidValue{Message: "not valid JSON: " + err.Error()}
	}
	if schema == nil {
		return nil
	}
	s, err := jsonschema.Compile(context.Background(), schema)
	if err != nil {
		return nil
	}
	var mismatch *jsonschema.Error
	if err := s.Validate(context.Background(), value); errors.As(err, &mismatch) {
		return &invalidValue{Path: mismatch.Path, Message: mismatch.Reason}
	}
	return nil
}

var errStopped = errors.New("the user canceled the call")

// start begins a call and returns its id. The error is an *invalidValue if the
// arguments do not match the schema.
func (b *Bench) start(q *callRequest) (int, error) {
	client, err := b.connectedClient()
	if err != nil {
		return 0, err
	}
	if len(q.Arguments) == 0 {
		q.Arguments = mcp.RawMessage("{}")
	}
	i := b.find(q.Kind, q.Name)
	if r := wire.NewReader(q.Arguments); r.Kind() != wire.Object {
		return 0, &invalidValue{Message: "the arguments must be a JSON object"}
	}
	if i != nil && !q.Anyway {
		if err := validateAll(inputSchema(i), q.Arguments); err != nil {
			return 0, err
		}
	}
	run, err := b.runner(client, i, q)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancelCause(b.ctx)
	c := &call{Kind: q.Kind, Name: q.Name, Arguments: q.Arguments, At: now(), Status: callRunning, cancel: cancel, Update: q.Update}
	running := 0
	b.update(partCalls, func() {
		for _, other := range b.calls {
			if other.Status == callRunning {
				running++
			}
		}
		if q.Update { // of many, the history shows the last one
			b.calls = slices.DeleteFunc(b.calls, func(other *call) bool { return other.Update && other.Name == c.Name && other.Status != callRunning })
		}
		if running < maxRunning {
			c.ID = b.nextIDLocked()
			b.calls = append(b.calls, c)
		}
	})
	if running >= maxRunning {
		cancel(nil)
		return 0, fmt.Errorf("%d calls are running; cancel one", running)
	}
	go func() { // ends with its call
		defer cancel(nil)
		began := time.Now()
		result, err := run(ctx, func(p mcp.Progress) {
			p.Message, p.Meta, p.Extra = cut(p.Message, maxEntryText), nil, nil // each update sends all calls
			text, _ := p.MarshalJSON()
			b.update(partCalls, func() { c.Progress = text })
		})
		b.finish(c, i, client.Server().ProtocolVersion, result, err, time.Since(began), context.Cause(ctx) == errStopped)
	}()
	return c.ID, nil
}

// runner returns the function that does a call.
func (b *Bench) runner(client *mcp.Client, i *item, q *callRequest) (func(context.Context, func(mcp.Progress)) (marshaler, error), error) {
	switch q.Kind {
	case kindTool:
		return func(ctx context.Context, progress func(mcp.Progress)) (marshaler, error) {
			res, err := client.Do(ctx, &mcp.ToolCall{Name: q.Name, Arguments: q.Arguments, Progress: progress})
			return marshalerOf(res, err)
		}, nil
	case kindPrompt:
		args, err := textMembers(q.Arguments)
		return func(ctx context.Context, _ func(mcp.Progress)) (marshaler, error) {
			res, err := client.GetPrompt(ctx, q.Name, args)
			return marshalerOf(res, err)
		}, err
	case kindResource, kindTemplate:
		uri := q.Name
		if q.Kind == kindTemplate {
			var t *mcp.ResourceTemplate
			if i != nil {
				t, _ = i.value.(*mcp.ResourceTemplate)
			}
			if t == nil {
				return nil, fmt.Errorf("the server has no template %q", cut(q.Name, maxName))
			}
			args, err := textMembers(q.Arguments)
			if err != nil {
				return nil, err
			}
			values := make(map[string]any, len(args))
			for key, value := range args {
				values[key] = value
			}
			if uri, err = t.Expand(values); err != nil {
				return nil, err
			}
		}
		return func(ctx context.Context, _ func(mcp.Progress)) (marshaler, error) {
			res, err := client.ReadResource(ctx, uri)
			return marshalerOf(res, err)
		}, nil
	}
	return nil, fmt.Errorf("unknown kind %q", cut(q.Kind, maxName))
}

// A marshaler is a json.Marshaler. Naming encoding/json would link it.
type marshaler interface{ MarshalJSON() ([]byte, error) }

// marshalerOf keeps a nil result from becoming an interface that is not nil.
func marshalerOf[T marshaler](res T, err error) (marshaler, error) {
	if err != nil {
		return nil, err
	}
	return res, nil
}

// textMembers returns the arguments of a prompt or the variables of a template.
func textMembers(raw mcp.RawMessage) (map[string]string, error) {
	args := make(map[string]string)
	for _, m := range members(raw) {
		if m.raw[0] != '"' {
			return nil, &invalidValue{Path: "/" + m.key, Message: "must be a string"}
		}
		r := wire.NewReader(m.raw)
		args[m.key] = r.String()
	}
	return args, nil
}

// finish records the outcome of a call.
func (b *Bench) finish(c *call, i *item, version string, result marshaler, err error, took time.Duration, stopped bool) {
	var raw []byte
	if err == nil {
		raw, err = result.MarshalJSON()
	}
	done := call{Took: float64(took.Microseconds()) / 1000, Status: callDone}
	switch {
	case stopped:
		done.Status, done.Error = callCanceled, errStopped.Error()
	case err != nil:
		done.Status, done.Error = callFailed, b.config.Explain(err)
		var refusal *jsonrpc.Error
		if errors.As(err, &refusal) {
			raw, _ = refusal.MarshalJSON()
		}
	default:
		if res, ok := result.(*mcp.CallToolResult); ok {
			done.IsError = res.IsError
			if done.Check, done.Problem = checkOutput(version, i, res); done.Check == "" && looksFailed(res) {
				done.Check, done.Problem = checkUnknown, "The text looks like an error, and the result does not say isError."
			}
		}
	}
	done.Problem = cut(done.Problem, maxReason)
	b.update(partCalls, func() {
		c.Took, c.Status, c.Error, c.IsError, c.Check, c.Problem = done.Took, done.Status, done.Error, done.IsError, done.Check, done.Problem
		c.Size, c.Kept, c.result = len(raw), raw != nil, raw
		b.trimLocked()
	})
}

// checkOutput validates the result of a tool against its output schema.
func checkOutput(version string, i *item, res *mcp.CallToolResult) (check, problem string) {
	var t *mcp.Tool
	if i != nil {
		t, _ = i.value.(*mcp.Tool)
	}
	if t == nil || t.OutputSchema == nil || res.IsError {
		return "", ""
	}
	violation, err := servercheck.Output(context.Background(), version, t, res)
	switch {
	case violation != "":
		return checkViolates, violation
	case err != nil:
		return checkUnknown, "the output schema cannot be used: " + err.Error()
	case res.StructuredContent == nil:
		return "", ""
	}
	return checkFits, ""
}

// looksFailed reports whether a result that is not an error begins with the name of one, as
// what languages print about an exception does.
func looksFailed(res *mcp.CallToolResult) bool {
	if res.IsError || len(res.Content) == 0 {
		return false
	}
	name, _, colon := strings.Cut(strings.TrimPrefix(res.Content[0].Text, "Uncaught "), ":")
	if strings.ContainsAny(name, " \n") {
		return strings.HasPrefix(name, "Traceback (most recent call last)")
	}
	return colon && (name == "panic" || strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || strings.EqualFold(name, "error"))
}

// trimLocked removes the oldest calls and results.
func (b *Bench) trimLocked() {
	for n := len(b.calls) - maxCalls; n > 0; n-- {
		i := slices.IndexFunc(b.calls, func(c *call) bool { return c.Status != callRunning })
		if i < 0 {
			break
		}
		b.calls = slices.Delete(b.calls, i, i+1)
	}
	size := 0
	for i := len(b.calls) - 1; i >= 0; i-- {
		c := b.calls[i]
		size += len(c.result) + len(c.Arguments)
		if size > maxResultBytes && i < len(b.calls)-1 && c.Status != callRunning {
			size -= len(c.result) + len(c.Arguments)
			c.result, c.Arguments, c.Kept = nil, nil, false
		}
	}
}

// stop cancels a call.
func (b *Bench) stop(id int) error {
	c := b.call(id)
	if c == nil || c.Status != callRunning {
		return errors.New("the call has ended")
	}
	c.cancel(errStopped)
	return nil
}

// call returns a copy of the call with an id, or nil.
func (b *Bench) call(id int) *call {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.IndexFunc(b.calls, func(c *call) bool { return c.ID == id }); i >= 0 {
		found := *b.calls[i]
		return &found
	}
	return nil
}

// complete returns completions of an argument of a prompt or a template.
func (b *Bench) complete(ctx context.Context, kind, name, argument, value string, given map[string]string) ([]string, error) {
	client, err := b.connectedClient()
	if err != nil {
		return nil, err
	}
	ref := mcp.PromptRef(name)
	if kind == kindTemplate {
		ref = mcp.TemplateRef(name)
	}
	res, err := client.Complete(ctx, ref, argument, value, given)
	if err != nil {
		return nil, err
	}
	return res.Values, nil
}
