package config

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// MarshalJSON returns the server as an entry of .mcp.json, without its name and
// without secrets, as [Server.Public] describes. For an entry with masked secrets,
// [Parse] and [Server.UnmarshalJSON] fail; see [Server.RevealJSON].
func (s Server) MarshalJSON() ([]byte, error) { return s.Public().appendJSON(), nil }

// RevealJSON returns the server as an entry of .mcp.json with its secrets, to write it
// to a file. It fails if a secret is masked: the server is a copy for status reports.
func (s *Server) RevealJSON() ([]byte, error) {
	if err := s.checkMasked(); err != nil {
		return nil, err
	}
	return s.appendJSON(), nil
}

// UnmarshalJSON reads an entry of .mcp.json, as [Parse] does. The Name stays.
func (s *Server) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	c := Parse(append(append([]byte(`{"mcpServers":{"entry":`), data...), "}}"...), "", "")
	for _, p := range c.Problems {
		if !p.Warning {
			return p.Err
		}
	}
	if len(c.Servers) != 1 {
		return newFieldError("mcpServers", diag.Message("is not an entry"))
	}
	name := s.Name
	*s = *c.Servers[0]
	s.Name = name
	return nil
}

const errMasked = diag.Message("a secret is masked (" + diag.Mask + "): enter it again, and write files with RevealJSON")

// checkMasked returns an error if the text of a secret is a mask.
func (s *Server) checkMasked() error {
	values := append(slices.Clone(s.Args), s.Command, s.Dir, s.ID, s.Auth.Token, s.Auth.OAuth.ClientSecret, s.Auth.OAuth.RedirectURI)
	values = append(values, s.Env...)
	for _, value := range s.Headers {
		values = append(values, value)
	}
	for _, o := range s.Overrides {
		if o != nil {
			for _, value := range o.Arguments {
				values = append(values, strings.TrimSuffix(string(value), `"`))
			}
		}
	}
	if strings.Contains(s.URL, diag.Mask) || strings.HasSuffix(s.URL, "?...") {
		return errMasked
	}
	for _, value := range values {
		if strings.HasSuffix(value, diag.Mask) || strings.Contains(value, "://"+diag.Mask) || strings.Contains(value, "://") && strings.HasSuffix(value, "?...") {
			return errMasked
		}
	}
	return nil
}

func (p *Server) appendJSON() []byte {
	o := jsonWriter{b: []byte{'{'}}
	o.text("type", p.Type)
	o.text("command", p.Command)
	o.list("args", p.Args)
	o.text("cwd", p.Dir)
	o.env(p.Env)
	o.list("envFile", p.EnvFiles)
	o.flag("inheritEnv", p.InheritEnv)
	o.text("url", p.URL)
	o.texts("headers", p.Headers)
	o.auth(&p.Auth, p.Name)
	o.text("id", p.ID)
	o.flag("disabled", p.Disabled)
	o.flag("required", p.Required)
	o.flag("lazy", p.Lazy)
	o.flag("serial", p.Serial)
	if p.Deferred != nil {
		o.b = wire.AppendBool(wire.AppendKey(o.b, "deferred"), *p.Deferred)
	}
	o.time("timeout", p.Timeout)
	o.time("connectTimeout", p.ConnectTimeout)
	o.number("max_retries", p.MaxRetries)
	o.number("maxResultText", p.MaxResultText)
	if p.Tools.Allow != nil {
		o.b = appendList(wire.AppendKey(o.b, "includeTools"), p.Tools.Allow)
	}
	o.list("excludeTools", p.Tools.Deny)
	o.list("autoApprove", p.AutoApprove)
	o.overrides(p.Overrides)
	o.text("title", p.Title)
	o.text("description", p.Description)
	o.extra(p.Extra)
	return append(o.b, '}')
}

// String returns the server as one line, without secrets.
func (s *Server) String() string {
	if s == nil {
		return "<nil>"
	}
	p := s.Public()
	text := p.Name + ": " + p.Type
	if p.Command != "" {
		text = p.Name + ": " + commandLine(p.Command, p.Args)
	} else if p.URL != "" {
		text = p.Name + ": " + p.URL
	}
	if p.Disabled {
		text += " (disabled)"
	}
	return text
}

// MarshalJSON returns the servers as a file, {"mcpServers":{...}}, without secrets,
// problems and inputs.
func (c Config) MarshalJSON() ([]byte, error) {
	return c.appendServers(func(s *Server) ([]byte, error) { return s.MarshalJSON() })
}

// RevealJSON is MarshalJSON with the secrets, to write the servers to a file that
// [Parse] reads back. It fails if a secret is masked.
func (c *Config) RevealJSON() ([]byte, error) { return c.appendServers((*Server).RevealJSON) }

func (c *Config) appendServers(entry func(*Server) ([]byte, error)) ([]byte, error) {
	b := []byte(`{"mcpServers":{`)
	for _, s := range c.Servers {
		if s == nil {
			continue
		}
		text, err := entry(s)
		if err != nil {
			return nil, diag.Op("server "+wire.Quote(s.Name), err)
		}
		b = append(wire.AppendKey(b, s.Name), text...)
	}
	return append(b, "}}"...), nil
}

// A jsonWriter writes the members of an object and omits empty ones.
type jsonWriter struct{ b []byte }

func (o *jsonWriter) text(key, value string) {
	if value != "" {
		o.b = wire.AppendString(wire.AppendKey(o.b, key), value)
	}
}

func (o *jsonWriter) flag(key string, value bool) {
	if value {
		o.b = wire.AppendBool(wire.AppendKey(o.b, key), true)
	}
}

func (o *jsonWriter) number(key string, n int) {
	if n != 0 {
		o.b = wire.AppendInt(wire.AppendKey(o.b, key), int64(n))
	}
}

// time writes a duration that readTime reads. Negative means no limit, which files
// cannot say.
func (o *jsonWriter) time(key string, d time.Duration) {
	if d > 0 {
		o.text(key, strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64)+"ms")
	}
}

func (o *jsonWriter) list(key string, list []string) {
	if len(list) > 0 {
		o.b = appendList(wire.AppendKey(o.b, key), list)
	}
}

func appendList(b []byte, list []string) []byte {
	b = append(b, '[')
	for _, item := range list {
		b = wire.AppendString(wire.AppendComma(b), item)
	}
	return append(b, ']')
}

func (o *jsonWriter) texts(key string, texts map[string]string) {
	if len(texts) == 0 {
		return
	}
	o.b = append(wire.AppendKey(o.b, key), '{')
	for _, name := range wire.SortedKeys(texts) {
		o.text(name, texts[name])
	}
	o.b = append(o.b, '}')
}

// env writes variables as an object, or as a list if some are passed on.
func (o *jsonWriter) env(env []string) {
	values := make(map[string]string, len(env))
	for _, v := range env {
		name, value, ok := strings.Cut(v, "=")
		if _, twice := values[name]; !ok || twice {
			o.list("env", env)
			return
		}
		values[name] = value
	}
	if len(env) == 0 {
		return
	}
	o.b = append(wire.AppendKey(o.b, "env"), '{')
	for _, name := range wire.SortedKeys(values) {
		o.b = wire.AppendString(wire.AppendKey(o.b, name), values[name])
	}
	o.b = append(o.b, '}')
}

// extra writes unknown fields.
func (o *jsonWriter) extra(fields map[string]mcp.RawMessage) {
	for _, name := range wire.SortedKeys(fields) {
		o.b = wire.AppendLine(wire.AppendKey(o.b, name), fields[name])
	}
}

func (o *jsonWriter) auth(a *Auth, name string) {
	if a.Type == "" {
		return
	}
	o.b = append(wire.AppendKey(o.b, "auth"), '{')
	o.text("type", a.Type)
	o.text("token", a.Token)
	o.text("header", a.Header)
	o.text("clientId", a.OAuth.ClientID)
	o.text("clientSecret", a.OAuth.ClientSecret)
	o.list("scopes", a.OAuth.Scopes)
	o.number("callbackPort", a.OAuth.CallbackPort)
	o.text("redirectUri", a.OAuth.RedirectURI)
	for _, s := range a.OAuth.texts() {
		if s.name != "account" || *s.value != name { // that name is the default if it is needed
			o.text(s.name, *s.value)
		}
	}
	o.flag("assumePKCE", a.OAuth.AssumePKCE)
	o.texts("parameters", a.OAuth.Parameters)
	o.extra(a.OAuth.Extra)
	o.b = append(o.b, '}')
}
