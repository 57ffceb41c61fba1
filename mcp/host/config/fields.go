package config

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// useField is for what says whether and how a server is used.
func (e *entry) useField(m member) (known bool, err error) {
	on := false
	switch m.key {
	case "enabled":
		on, err = readBool(m.value)
		e.Disabled = e.Disabled || !on
	case "disabled":
		on, err = readBool(m.value)
		e.Disabled = e.Disabled || on
	case "required":
		e.Required, err = readBool(m.value)
	case "lazy":
		e.Lazy, err = readBool(m.value)
	case "max_retries":
		e.MaxRetries, err = readInt(m.value)
	case "title":
		e.Title, err = readString(m.value)
	case "description":
		e.Description, err = readString(m.value)
	default:
		return false, nil
	}
	return true, err
}

// timeField is for time-outs.
func (e *entry) timeField(m member) (known bool, err error) {
	to, unit := &e.Timeout, time.Duration(0)
	switch m.key {
	case "timeout":
	case "connectTimeout":
		to = &e.ConnectTimeout
	case "timeout_seconds", "tool_timeout_sec":
		unit = time.Second
	case "startup_timeout_sec":
		to, unit = &e.ConnectTimeout, time.Second
	default:
		return false, nil
	}
	*to, err = readTime(m.value, unit)
	return true, err
}

// maxTime is longer than any time-out that somebody can have meant.
const maxTime = 30 * 24 * time.Hour

// readTime reads a time. A number without a unit is of seconds below 1000, as
// nobody means 30 milliseconds, and of milliseconds from there on.
func readTime(value []byte, unit time.Duration) (d time.Duration, err error) {
	text := string(value)
	if r := wire.NewReader(value); r.Kind() == wire.String {
		text = string(r.Bytes())
		if d, err = time.ParseDuration(text); err == nil {
			return d, checkTime(d)
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n != n {
		return 0, errors.New(`must be a number, or a time such as "30s"`)
	}
	if unit == 0 {
		unit = time.Second
		if n >= 1000 {
			unit = time.Millisecond
		}
	}
	if n > maxTime.Seconds()*1000 || n < 0 { // before the conversion, which has a range
		return 0, errTime
	}
	d = time.Duration(n * float64(unit))
	return d, checkTime(d)
}

var errTime = errors.New("must be between 0 and 30 days")

func checkTime(d time.Duration) error {
	if d < 0 || d > maxTime {
		return errTime
	}
	return nil
}

// toolField is for what says which tools are there and which run unasked.
func (e *entry) toolField(m member) (known bool, err error) {
	switch m.key {
	case "tools":
		if len(m.value) == 0 || m.value[0] != '[' {
			return false, nil // settings of each tool, in some dialects
		}
		err = e.choose(&e.Tools.Allow, m.value)
	case "includeTools", "allowedTools", "enabled_tools":
		err = e.choose(&e.Tools.Allow, m.value)
	case "excludeTools", "blockedTools", "disabledTools", "disabled_tools":
		err = e.choose(&e.Tools.Deny, m.value)
	case "toolFilter":
		err = e.readToolFilter(m.value)
	case "alwaysAllow", "autoApprove", "trust":
		if all, isBool := readBool(m.value); isBool == nil {
			if all {
				e.AutoApprove = append(e.AutoApprove, "*")
			}
			return true, nil
		}
		if m.key == "trust" {
			return true, wanted("true or false", m.value)
		}
		var globs []string
		globs, err = readStrings(m.value)
		e.AutoApprove = append(e.AutoApprove, globs...)
	default:
		return false, nil
	}
	return true, err
}

// choose adds globs to a list, which is there even if it is empty.
func (e *entry) choose(list *[]string, value []byte) error {
	globs, err := readStrings(value)
	if err == nil && *list == nil {
		*list = []string{}
	}
	*list = append(*list, globs...)
	return err
}

func (e *entry) readToolFilter(value []byte) error {
	list, err := object("toolFilter.", value)
	if err != nil {
		return err
	}
	for _, m := range list {
		switch m.key {
		case "include":
			err = e.choose(&e.Tools.Allow, m.value)
		case "exclude":
			err = e.choose(&e.Tools.Deny, m.value)
		default:
			err = errors.New("is not known")
		}
		if err != nil {
			return &fieldError{"toolFilter." + m.key, err}
		}
	}
	return nil
}

// readAuth reads the kind of authorization, or an object with a type and what
// belongs to it.
func (e *entry) readAuth(value []byte) error {
	if r := wire.NewReader(value); r.Kind() == wire.String {
		return e.authType(string(r.Bytes()))
	}
	list, err := object("auth.", value)
	if err != nil {
		return err
	}
	var rest []member // for OAuth
	for _, m := range list {
		text, err := readString(m.value)
		switch m.key {
		case "type":
			if err == nil {
				err = e.authType(text)
			}
		case "token", "key", "apiKey":
			e.Auth.Token = text
		case "header":
			e.Auth.Header = text
		default:
			rest, err = append(rest, m), nil
		}
		if err != nil {
			return &fieldError{"auth." + m.key, err}
		}
	}
	switch {
	case e.Auth.Type == "":
		return fault("auth.type", "is missing")
	case len(rest) > 0 && e.Auth.Type != AuthOAuth:
		return fault("auth."+rest[0].key, "is not known")
	}
	return e.oauthFields("auth.", rest)
}

func (e *entry) authType(text string) error {
	switch kind := plain(text); kind {
	case AuthNone, AuthBearer, AuthAPIKey, AuthOAuth:
		e.Auth.Type = kind
		return nil
	}
	return errors.New("is of an unknown kind; want none, bearer, apikey or oauth")
}

func (e *entry) readOAuth(value []byte) error {
	list, err := object("oauth.", value)
	if err != nil {
		return err
	}
	if e.Auth.Type == "" {
		e.Auth.Type = AuthOAuth
	}
	return e.oauthFields("oauth.", list)
}

func (e *entry) oauthFields(path string, list []member) (err error) {
	o := &e.Auth.OAuth
	for _, m := range list {
		switch m.key {
		case "clientId", "client_id":
			o.ClientID, err = readString(m.value)
		case "clientSecret", "client_secret":
			o.ClientSecret, err = readString(m.value)
		case "redirectUri", "redirect_uri":
			o.RedirectURI, err = readString(m.value)
		case "callbackPort", "callback_port":
			if o.CallbackPort, err = readInt(m.value); err == nil && (o.CallbackPort < 0 || o.CallbackPort > 65535) {
				err = errors.New("must be a port")
			}
		case "scopes", "scope":
			if text, e := readString(m.value); e == nil {
				o.Scopes = strings.Split(text, " ")
			} else {
				o.Scopes, err = readStrings(m.value)
			}
		default:
			if o.Extra == nil {
				o.Extra = make(map[string]mcp.RawMessage)
			}
			o.Extra[m.key] = mcp.RawMessage(m.value)
		}
		if err != nil {
			return &fieldError{path + m.key, err}
		}
	}
	return nil
}

// settle checks what only all fields together tell.
func (e *entry) settle() error {
	switch {
	case e.Command != "" && e.URL != "":
		return fault("command", "and a URL exclude each other")
	case e.Type == "" && e.Command != "":
		e.Type = Stdio
	case e.Type == "" && e.URL == "":
		return fault("command", "is missing, and so is a URL")
	}
	switch e.Type {
	case Stdio:
		if e.Command == "" {
			return fault("command", "is missing")
		}
		if e.Auth.Type != "" && e.Auth.Type != AuthNone || e.bearer {
			return e.needless()
		}
	case SDK:
		if e.Command != "" || e.URL != "" {
			return fault("type", "sdk needs neither a command nor a URL")
		}
	default:
		if e.URL == "" {
			return fault("url", "is missing")
		}
		if e.Type == ClaudeAIProxy && e.ID == "" {
			return fault("id", "is missing")
		}
	}
	return e.settleAuth()
}

// needless says which field is of no use to a program.
func (e *entry) needless() error {
	field := "auth"
	switch {
	case e.bearer:
		field = "bearer_token_env_var"
	case e.Auth.Type == AuthOAuth:
		field = "oauth"
	}
	return fault(field, "is for servers at a URL; give a program what it needs in env")
}

func (e *entry) settleAuth() error {
	if e.bearer {
		if e.Auth.Type != "" && e.Auth.Type != AuthBearer {
			return fault("bearer_token_env_var", "contradicts auth")
		}
		e.Auth.Type = AuthBearer
	}
	switch e.Auth.Type {
	case AuthBearer, AuthAPIKey:
		if e.Auth.Token == "" && !e.hasHeader("Authorization") && !e.hasHeader("X-API-Key") {
			return fault("auth", "is "+e.Auth.Type+", but there is no token")
		}
		return checkField("auth.header", checkHeaders(map[string]string{e.authHeader(): ""}))
	}
	return nil
}

func (s *Server) hasHeader(name string) bool {
	for _, h := range wire.SortedKeys(s.Headers) {
		if strings.EqualFold(h, name) {
			return true
		}
	}
	return false
}

// authHeader is the header that the token goes into.
func (s *Server) authHeader() string {
	switch {
	case s.Auth.Type == AuthBearer:
		return "Authorization"
	case s.Auth.Header != "":
		return s.Auth.Header
	}
	return "X-API-Key"
}

// checkField says which field an error is about.
func checkField(field string, err error) error {
	if err == nil {
		return nil
	}
	return &fieldError{field, err}
}
