package config

import (
	"slices"
	"strconv"
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

func (s *Server) appendJSON() []byte {
	o := jsonWriter{}
	own := *s
	if own.Auth.OAuth.Account == s.Name { // which is the default if it is needed
		own.Auth.OAuth.Account = ""
	}
	o.server(&own)
	return o.b
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
type jsonWriter struct {
	b     []byte
	exact bool // times that files cannot have, too
}

func (o *jsonWriter) server(s *Server) {
	o.b = append(o.b, '{')
	for _, f := range s.settings() {
		switch {
		case f.names == "env":
			o.env(s.Env)
		case f.names == "auth":
			o.auth(&s.Auth)
		case f.names == "overrides" && len(s.Overrides) > 0:
			o.object("overrides", func() {
				var tools []string
				for tool := range s.Overrides {
					tools = append(tools, tool)
				}
				slices.Sort(tools)
				for _, tool := range tools {
					if override := s.Overrides[tool]; override != nil {
						o.object(tool, func() { o.settings(override.settings()) })
					}
				}
			})
		case f.value == any(&s.Tools.Allow) && s.Tools.Allow != nil:
			o.b = appendList(wire.AppendKey(o.b, "includeTools"), s.Tools.Allow) // no tool, if it is empty
		default:
			o.setting(f)
		}
	}
	o.extra(s.Extra)
	o.b = append(o.b, '}')
}

//go:noinline
func (o *jsonWriter) settings(all []setting) {
	for _, s := range all {
		o.setting(s)
	}
}

func (o *jsonWriter) setting(s setting) {
	name, _, _ := cut(s.names, " ")
	switch v := s.value.(type) {
	case *string:
		o.text(name, *v)
	case *bool:
		if *v {
			o.b = wire.AppendBool(wire.AppendKey(o.b, name), true)
		}
	case **bool:
		if *v != nil {
			o.b = wire.AppendBool(wire.AppendKey(o.b, name), **v)
		}
	case *int:
		if *v != 0 {
			o.b = wire.AppendInt(wire.AppendKey(o.b, name), int64(*v))
		}
	case *duration: // negative means no limit, which files cannot say
		if *v > 0 || o.exact && *v < 0 {
			o.text(name, strconv.FormatFloat(float64(*v)/float64(time.Millisecond), 'f', -1, 64)+"ms")
		}
	case *[]string:
		o.list(name, *v)
	case *map[string]string:
		o.texts(name, *v)
	case *map[string]mcp.RawMessage:
		if len(*v) > 0 {
			o.object(name, func() { o.extra(*v) })
		}
	}
}

func (o *jsonWriter) text(key, value string) {
	if value != "" {
		o.b = wire.AppendString(wire.AppendKey(o.b, key), value)
	}
}

func (o *jsonWriter) object(key string, members func()) {
	o.b = append(wire.AppendKey(o.b, key), '{')
	members()
	o.b = append(o.b, '}')
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
	if len(texts) > 0 {
		o.object(key, func() {
			for _, name := range wire.SortedKeys(texts) {
				o.b = wire.AppendString(wire.AppendKey(o.b, name), texts[name])
			}
		})
	}
}

// env writes variables as an object, or as a list if an object would not be read as the same.
func (o *jsonWriter) env(env []string) {
	values := make(map[string]string, len(env))
	last := ""
	for _, v := range env {
		name, value, ok := cut(v, "=")
		if !ok || name <= last {
			o.list("env", env)
			return
		}
		values[name], last = value, name
	}
	o.texts("env", values)
}

func (o *jsonWriter) extra(fields map[string]mcp.RawMessage) {
	for _, name := range wire.SortedKeys(fields) {
		o.b = wire.AppendLine(wire.AppendKey(o.b, name), fields[name])
	}
}

// auth writes the authorization. The settings of a login are members of auth, except for
// servers that do not need a login, or not for certain.
func (o *jsonWriter) auth(a *Auth) {
	login := jsonWriter{}
	login.list("scopes", a.OAuth.Scopes)
	scopes := len(login.b)
	login.b = append(login.b[:0], '{')
	login.settings(a.OAuth.settings())
	login.extra(a.OAuth.Extra)
	members := login.b[1:]
	if a.Type != "" || a.Token != "" || a.Header != "" {
		o.object("auth", func() {
			o.settings(a.settings())
			if a.Type == AuthOAuth && len(members) > 0 {
				o.b = append(wire.AppendComma(o.b), members...)
			}
		})
	}
	switch {
	case len(members) == 0 || a.Type == AuthOAuth:
	case a.Type == "" && len(members) == scopes:
		o.b = append(wire.AppendComma(o.b), members...)
	default:
		o.object("oauth", func() { o.b = append(o.b, members...) })
	}
}
