package config

import (
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

func (p *Server) appendJSON() []byte {
	o := jsonWriter{b: []byte{'{'}}
	own := *p
	if own.Auth.OAuth.Account == p.Name { // which is the default if it is needed
		own.Auth.OAuth.Account = ""
	}
	o.settings(own.settings())
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

// settings writes fields.
func (o *jsonWriter) settings(all []setting) {
	for _, s := range all {
		name, _, _ := cut(s.names, " ")
		switch v := s.value.(type) {
		case *string:
			o.text(name, *v)
		case *bool:
			o.flag(name, *v)
		case **bool:
			if *v != nil {
				o.b = wire.AppendBool(wire.AppendKey(o.b, name), **v)
			}
		case *int:
			if *v != 0 {
				o.b = wire.AppendInt(wire.AppendKey(o.b, name), int64(*v))
			}
		case *duration: // negative means no limit, which files cannot say
			if *v > 0 {
				o.text(name, strconv.FormatFloat(float64(*v)/float64(time.Millisecond), 'f', -1, 64)+"ms")
			}
		case *[]string:
			o.list(name, *v)
		case *allowed:
			if *v != nil {
				o.b = appendList(wire.AppendKey(o.b, name), *v)
			}
		case *environment:
			o.env(*v)
		case *map[string]string:
			o.texts(name, *v)
		case *map[string]mcp.RawMessage:
			if len(*v) > 0 {
				o.object(name, func() { o.extra(*v) })
			}
		case *Auth:
			o.auth(v)
		case *overrides:
			if len(*v) > 0 {
				o.object(name, func() {
					for _, tool := range wire.SortedKeys(*v) {
						if override := (*v)[tool]; override != nil {
							o.object(tool, func() { o.settings(override.settings()) })
						}
					}
				})
			}
		}
	}
}

func (o *jsonWriter) object(key string, members func()) {
	o.b = append(wire.AppendKey(o.b, key), '{')
	members()
	o.b = append(o.b, '}')
}

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
		name, value, ok := strings.Cut(v, "=")
		if !ok || name <= last {
			o.list("env", env)
			return
		}
		values[name], last = value, name
	}
	o.texts("env", values)
}

// extra writes unknown fields.
func (o *jsonWriter) extra(fields map[string]mcp.RawMessage) {
	for _, name := range wire.SortedKeys(fields) {
		o.b = wire.AppendLine(wire.AppendKey(o.b, name), fields[name])
	}
}

// auth writes the authorization. The settings of a login are members of auth, except for
// servers that do not need a login, or not for certain.
func (o *jsonWriter) auth(a *Auth) {
	login := jsonWriter{b: []byte{'{'}}
	login.settings(a.OAuth.settings())
	login.extra(a.OAuth.Extra)
	members := login.b[1:]
	only := OAuth{Scopes: a.OAuth.Scopes}
	unknown := a.Type == "" && sameSettings(only.settings(), a.OAuth.settings()) && len(a.OAuth.Extra) == 0
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
	case unknown:
		o.list("scopes", a.OAuth.Scopes)
	default:
		o.object("oauth", func() { o.b = append(o.b, members...) })
	}
}
