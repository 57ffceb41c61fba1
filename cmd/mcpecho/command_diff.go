package main

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/compat"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/proxy"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// runDiff compares what two servers offer.
func runDiff(ctx context.Context, c *invocation) error {
	sides, err := c.diffSides()
	if err != nil {
		return err
	}
	var catalogs [2]*compat.Catalog
	for i := range sides {
		if sides[i].file != "" {
			if catalogs[i], err = sides[i].readFile(ctx); err != nil {
				return err
			}
		}
	}
	for i := range sides {
		s := &sides[i]
		if s.file != "" {
			continue
		}
		if catalogs[i], err = s.read(ctx, catalogs[1-i]); err != nil {
			return err
		}
		s.alike = s.alike && sides[1-i].file != ""
	}
	changes := compat.Sorted(compat.Compare(catalogs[0], catalogs[1]))
	if c.flags.JSON {
		err = c.printJSON(diffJSON(sides, catalogs, changes))
	} else {
		err = c.printLong(ctx, c.shown(diffText(sides, catalogs, changes)))
	}
	if err != nil {
		return err
	}
	counts := countKinds(changes)
	bad, do := counts[compat.Breaking], " break callers"
	switch {
	case bad == 1:
		do = " breaks callers"
	case bad == 0 && c.flags.Strict:
		bad, do = counts[compat.Unknown], " may break callers"
	}
	if bad > 0 {
		return &failure.Error{Status: failure.Refused, Kind: "breaking", Message: terminal.Count(bad, "change") + do}
	}
	return nil
}

// readFile returns the catalog of a recording.
func (s *diffSide) readFile(ctx context.Context) (*compat.Catalog, error) {
	entries, err := s.c.readRecording(ctx, s.file)
	if err != nil {
		return nil, s.explainFile(err)
	}
	k, err := compat.Recorded(entries)
	if err != nil {
		return nil, s.c.usage(s.file + ": " + err.Error())
	}
	return k, nil
}

// read returns the catalog of a server. If that of the other side is known, it is the
// server as the same client would see it: with the capabilities that this one declared,
// and its protocol version if the server has that.
func (s *diffSide) read(ctx context.Context, other *compat.Catalog) (*compat.Catalog, error) {
	if s.session || other == nil {
		return s.list(ctx)
	}
	var changed atomic.Bool
	if caps := other.Declared(); caps != nil {
		s.c.recorder = &recorder{observe: func(t mcp.Transport) mcp.Transport {
			return &proxy.Declarer{Transport: t, Capabilities: caps, Changed: &changed}
		}}
	}
	version := other.ProtocolVersion()
	pinned := s.c.flags.Protocol == "" && slices.Contains(mcp.ProtocolVersions(), version)
	if pinned {
		s.c.flags.Protocol = version
	}
	k, err := s.list(ctx)
	if pinned && err != nil && slices.Contains([]string{"protocol", "server_error"}, failure.Classify(err).Kind) {
		s.c.flags.Protocol = ""
		k, err = s.list(ctx)
	}
	s.alike = changed.Load()
	return k, err
}

func (s *diffSide) list(ctx context.Context) (*compat.Catalog, error) {
	if !s.session {
		s.c.shell = nil // whose connection is to another server
	}
	var declared mcp.RawMessage
	s.c.onSent = func(message []byte) {
		if caps := compat.Declared(message); caps != nil {
			declared = slices.Clone(caps)
		}
	}
	var k *compat.Catalog
	err := s.c.withServer(ctx, func(conn *conversation) (err error) {
		k, err = compat.Read(ctx, conn.Client)
		return err
	})
	if err != nil {
		return nil, s.explain(err)
	}
	k.SetDeclared(declared)
	return k, nil
}

// explain returns the failure of a server without its secrets, and with a command line
// that names both servers.
func (s *diffSide) explain(err error) error {
	f := *failure.Classify(err)
	f.Message = s.c.hide(f.Message)
	if f.Status == failure.Forbidden && f.Hint == "" {
		f.Hint = s.c.loginHint()
	}
	return &f
}

// explainFile adds to the failure of a file what it is, if it is not a recording.
func (s *diffSide) explainFile(err error) error {
	f := *failure.Classify(err)
	if cfg := config.LoadFile(s.file); len(cfg.Servers) > 0 {
		f.Message, f.Hint = s.file+" has configured servers, and is not a recording: write FILE:NAME", ""
		return &f
	}
	return s.c.explainRecording(err, s.file)
}

func countKinds(changes []compat.Change) (counts [compat.Breaking + 1]int) {
	for i := range changes {
		counts[changes[i].Kind]++
	}
	return counts
}

// diffText describes the changes for people, the worst first.
func diffText(sides [2]diffSide, catalogs [2]*compat.Catalog, changes []compat.Change) string {
	var b bytes.Buffer
	for i, side := range [...]string{"old", "new"} {
		b.WriteString(side + ": " + describeServer(catalogs[i]))
		if sides[i].alike {
			b.WriteString(", as the recorded client would see it")
		}
		b.WriteString("\n")
	}
	if len(changes) == 0 {
		b.WriteString("nothing changed\n")
	}
	titles := [...]string{"compatible", "noted", "unknown", "breaking"}
	counts := countKinds(changes)
	for i := range changes {
		c := &changes[i]
		if i == 0 || changes[i-1].Kind != c.Kind {
			b.WriteString("\n" + titles[c.Kind] + " (" + strconv.Itoa(counts[c.Kind]) + "):\n")
		}
		line := "  " + c.Where() + ": " + c.Text
		switch {
		case c.Old != "" && c.New != "":
			line += ": " + c.Old + " → " + c.New
		case c.Old != "":
			line += ": was " + c.Old
		case c.New != "":
			line += ": " + c.New
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func describeServer(k *compat.Catalog) string {
	name, version := k.Server(), k.ProtocolVersion()
	if name == "" {
		name = "a server without a name"
	}
	if version == "" {
		return name
	}
	return name + ", protocol " + display.EscapeName(version)
}

func diffJSON(sides [2]diffSide, catalogs [2]*compat.Catalog, changes []compat.Change) []byte {
	b := wire.AppendString(wire.AppendKey([]byte("{"), "result"), compat.Worst(changes).String())
	for i, side := range [...]string{"old", "new"} {
		b = wire.AppendString(wire.AppendKey(append(wire.AppendKey(b, side), '{'), "server"), catalogs[i].Server())
		b = wire.AppendString(wire.AppendKey(b, "protocolVersion"), catalogs[i].ProtocolVersion())
		if sides[i].alike {
			b = append(wire.AppendKey(b, "asRecordedClient"), "true"...)
		}
		b = append(b, '}')
	}
	b = append(wire.AppendKey(b, "changes"), '[')
	for i := range changes {
		c := &changes[i]
		b = wire.AppendString(wire.AppendKey(append(wire.AppendComma(b), '{'), "kind"), c.Kind.String())
		for _, member := range [...]struct{ key, value string }{{"item", c.Item}, {"path", c.Path}, {"text", c.Text}, {"old", c.Old}, {"new", c.New}} {
			if member.value != "" {
				b = wire.AppendString(wire.AppendKey(b, member.key), member.value)
			}
		}
		b = append(b, '}')
	}
	return append(b, "]}"...)
}
