package config

import (
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// maxTime is the maximum of a timeout.
const maxTime = 30 * 24 * time.Hour

// readDuration reads a time whose unit depends on the dialect. If the dialect is
// unknown, a number from 1000 to 9999 causes a warning.
func (e *entry) readDuration(d *time.Duration, m *member) (err error) {
	*d, err = readTime(m.value, e.unit)
	number := strings.TrimSuffix(strings.TrimPrefix(string(m.value), `"`), `"`)
	if n, invalid := strconv.ParseFloat(number, 64); err == nil && invalid == nil && e.unit == 0 && n >= 1000 && n < 10000 {
		e.warn(m, diag.Message("is read as "+number+" milliseconds; write \""+number+"ms\", or \""+number+"s\" for seconds"))
	}
	return err
}

// readTime reads a duration. The unit of a plain number is unit; if that is 0, a
// number below 1000 is in seconds and a larger one in milliseconds: timeouts of 30
// milliseconds or 10,000 seconds are unlikely.
func readTime(value []byte, unit time.Duration) (time.Duration, error) {
	text := string(value)
	if kind(value) == wire.String {
		text, _ = readString(value)
		if n, ok := withUnits(text); ok {
			return time.Duration(n * float64(time.Second)), checkTime(n)
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n != n {
		return 0, diag.Message(`must be a number, or a time such as "30s"`)
	}
	if unit == time.Millisecond || unit == 0 && n >= 1000 {
		n /= 1000
	}
	return time.Duration(n * float64(time.Second)), checkTime(n)
}

// withUnits parses a duration such as 1m30s. It avoids linking
// time.ParseDuration.
func withUnits(text string) (seconds float64, ok bool) {
	for text != "" {
		unit := trimLeft(text, "0123456789.")
		rest := trimLeft(unit, "hms")
		n, err := strconv.ParseFloat(text[:len(text)-len(unit)], 64)
		switch unit[:len(unit)-len(rest)] {
		case "ms":
			n /= 1000
		case "s":
		case "m":
			n *= 60
		case "h":
			n *= 3600
		default:
			return 0, false
		}
		if err != nil {
			return 0, false
		}
		seconds, ok, text = seconds+n, true, rest
	}
	return seconds, ok
}

// trimLeft is strings.TrimLeft for ASCII.
func trimLeft(s, cutset string) string {
	for s != "" && strings.IndexByte(cutset, s[0]) >= 0 {
		s = s[1:]
	}
	return s
}

func checkTime(seconds float64) error {
	if seconds < 0 || seconds > maxTime.Seconds() {
		return diag.Message("must be between 0 and 30 days")
	}
	return nil
}

// readApproval reads the approved tools: a list, or true for all.
func (e *entry) readApproval(m *member) error {
	if all, err := readBool(m.value); err == nil || m.key == "trust" {
		if all {
			e.AutoApprove = append(e.AutoApprove, "*")
		}
		return err
	}
	return read(&e.AutoApprove, m.value)
}

// readAuth reads the type of authorization, or an object with a type and
// settings.
func (e *entry) readAuth(value []byte) error {
	if text, err := readString(value); err == nil {
		return e.authType(text)
	}
	var rest []*member // for OAuth
	if err := each("auth", value, func(m *member) error {
		switch m.key {
		case "type":
			text, err := readString(m.value)
			if err == nil {
				err = e.authType(text)
			}
			return err
		}
		if to := destination(e.Auth.settings(), m.key); to != nil {
			return read(to, m.value)
		}
		rest = append(rest, m)
		return nil
	}); err != nil {
		return err
	}
	if e.Auth.Type == "" && e.Auth.Token == "" && len(rest) > 0 {
		e.Auth.Type = AuthOAuth // as in Cursor's files
	}
	switch {
	case e.Auth.Type == "":
		return invalidField("auth.type", "is missing")
	case len(rest) > 0 && e.Auth.Type != AuthOAuth:
		return invalidField("auth."+rest[0].key, "is unknown")
	}
	for _, m := range rest {
		if err := e.oauthField(m); err != nil {
			return newFieldError("auth."+m.key, err)
		}
	}
	return nil
}

func (e *entry) authType(text string) error {
	switch kind := diag.Letters(text); kind {
	case AuthNone, AuthBearer, AuthAPIKey, AuthOAuth:
		e.Auth.Type = kind
		return nil
	}
	return diag.Message("must be none, bearer, apikey or oauth")
}

func (e *entry) readOAuth(value []byte) error {
	if kind(value) == wire.Bool { // OpenCode's false means no login, and true the usual one
		var on bool
		err := read(&on, value)
		if !on && e.Auth.Type == "" {
			e.Auth.Type = AuthNone
		}
		return err
	}
	if e.Auth.Type == "" {
		e.Auth.Type = AuthOAuth
	}
	return each("oauth", value, e.oauthField)
}

func (e *entry) oauthField(m *member) (err error) {
	o := &e.Auth.OAuth
	switch m.key {
	case "enabled": // of Gemini CLI
		on, err := readBool(m.value)
		if err == nil && !on {
			e.Auth.Type = AuthNone
		}
		return err
	case "audience", "audiences":
		list, err := readOneOrMore(m.value)
		o.parameter("audience", strings.Join(list, " ")) // as Gemini CLI, whose list it is
		return err
	case "scopes", "scope", "oauthScopes":
		if o.Scopes, err = readOneOrMore(m.value); len(o.Scopes) == 1 {
			o.Scopes = strings.Split(o.Scopes[0], " ")
		}
		return err
	case "authServerMetadataUrl": // Claude Code's name for what names the issuer
		if err = read(&o.Issuer, m.value); err != nil {
			return err
		}
		if before, after, ok := cut(o.Issuer, "/.well-known/"); ok {
			_, path, _ := cut(after, "/") // RFC 8414, section 3.1
			o.Issuer = strings.TrimSuffix(before+"/"+path, "/")
		}
		return nil
	case "parameters":
		all, err := readMap("parameters", m.value)
		for name, value := range all {
			o.parameter(name, value)
		}
		return err
	}
	if to := destination(o.settings(), m.key); to != nil {
		if err = read(to, m.value); err == nil && (o.CallbackPort < 0 || o.CallbackPort > 65535) {
			err = diag.Message("must be a port, from 0 to 65535")
		}
		if to == &o.RedirectURI && o.RedirectURI != "" && !strings.Contains(o.RedirectURI, "://") && o.RedirectURI[0] != '$' {
			o.RedirectURI = "http://" + o.RedirectURI // of Amazon Q: an address and a port
		}
		return err
	}
	e.warn(m, errUnknown)
	if o.Extra == nil {
		o.Extra = make(map[string]mcp.RawMessage)
	}
	o.Extra[m.key] = mcp.RawMessage(m.value)
	return nil
}

// maxGlob limits the length of a glob in bytes, and maxEnvFiles how many files of 4 MiB an
// entry may name.
const maxGlob, maxEnvFiles = 1024, 16

// validate checks the fields together.
func (e *entry) validate() error {
	e.Disabled = e.Disabled || !e.on
	if o := &e.Auth.OAuth; o.Issuer == "" && o.TokenURL != "" { // which names the party
		scheme, rest, _ := cut(o.TokenURL, "://")
		host, _, _ := cut(rest, "/")
		o.Issuer = scheme + "://" + host
	}
	for _, globs := range [...][]string{e.Tools.Allow, e.Tools.Deny, e.AutoApprove} {
		for _, glob := range globs {
			if len(glob) > maxGlob {
				return invalidField("tools", "has a glob of "+strconv.Itoa(len(glob))+" bytes; at most "+strconv.Itoa(maxGlob)+" are permitted")
			}
		}
	}
	switch {
	case len(e.EnvFiles) > maxEnvFiles:
		return invalidField("envFile", "has "+strconv.Itoa(len(e.EnvFiles))+" files; at most "+strconv.Itoa(maxEnvFiles)+" are permitted")
	case e.Type == "" && e.Command != "" && e.URL != "":
		e.Type = HTTP
	case e.Type == Stdio && e.Command != "" && e.URL != "":
		return invalidField("type", "stdio excludes a URL; leave it out to start the program and reach it at the URL")
	case e.Type == "" && e.Command != "":
		e.Type = Stdio
	case e.Type == "" && e.URL == "":
		return invalidField("command", "or a URL is required")
	}
	switch e.Type {
	case Stdio:
		if e.Command == "" {
			return invalidField("command", "is missing")
		}
		if e.Auth.Type != "" && e.Auth.Type != AuthNone || e.bearer {
			return e.needlessAuth()
		}
	case SDK:
		if e.Command != "" || e.URL != "" {
			return invalidField("type", "sdk needs neither a command nor a URL")
		}
	default:
		if e.URL == "" {
			return invalidField("url", "is missing")
		}
		if e.Type == ClaudeAIProxy && e.ID == "" {
			return invalidField("id", "is missing")
		}
	}
	return e.validateAuth()
}

// needlessAuth returns the error for authorization of a program.
func (e *entry) needlessAuth() error {
	field := "auth"
	switch {
	case e.bearer:
		field = "bearer_token_env_var"
	case e.Auth.Type == AuthOAuth:
		field = "oauth"
	}
	return invalidField(field, "is for servers with a URL; use env for a program")
}

func (e *entry) validateAuth() error {
	if e.bearer {
		if e.Auth.Type != "" && e.Auth.Type != AuthBearer {
			return invalidField("bearer_token_env_var", "contradicts auth")
		}
		e.Auth.Type = AuthBearer
	}
	switch e.Auth.Type {
	case AuthBearer, AuthAPIKey:
		if e.Auth.Token == "" && !e.hasHeader("Authorization") && !e.hasHeader("X-API-Key") {
			return invalidField("auth", "is "+e.Auth.Type+", but there is no token")
		}
		return inField("auth.header", checkHeaders(map[string]string{e.authHeader(): ""}))
	}
	return inField("oauth", e.Auth.OAuth.checkProvider())
}

func (s *Server) hasHeader(name string) bool {
	for h := range s.Headers {
		if diag.Letters(h) == diag.Letters(name) {
			return true
		}
	}
	return false
}

// authHeader returns the name of the header with the token.
func (s *Server) authHeader() string {
	switch {
	case s.Auth.Type == AuthBearer:
		return "Authorization"
	case s.Auth.Header != "":
		return s.Auth.Header
	}
	return "X-API-Key"
}

// inField returns err as an error about a field, or nil.
func inField(field string, err error) error {
	if err == nil {
		return nil
	}
	return newFieldError(field, err)
}
