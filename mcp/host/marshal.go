package host

import (
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// MarshalJSON returns the status in the form that agent SDKs use: name, status,
// serverInfo, error, config, scope and tools, and adds state, transport, source,
// since, attempts, metrics, stderr, timeout and connectTimeout (in milliseconds).
// States are words, and the error is its text. It contains no secrets of the
// settings.
func (s *ServerStatus) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	b := wire.AppendString([]byte(`{"name":`), s.Name)
	b = wire.AppendString(wire.AppendKey(b, "status"), s.Word())
	if s.Info != nil {
		b = wire.AppendString(append(wire.AppendKey(b, "serverInfo"), `{"name":`...), s.Info.Name)
		b = append(wire.AppendString(wire.AppendKey(b, "version"), s.Info.Version), '}')
	}
	b = appendError(b, s.Err)
	if s.Config != nil {
		config, err := s.Config.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b = append(wire.AppendKey(b, "config"), config...)
	}
	b = appendText(b, "scope", s.Scope)
	if s.State == Connected {
		b = append(wire.AppendKey(b, "tools"), '[')
		for _, t := range s.Tools {
			b = appendTool(wire.AppendComma(b), t)
		}
		b = append(b, ']')
	}
	b = wire.AppendString(wire.AppendKey(b, "state"), s.State.String())
	b = wire.AppendBool(wire.AppendKey(b, "enabled"), s.Enabled)
	b = appendText(b, "transport", s.Transport)
	b = appendText(b, "source", s.Source)
	b = appendTime(b, "since", s.Since)
	b = appendCount(b, "attempts", int64(s.Attempts))
	b = append(wire.AppendKey(b, "metrics"), s.Metrics.appendJSON(nil)...)
	b = appendText(b, "stderr", s.Stderr)
	b = appendCount(b, "timeout", s.Timeout.Milliseconds())
	b = appendCount(b, "connectTimeout", s.ConnectTimeout.Milliseconds())
	return append(b, '}'), nil
}

// appendTool appends the part of a tool that a status has.
func appendTool(b []byte, t *mcp.Tool) []byte {
	b = wire.AppendString(append(b, `{"name":`...), t.Name)
	b = appendText(b, "description", t.Description)
	if a := t.Annotations; a != nil {
		b = append(wire.AppendKey(b, "annotations"), '{')
		for i, hint := range [...]*bool{a.ReadOnlyHint, a.DestructiveHint, a.IdempotentHint, a.OpenWorldHint} {
			if hint != nil {
				b = wire.AppendBool(wire.AppendKey(b, [...]string{"readOnly", "destructive", "idempotent", "openWorld"}[i]), *hint)
			}
		}
		b = append(b, '}')
	}
	return append(b, '}')
}

// MarshalJSON returns the metrics; responseTime is in milliseconds.
func (m Metrics) MarshalJSON() ([]byte, error) { return m.appendJSON(nil), nil }

func (m *Metrics) appendJSON(b []byte) []byte {
	b = wire.AppendInt(append(b, `{"calls":`...), m.Calls)
	b = wire.AppendInt(wire.AppendKey(b, "successes"), m.Successes)
	b = wire.AppendInt(wire.AppendKey(b, "failures"), m.Failures)
	b = appendCount(b, "responseTime", m.ResponseTime.Milliseconds())
	b = appendText(b, "lastError", m.LastError)
	b = appendTime(b, "lastErrorTime", m.LastErrorTime)
	b = appendCount(b, "connects", m.Connects)
	b = appendCount(b, "crashes", m.Crashes)
	return append(b, '}')
}

// MarshalJSON returns the difference in the form that agent SDKs use, with the
// members added, removed and errors (as text), and adds changed and pending.
func (d *Diff) MarshalJSON() ([]byte, error) {
	if d == nil {
		return []byte("null"), nil
	}
	b := appendNames([]byte{'{'}, "added", d.Added)
	b = appendNames(b, "removed", d.Removed)
	b = append(wire.AppendKey(b, "errors"), '{')
	for _, name := range wire.SortedKeys(d.Errors) {
		b = wire.AppendString(wire.AppendKey(b, name), d.Errors[name].Error())
	}
	b = append(b, '}')
	if d.Warnings != nil {
		b = append(wire.AppendKey(b, "warnings"), '{')
		for _, name := range wire.SortedKeys(d.Warnings) {
			b = wire.AppendString(wire.AppendKey(b, name), d.Warnings[name].Error())
		}
		b = append(b, '}')
	}
	b = appendNames(b, "changed", d.Changed)
	if d.Pending != nil {
		b = appendNames(b, "pending", d.Pending)
	}
	return append(b, '}'), nil
}

// String returns the difference as one line.
func (d *Diff) String() string {
	if d == nil {
		return "<nil>"
	}
	var parts []string
	for i, list := range [...][]string{d.Added, d.Removed, d.Changed, d.Pending} {
		if len(list) > 0 {
			parts = append(parts, [...]string{"added ", "removed ", "changed ", "still connecting "}[i]+strings.Join(list, ", "))
		}
	}
	for _, name := range wire.SortedKeys(d.Errors) {
		parts = append(parts, oneLine(d.Errors[name].Error()))
	}
	for _, name := range wire.SortedKeys(d.Warnings) {
		parts = append(parts, oneLine(d.Warnings[name].Error()))
	}
	if len(parts) == 0 {
		return "no changes"
	}
	return strings.Join(parts, "; ")
}

// MarshalJSON returns the event with names in camelCase; fields that its kind does
// not set are absent, and errors are their texts.
func (e Event) MarshalJSON() ([]byte, error) {
	b := wire.AppendString([]byte(`{"kind":`), string(e.Kind))
	b = appendText(b, "server", e.Server)
	b = appendTime(b, "time", e.Time)
	b = appendCount(b, "missed", int64(e.Missed))
	if e.Kind == StateChanged || e.Kind == AuthNeeded {
		b = wire.AppendString(wire.AppendKey(b, "state"), e.State.String())
	}
	b = appendError(b, e.Err)
	if e.Kind == ToolsChanged {
		b = wire.AppendInt(wire.AppendKey(b, "version"), int64(e.Version))
		b = appendNames(appendNames(b, "added", e.Added), "removed", e.Removed)
		b = append(wire.AppendKey(b, "changed"), '[')
		for _, c := range e.Changed {
			b = wire.AppendString(append(wire.AppendComma(b), `{"name":`...), c.Name)
			b = append(appendNames(b, "what", c.What), '}')
		}
		b = append(b, ']')
	}
	if e.Log != nil {
		b = wire.AppendString(append(wire.AppendKey(b, "log"), `{"level":`...), string(e.Log.Level))
		b = appendText(b, "logger", e.Log.Logger)
		b = append(wire.AppendLine(wire.AppendKey(b, "data"), e.Log.Data), '}')
	}
	b = appendText(b, "line", e.Line)
	b = appendText(b, "uri", e.URI)
	b = appendText(b, "tool", e.Tool)
	b = appendText(b, "subscriptionId", e.Subscription)
	b = appendText(b, "reason", e.Reason)
	b = appendText(b, "text", e.Text)
	return append(b, '}'), nil
}

// String returns the event as one line.
func (e Event) String() string {
	text := e.Server + " " + string(e.Kind)
	if e.Server == "" {
		text = string(e.Kind)
	}
	switch {
	case e.Kind == StateChanged:
		text = e.Server + " is " + e.State.String()
	case e.Kind == ToolsChanged:
		text += ": " + strconv.Itoa(len(e.Added)) + " added, " + strconv.Itoa(len(e.Removed)) + " removed, " + strconv.Itoa(len(e.Changed)) + " changed"
	case e.Log != nil:
		text += " " + string(e.Log.Level) + ": " + oneLine(e.Log.Text())
	case e.Line != "":
		text += ": " + oneLine(e.Line)
	case e.URI != "" || e.Tool != "":
		text += " " + e.URI + e.Tool
	}
	if e.Err != nil {
		text += ": " + oneLine(e.Err.Error())
	}
	return text
}

// oneLine returns a text without line breaks.
func oneLine(text string) string { return strings.Join(strings.Split(text, "\n"), " ") }

func appendError(b []byte, err error) []byte {
	if err == nil {
		return b
	}
	return wire.AppendString(wire.AppendKey(b, "error"), err.Error())
}

func appendTime(b []byte, key string, t time.Time) []byte {
	if t.IsZero() {
		return b
	}
	return wire.AppendString(wire.AppendKey(b, key), t.Format(time.RFC3339Nano))
}

// appendCount appends a number unless it is 0 or negative.
func appendCount(b []byte, key string, n int64) []byte {
	if n <= 0 {
		return b
	}
	return wire.AppendInt(wire.AppendKey(b, key), n)
}

func appendNames(b []byte, key string, names []string) []byte {
	b = append(wire.AppendKey(b, key), '[')
	for _, name := range names {
		b = wire.AppendString(wire.AppendComma(b), name)
	}
	return append(b, ']')
}

// readListing decodes the JSON of a listing.
func readListing(text []byte) (*listing, error) {
	l := &listing{probed: 1, pins: make(map[string]string)} // long ago, unless the text says so
	var tools mcp.ListToolsResult
	var resources mcp.ListResourcesResult
	var prompts mcp.ListPromptsResult
	r := wire.NewReader(text)
	for r.Object(); r.More(); {
		var err error
		switch string(r.Key()) {
		case "server":
			l.info = new(mcp.ServerInfo)
			err = l.info.UnmarshalJSON(r.Raw())
		case "era":
			l.era = r.String()
		case "probed":
			l.probed = r.Int()
		case "tools":
			err = tools.UnmarshalJSON(r.Raw())
		case "resources":
			err = resources.UnmarshalJSON(r.Raw())
		case "prompts":
			err = prompts.UnmarshalJSON(r.Raw())
		case "pins": // in files of earlier versions
			for r.Object(); r.More(); {
				name := string(r.Key())
				l.pins[name] = string(r.Raw())
			}
		case "pinned":
			for r.Array(); r.More(); {
				if name := r.String(); r.More() {
					l.pins[name] = string(r.Raw())
				}
			}
		default:
			r.Skip()
		}
		if err != nil {
			r.Fail(err)
		}
	}
	l.tools, l.resources, l.prompts = tools.Tools, resources.Resources, prompts.Prompts
	return l, r.End()
}

func appendListing(b []byte, l *listing) ([]byte, error) {
	b = append(b, '{')
	if l.era != "" {
		b = wire.AppendString(wire.AppendKey(b, "era"), l.era)
		b = wire.AppendInt(wire.AppendKey(b, "probed"), l.probed)
	}
	for _, part := range [...]struct {
		name string
		v    interface{ MarshalJSON() ([]byte, error) }
	}{
		{"server", l.info},
		{"tools", &mcp.ListToolsResult{Tools: l.tools}},
		{"resources", &mcp.ListResourcesResult{Resources: l.resources}},
		{"prompts", &mcp.ListPromptsResult{Prompts: l.prompts}},
	} {
		text, err := part.v.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b = wire.AppendLine(wire.AppendKey(b, part.name), text)
	}
	return append(appendPins(b, l.pins), '}'), nil
}

// appendPins appends names and pins by turns, as the reader refuses objects with more than
// 512 members.
func appendPins(b []byte, pins map[string]string) []byte {
	b = append(wire.AppendKey(b, "pinned"), '[')
	for _, name := range wire.SortedKeys(pins) {
		b = append(wire.AppendComma(wire.AppendString(wire.AppendComma(b), name)), pins[name]...)
	}
	return append(b, ']')
}
