package config

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// An entry is a server while its fields are read.
type entry struct {
	Server
	on        bool          // enabled
	bearer    bool          // Auth comes from bearer_token_env_var
	extension bool          // a server of a Zed extension
	unit      time.Duration // of timeouts without a unit; 0 if the dialect is unknown
	warnings  []*fieldError
	all       []setting // of the Server
	resource  *member   // oauth_resource
}

// errOnlyOff stands for an entry without a server, which disables an earlier one or is that
// of an extension.
var errOnlyOff = errors.New("disables")

// isOff reports whether an entry has no server of its own and is not a mistake.
func (e *entry) isOff() bool {
	if e.Command != "" || e.URL != "" || e.Type == SDK {
		return false
	}
	if e.extension {
		e.warnings = append(e.warnings[:0], newFieldError("source", diag.Message("is a Zed extension, which only Zed can start")))
	}
	return e.extension || e.Disabled || !e.on
}

// A fieldError is an error about one field.
type fieldError struct {
	field string
	err   error
	at    int // offset in the file; 0 if unknown
}

func (e *fieldError) Error() string { return quoteCut(e.field) + " " + e.err.Error() }
func (e *fieldError) Unwrap() error { return e.err }

// maxShown is how many bytes of a name an error contains, of which there may be many.
const maxShown = 200

// quoteCut quotes a name, or its beginning.
func quoteCut(name string) string {
	if len(name) > maxShown {
		return wire.Quote(name[:maxShown]) + "..."
	}
	return wire.Quote(name)
}

// newFieldError returns an error about a field.
//
//go:noinline
func newFieldError(field string, err error) *fieldError { return &fieldError{field, err, 0} }

// invalidField returns an error about a field, with a text.
func invalidField(field, what string) error { return newFieldError(field, diag.Message(what)) }

// unsupported are fields of other programs whose loss a user must not overlook.
var unsupported = [...]struct {
	field string
	why   error
}{
	{"sandboxEnabled", diag.Message("is not supported: the program runs without a sandbox")},  // of VS Code
	{"headersHelper", diag.Message("names a command, which is never run; write the headers")}, // of Claude Code
}

// readServer reads one server. It also returns warnings, even with an error.
func readServer(from *member) (s *Server, warnings []*fieldError, err error) {
	e := &entry{Server: Server{Name: from.key}, on: from.of.program != picoclaw, unit: from.unit}
	if err := checkName(e.Name); err != nil {
		return nil, nil, err
	}
	if from.value == nil {
		return nil, nil, diag.Message("is defined twice")
	}
	list, err := object("", from.value, from.at)
	if err != nil {
		return nil, nil, err
	}
	e.all = e.settings()
	for _, m := range list {
		if string(m.value) == "null" {
			continue // the same as absent
		}
		known, invalidField := e.field(m)
		if invalidField != nil && err == nil {
			f, named := invalidField.(*fieldError)
			if !named {
				f = newFieldError(m.key, invalidField)
			}
			f.at = m.at
			err = f
		}
		if !known {
			e.storeExtra(m)
			var why error = errUnknown
			for _, u := range unsupported {
				if u.field == m.key {
					why = u.why
				}
			}
			e.warn(m, why)
		}
	}
	if o := &e.Auth.OAuth; e.resource != nil && o.Issuer != "" && err == nil {
		err = inField("oauth_resource", read(&o.Resource, e.resource.value))
	} else if e.resource != nil {
		e.storeExtra(e.resource)
		e.warn(e.resource, diag.Message("is not used without oauth.issuer, the only server that may give a token for another resource"))
	}
	if err == nil {
		err = e.references(from.of)
	}
	if err == nil && e.isOff() {
		return &e.Server, e.warnings, errOnlyOff
	}
	if err == nil {
		err = e.validate()
	}
	if err == nil {
		err = e.checkMasked()
	}
	return &e.Server, e.warnings, err
}

//go:noinline
func (e *entry) warn(m *member, err error) {
	e.warnings = append(e.warnings, &fieldError{m.key, err, m.at})
}

//go:noinline
func (e *entry) storeExtra(m *member) {
	if e.Extra == nil {
		e.Extra = make(map[string]mcp.RawMessage)
	}
	e.Extra[m.key] = mcp.RawMessage(m.value)
}

// field reads a member. known reports whether there is a field for it.
func (e *entry) field(m *member) (known bool, err error) {
	switch m.key {
	case "type", "transport", "transportType":
		if m.key == "transport" && kind(m.value) == wire.Object {
			return true, e.readTransport(m.value)
		}
		return true, e.readType(m)
	case "url", "serverUrl", "httpUrl", "baseUrl":
		return true, e.readURL(m.value)
	case "headers", "http_headers", "env_http_headers": // the others are Codex's
		return true, e.readHeaders(m)
	case "command":
		return true, e.readCommand(m.value)
	case "env", "environment", "env_vars":
		return true, e.readEnv(m.value)
	case "envFile", "env_file":
		files, err := readOneOrMore(m.value)
		e.EnvFiles = append(e.EnvFiles, files...)
		return true, err
	case "auth":
		return true, e.readAuth(m.value)
	case "oauth", "oauthClient": // the other is Cline's
		return true, e.readOAuth(m.value)
	case "scopes", "oauthScopes", "oauthClientId":
		if m.key == "oauthClientId" && e.Auth.Type == "" {
			e.Auth.Type = AuthOAuth
		}
		return true, e.oauthField(m)
	case "bearer_token_env_var":
		return true, e.readBearer(m.value)
	case "enabled", "isActive": // the other is Cherry Studio's
		return true, read(&e.on, m.value)
	case "alwaysLoad": // of Claude Code
		e.Deferred = new(bool)
		always, err := readBool(m.value)
		*e.Deferred = !always
		return true, err
	case "oauth_resource": // of Codex
		e.resource = m
		return true, nil
	case "settings": // of an older file of Zed
		e.extension = true
	case "tools":
		if kind(m.value) != wire.Array {
			return false, nil // in some dialects, an object with settings of each tool
		}
		return true, read(&e.Tools.Allow, m.value)
	case "source":
		e.extension = string(m.value) == `"extension"`
		return e.extension || string(m.value) == `"custom"`, nil // what Zed writes
	case "toolFilter":
		return true, readAll("toolFilter", m.value, []setting{{"include", &e.Tools.Allow}, {"exclude", &e.Tools.Deny}})
	case "overrides":
		return true, e.readOverrides(m.value)
	case "alwaysAllow", "autoApprove", "trust":
		return true, e.readApproval(m)
	}
	to := destination(e.all, m.key)
	if d, ok := to.(*duration); ok {
		return true, e.readDuration((*time.Duration)(d), m)
	}
	return to != nil, read(to, m.value)
}

func (e *entry) readURL(value []byte) error {
	url, err := readString(value)
	if url == "" { // some programs write both a command and a URL
		return err
	}
	if e.URL != "" {
		return diag.Message("is a second URL; keep one of them")
	}
	e.URL = url
	return nil
}

func (e *entry) readBearer(value []byte) error {
	name, err := readString(value)
	if err == nil && !isName(name) {
		err = diag.Message("must be the name of a variable")
	}
	e.Auth.Token, e.bearer = "${"+name+"}", true
	return err
}

func (e *entry) readType(m *member) error {
	text, err := readString(m.value)
	if err != nil {
		return err
	}
	kind := kindOf(text)
	switch {
	case kind == "":
		return diag.Message("must be stdio, http, sse, sdk or claudeai-proxy")
	case e.Type != "" && e.Type != kind:
		return diag.Message("contradicts the type " + e.Type + " in another field")
	}
	e.Type = kind
	return nil
}

// kindOf returns the Server.Type for text, or "".
func kindOf(text string) string {
	switch diag.Letters(text) {
	case "stdio", "local":
		return Stdio
	case "http", "streamablehttp", "streamable", "remote":
		return HTTP
	case "sse":
		return SSE
	case "sdk":
		return SDK
	case "claudeaiproxy":
		return ClaudeAIProxy
	}
	return ""
}

// readTransport reads a transport field that is an object, as Cline writes it.
func (e *entry) readTransport(value []byte) error {
	return each("transport", value, func(m *member) error {
		known, err := e.field(m)
		if !known {
			err = errUnknown
		}
		return err
	})
}

func (e *entry) readHeaders(m *member) error {
	if m.key == "headers" && e.Headers != nil {
		return diag.Message("occurs in two fields; keep one of them")
	}
	h, err := readMap(m.key, m.value)
	if err != nil {
		return err
	}
	if e.Headers == nil {
		e.Headers = make(map[string]string, len(h))
	}
	for name, value := range h {
		if _, twice := e.Headers[name]; twice {
			return diag.Message("has a header that another field has, too: " + quoteName(name))
		}
		if m.key == "env_http_headers" {
			value = "${" + value + ":-}" // without a value, there is no header
		}
		e.Headers[name] = value
	}
	return checkHeaders(e.Headers)
}

// checkHeaders rejects names and values that would break out of a header line.
func checkHeaders(h map[string]string) error {
	for _, name := range wire.SortedKeys(h) {
		if name == "" || wire.IndexAny(name, "\r\n\x00:") >= 0 {
			return diag.Message("has an invalid header name: " + quoteName(name))
		}
		if wire.IndexAny(h[name], "\r\n\x00") >= 0 {
			return diag.Message("must have no line breaks in the value of " + wire.Quote(name))
		}
	}
	return nil
}

// readCommand reads a command: text, a list, or an object with path, args and env.
func (e *entry) readCommand(value []byte) error {
	if kind(value) == wire.Object {
		return e.readCommandObject(value)
	}
	words, err := readOneOrMore(value)
	if len(words) > 0 {
		e.Command, e.Args = words[0], slices.Concat(words[1:], e.Args)
	}
	return err
}

func (e *entry) readCommandObject(value []byte) error {
	return each("command", value, func(m *member) error {
		switch m.key {
		case "path":
			return read(&e.Command, m.value)
		case "args", "env":
			_, err := e.field(m)
			return err
		}
		return errUnknown
	})
}

// readEnv reads variables: an object, a list of "K=V" and of names to pass on,
// or one name.
func (e *entry) readEnv(value []byte) error {
	var env []string
	switch kind(value) {
	case wire.Object:
		texts, err := readMap("env", value)
		if err != nil {
			return err
		}
		for _, name := range wire.SortedKeys(texts) { // so that the order in the file does not matter to Equal
			if !isName(name) {
				return diag.Message("has an invalid variable name: " + quoteName(name))
			}
			env = append(env, name+"="+texts[name])
		}
	case wire.Array:
		r := wire.NewReader(value)
		for r.Array(); r.More(); {
			item := r.Raw()
			if kind(item) == wire.Object { // of Codex: {"name": "K", "source": "local"}
				item = at(&member{value: item}, "name").value
			}
			name, err := readString(item)
			if err != nil {
				return diag.Message("must be a list of strings, but contains " + kind(item).String())
			}
			env = append(env, name)
		}
	case wire.String:
		name, _ := readString(value)
		env = []string{name}
	default:
		return typeError("an object or a list", value)
	}
	for i, v := range env {
		if name, _, _ := cut(v, "="); !isName(name) {
			return diag.Message("[" + strconv.Itoa(i) + "] must be KEY=value or the name of a variable")
		}
	}
	e.Env = append(e.Env, env...)
	return nil
}

// quoteName quotes the part of name that can be a name. The rest could be a
// secret value.
func quoteName(name string) string {
	for i := range len(name) {
		if c := name[i]; c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return wire.Quote(name[:min(i, maxShown)]) + "..."
		}
	}
	return quoteCut(name)
}

// isName reports whether s is a valid name of an environment variable.
func isName(s string) bool { return s != "" && wire.IndexAny(s, "=\x00${} \t\r\n") < 0 }
