package config

import (
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// A setting is a field that files can set, with the names that it has in them. Files are
// read and written by lists of settings, and two servers are compared by what is written.
type setting struct {
	names string // between blanks; files are written with the first one
	value any    // a pointer to the field; see special
}

// The unit of a duration depends on the dialect. That of the others is in their names, which
// are other names of a duration.
type (
	duration time.Duration
	seconds  time.Duration
	millis   time.Duration
	special  struct{} // a field that is read and written by functions of its own
)

// settings returns the fields in the order in which they are written. Some are read by
// entry.field.
func (s *Server) settings() []setting {
	return []setting{
		{"type", &s.Type},
		{"command", &s.Command},
		{"args", &s.Args}, // after the arguments in a command that is a list
		{"cwd workingDirectory working_directory", &s.Dir},
		{"env", special{}},
		{"envFile", &s.EnvFiles},
		{"inheritEnv", &s.InheritEnv},
		{"url", &s.URL},
		{"headers", &s.Headers},
		{"auth", special{}},
		{"id name", &s.ID},
		{"disabled", &s.Disabled},
		{"required", &s.Required},
		{"lazy", &s.Lazy},
		{"serial", &s.Serial},
		{"deferred", &s.Deferred},
		{"timeout", (*duration)(&s.Timeout)},
		{"connectTimeout", (*duration)(&s.ConnectTimeout)},
		{"timeout_seconds tool_timeout_sec toolTimeout tool_timeout", (*seconds)(&s.Timeout)},
		{"startup_timeout_sec", (*seconds)(&s.ConnectTimeout)},
		{"startup_timeout_ms", (*millis)(&s.ConnectTimeout)},
		{"max_retries", &s.MaxRetries},
		{"maxResultText", &s.MaxResultText},
		{"includeTools allowedTools enabled_tools enabledTools", &s.Tools.Allow},
		{"excludeTools blockedTools disabledTools disabled_tools", &s.Tools.Deny},
		{"autoApprove", &s.AutoApprove},
		{"overrides", special{}},
		{"title", &s.Title},
		{"description", &s.Description},
	}
}

func (a *Auth) settings() []setting {
	return []setting{{"type", &a.Type}, {"token key apiKey", &a.Token}, {"header", &a.Header}}
}

func (o *OAuth) settings() []setting {
	return []setting{
		{"clientId client_id CLIENT_ID oauthClientId", &o.ClientID}, // the last two are Cursor's and Copilot CLI's
		{"clientSecret client_secret CLIENT_SECRET", &o.ClientSecret},
		{"scopes scope oauthScopes", &o.Scopes},
		{"callbackPort callback_port", &o.CallbackPort},
		{"redirectUri redirect_uri", &o.RedirectURI},
		{"issuer", &o.Issuer},
		{"issuerInMetadata", &o.IssuerInMetadata},
		{"resource", &o.Resource},
		{"authorizationUrl authorization_url", &o.AuthorizationURL},
		{"tokenUrl token_url", &o.TokenURL},
		{"account", &o.Account},
		{"assumePKCE", &o.AssumePKCE},
		{"parameters", &o.Parameters},
	}
}

func (o *Override) settings() []setting {
	return []setting{
		{"name", &o.Name}, {"description", &o.Description}, {"omit", &o.Omit}, {"maxResultText", &o.MaxResultText},
		{"arguments", &o.Arguments}, {"properties", &o.Properties},
	}
}

// destination returns the field with a name, or nil.
func destination(all []setting, name string) any {
	for _, s := range all {
		for first, rest := "", s.names; rest != ""; {
			if first, rest, _ = cut(rest, " "); first == name {
				return s.value
			}
		}
	}
	return nil
}

// readAll reads an object into fields.
func readAll(path string, value []byte, to []setting) error {
	return each(path, value, func(m *member) error {
		field := destination(to, m.key)
		if field == nil {
			return errUnknown
		}
		return read(field, m.value)
	})
}

// readKnown reads an object into fields, and ignores its other members.
func readKnown(path string, value []byte, to []setting) error {
	return each(path, value, func(m *member) error { return read(destination(to, m.key), m.value) })
}

// read reads a value into a field.
func read(to any, value []byte) (err error) {
	switch to := to.(type) {
	case *string:
		*to, err = readString(value)
	case *bool:
		*to, err = readBool(value)
	case **bool:
		*to = new(bool)
		**to, err = readBool(value)
	case *int:
		*to, err = readInt(value)
	case *seconds:
		*(*time.Duration)(to), err = readTime(value, time.Second)
	case *millis:
		*(*time.Duration)(to), err = readTime(value, time.Millisecond)
	case *[]string:
		var list []string
		if list, err = readStrings(value); *to == nil {
			*to = list // not nil, even if it is empty
		} else {
			*to = append(*to, list...)
		}
	case *map[string]mcp.RawMessage:
		list, invalid := object("", value, 0)
		*to, err = make(map[string]mcp.RawMessage, len(list)), invalid
		for _, m := range list {
			(*to)[m.key] = mcp.RawMessage(m.value)
		}
	}
	return err
}

// Equal reports whether s and o have the same settings, except for Source.
func (s *Server) Equal(o *Server) bool {
	if o == nil {
		return false
	}
	a, b := jsonWriter{exact: true}, jsonWriter{exact: true}
	a.server(s)
	b.server(o)
	return string(a.b) == string(b.b) && s.Name == o.Name && s.Scope == o.Scope && s.Literal == o.Literal &&
		(s.Invalid == nil) == (o.Invalid == nil) && s.untrusted == o.untrusted && s.files.equal(o.files) && s.base == o.base && s.project == o.project
}

// Equal reports whether o and p change the same.
func (o *Override) Equal(p *Override) bool {
	if o == nil || p == nil {
		return o == p
	}
	a, b := jsonWriter{}, jsonWriter{}
	a.settings(o.settings())
	b.settings(p.settings())
	return string(a.b) == string(b.b)
}

// texts calls change for each text that may have references, except for Env and EnvFiles,
// and stores what it returns. part names a text of a field that has several. Without a
// value, a header is removed.
func (s *Server) texts(change func(field, part, text string) string) {
	s.Command = change("command", "", s.Command)
	for i, arg := range s.Args {
		s.Args[i] = change("args", "", arg)
	}
	s.Dir = change("cwd", "", s.Dir)
	s.URL = change("url", "", s.URL)
	for _, name := range wire.SortedKeys(s.Headers) {
		text := s.Headers[name]
		if s.Headers[name] = change("headers", name, text); s.Headers[name] == "" && text != "" {
			delete(s.Headers, name) // as Codex does if a variable is not set
		}
	}
	o := &s.Auth.OAuth
	for _, t := range o.texts() {
		*t.value = change("oauth."+t.name, "", *t.value)
	}
	s.Auth.Token = change("auth", "", s.Auth.Token)
	o.ClientID = change("oauth.clientId", "", o.ClientID)
	o.ClientSecret = change("oauth.clientSecret", "", o.ClientSecret)
	o.RedirectURI = change("oauth.redirectUri", "", o.RedirectURI)
	s.ID = change("id", "", s.ID)
}

// cut is strings.Cut, which the compiler would copy to each place.
//
//go:noinline
func cut(s, sep string) (before, after string, found bool) { return strings.Cut(s, sep) }

const errMasked = diag.Message("a secret is masked (" + diag.Mask + "): enter it again, and write files with RevealJSON")

// checkMasked returns an error if the text of a secret is a mask.
func (s *Server) checkMasked() (err error) {
	check := func(field, _, text string) string {
		if strings.HasSuffix(text, diag.Mask) || strings.Contains(text, "://"+diag.Mask) || field == "url" && strings.Contains(text, diag.Mask) ||
			strings.Contains(text, "://") && strings.HasSuffix(text, "?...") {
			err = errMasked
		}
		return text
	}
	s.copy().texts(check)
	for _, v := range s.Env {
		check("env", "", v)
	}
	for _, o := range s.Overrides {
		if o != nil {
			for _, value := range o.Arguments {
				check("overrides", "", strings.TrimSuffix(string(value), `"`))
			}
		}
	}
	return err
}
