package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/servercheck"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// A checked value is the result of checking a server over one transport and in one
// era.
type checked struct {
	way     string // the transport
	version string // the protocol version; empty if the server does not speak it
	found   []servercheck.Finding
	called  []string // tools, with --call
	left    []string // tools that are not marked read-only
	err     error
}

// runCheck checks the target over each transport and in each era that it speaks.
func runCheck(ctx context.Context, c *invocation) (err error) {
	if len(c.args) > 0 && !c.flags.Watch {
		return c.extraArgument(c.args[0])
	}
	if err := c.expandEntry(ctx); err != nil {
		return err
	}
	end, err := c.startRecording(ctx)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, end()) }()
	if c.flags.Watch {
		return c.watchCheck(ctx)
	}
	all, err := c.checkAll(ctx)
	if err != nil {
		return err
	}
	if err := c.printCheck(all); err != nil {
		return err
	}
	if faults := countFaults(all); faults > 0 {
		return &failure.Error{Status: failure.Refused, Kind: "check", Message: "the server has " + terminal.Count(faults, "fault")}
	}
	return nil
}

// checkAll checks the server over each transport and in each era. It returns an error
// if it reached the server over none.
func (c *invocation) checkAll(ctx context.Context) (all []checked, err error) {
	for _, way := range c.checkedWays() {
		for _, versions := range c.checkedVersions() {
			one, err := c.check(ctx, way, versions)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	if slices.ContainsFunc(all, func(one checked) bool { return one.err == nil }) {
		return all, nil
	}
	return nil, all[0].err
}

func (c *invocation) printCheck(all []checked) error {
	if c.flags.JSON {
		return c.printJSON(checkJSON(all))
	}
	return c.print(c.shown(checkText(all, c.checkWidth())))
}

// countFaults returns the number of findings that are faults.
func countFaults(all []checked) (n int) {
	for _, one := range all {
		for _, f := range one.found {
			if !f.Warning && one.err == nil {
				n++
			}
		}
	}
	return n
}

// checkedWays returns the transports to check: that of -t, or all that apply.
func (c *invocation) checkedWays() []string {
	switch {
	case c.server != nil, c.entry != nil && c.entry.Type == config.Stdio:
		return []string{"stdio"}
	case c.flags.Transport == "http", c.flags.Transport == "sse":
		return []string{c.flags.Transport}
	case c.entry != nil && c.entry.Type != "":
		return []string{c.entry.Type}
	}
	return []string{"http", "sse"}
}

// checkedVersions returns the protocol versions of both eras, or that of
// --protocol.
func (c *invocation) checkedVersions() [][]string {
	if c.flags.Protocol != "" {
		return [][]string{{c.flags.Protocol}}
	}
	isModern := func(version string) bool { return version >= mcp.ProtocolVersion20260728 }
	versions := mcp.ProtocolVersions()
	modern := slices.DeleteFunc(cloneWords(versions), func(v string) bool { return !isModern(v) })
	return [][]string{modern, slices.DeleteFunc(versions, isModern)}
}

// check checks the server once. Its error ends all checks.
func (c *invocation) check(ctx context.Context, way string, versions []string) (one checked, err error) {
	s := &conversation{console: c.console(), stderr: c.newTail()}
	if c.flags.Verbose {
		s.stderr.Print = s.console.Line
	}
	d := *c
	if way != "stdio" {
		d.flags.Transport = way
	}
	t, err := d.transport(s)
	if err != nil {
		return one, err
	}
	defer s.endProgram()
	p := c.newProgress(s.console, "checking "+c.targetName()+", "+wayName(way))
	defer p.End()
	one = checked{way: way}
	opts := &servercheck.Options{Versions: versions, ConnectTimeout: max(0, c.connectTimeout()), Hide: c.secrets().Hider(), Providers: c.flags.For}
	if c.flags.IsGiven("timeout") {
		opts.Timeout = c.flags.Timeout
	}
	if c.flags.Call {
		opts.Arguments = func(t *mcp.Tool) mcp.RawMessage {
			args := sampleCall(t)
			if args == nil {
				one.left = append(one.left, t.Name)
			} else {
				one.called = append(one.called, t.Name)
			}
			return args
		}
	}
	one.version, one.found, one.err = servercheck.Run(ctx, t, opts)
	if ctx.Err() != nil {
		return one, context.Cause(ctx)
	}
	if one.err = s.explain(one.err); opts.ConnectTimeout > 0 && errors.Is(one.err, context.DeadlineExceeded) {
		f := *failure.Classify(one.err)
		f.Hint = connectLonger
		one.err = &f
	}
	return one, nil
}

// sampleCall returns sample arguments for a tool that only reads, else nil.
func sampleCall(t *mcp.Tool) mcp.RawMessage {
	if t.Annotations == nil || !t.Annotations.ReadOnly() {
		return nil
	}
	return mcp.RawMessage(toolargs.ParseSchema(t.InputSchema).SampleObject())
}

func wayName(way string) string {
	switch way {
	case "http":
		return "Streamable HTTP"
	case "sse":
		return "HTTP+SSE"
	}
	return way
}

// checkText describes the results for people.
func checkText(all []checked, width int) string {
	var b bytes.Buffer
	for _, one := range all {
		switch {
		case one.err != nil:
			continue
		case len(one.found) == 0:
			b.WriteString(wayName(one.way) + ", " + one.version + ": nothing wrong\n")
		default:
			b.WriteString(wayName(one.way) + ", " + one.version + ":\n")
		}
		for _, f := range grouped(one.found) {
			b.WriteString(findingLine(severity(f), f, width))
		}
		for _, tools := range []struct {
			what  string
			names []string
		}{{"called", one.called}, {"left out", one.left}} {
			if tools.names != nil {
				b.WriteString(findingLine(tools.what, servercheck.Finding{Where: terminal.Count(len(tools.names), "tool"), What: strings.Join(tools.names, ", ")}, width))
			}
		}
	}
	for _, one := range all {
		var unsupported *failure.Error
		if one.err != nil && errors.As(one.err, &unsupported) && unsupported.Kind != "protocol" && one.way == "stdio" {
			b.WriteString(wayName(one.way) + ", other versions: " + failure.Indent(unsupported.Message) + "\n")
		}
	}
	return b.String()
}

// grouped returns the faults before what the specification permits, and as one those that say
// the same of several tools or resources.
func grouped(found []servercheck.Finding) (all []servercheck.Finding) {
	const most = 5
	places := make(map[servercheck.Finding][]string)
	for _, warning := range [...]bool{false, true} {
		for _, f := range found {
			if f.Warning != warning {
				continue
			}
			key := servercheck.Finding{What: f.What, Warning: f.Warning}
			if places[key] == nil {
				all = append(all, key)
			}
			places[key] = append(places[key], f.Where)
		}
	}
	for i := range all {
		where := places[all[i]]
		more := len(where) - most
		if more > 0 {
			where = append(where[:most:most], "and "+strconv.Itoa(more)+" more")
		}
		all[i].Where = strings.Join(where, ", ")
	}
	return all
}

func severity(f servercheck.Finding) string {
	if f.Warning {
		return "careful"
	}
	return "wrong"
}

// findingLine returns a line for a finding, folded at the width of a terminal; 0 means
// that there is none.
func findingLine(what string, f servercheck.Finding, width int) string {
	const margin = "           "
	text := failure.Indent(f.String())
	if width > 0 {
		text = strings.ReplaceAll(terminal.Wrap(terminal.Escape(f.String()), width-len(margin)), "\n", "\n"+margin)
	}
	return "  " + what + terminal.Pad(what, len(margin)-2) + text + "\n"
}

// checkWidth returns the width of the terminal to which results go, or 0.
func (c *invocation) checkWidth() int {
	if !c.toTerminal() {
		return 0
	}
	return c.terminalWidth(c.stdout)
}

// checkJSON returns the results as an object.
func checkJSON(all []checked) []byte {
	b := []byte(`{"checks":[`)
	for _, one := range all {
		if one.err != nil {
			continue
		}
		b = wire.AppendString(wire.AppendKey(append(wire.AppendComma(b), '{'), "transport"), one.way)
		b = wire.AppendString(wire.AppendKey(b, "protocolVersion"), one.version)
		b = append(wire.AppendKey(b, "findings"), '[')
		for _, f := range one.found {
			severity := "error"
			if f.Warning {
				severity = "warning"
			}
			b = wire.AppendString(wire.AppendKey(append(wire.AppendComma(b), '{'), "severity"), severity)
			b = wire.AppendString(wire.AppendKey(b, "where"), f.Where)
			b = append(wire.AppendString(wire.AppendKey(b, "message"), f.What), '}')
		}
		b = append(b, "]}"...)
	}
	return append(b, "]}"...)
}
