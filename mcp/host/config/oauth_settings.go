package config

import (
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// An oauthText is a setting of an OAuth with the line that the user sees before trusting it.
type oauthText struct {
	name, effect string
	value        *string
}

// texts returns the settings that are texts without secrets.
func (o *OAuth) texts() []oauthText {
	return []oauthText{
		{"issuer", "logs in at ", &o.Issuer},
		{"issuerInMetadata", "accepts metadata of the issuer ", &o.IssuerInMetadata},
		{"resource", "requests a token for the resource ", &o.Resource},
		{"authorizationUrl", "opens the login page ", &o.AuthorizationURL},
		{"tokenUrl", "requests tokens at ", &o.TokenURL},
		{"account", "", &o.Account},
	}
}

func (o *OAuth) parameter(name, value string) {
	if o.Parameters == nil {
		o.Parameters = make(map[string]string)
	}
	o.Parameters[name] = value
}

// checkProvider returns an error for settings that weaken a check and name no issuer.
func (o *OAuth) checkProvider() error {
	if o.Issuer == "" && (o.IssuerInMetadata != "" || o.Resource != "" || o.AuthorizationURL != "" || o.TokenURL != "" || o.AssumePKCE) {
		return diag.Message("needs issuer beside issuerInMetadata, resource, authorizationUrl, tokenUrl and assumePKCE")
	}
	return nil
}

// effects adds what the settings do: they decide for which service the server gets a token.
func (o *OAuth) effects(e *effects) {
	for _, s := range o.texts() {
		if *s.value != "" && s.name != "account" { // which only separates its own tokens
			e.add(s.effect + *s.value)
		}
	}
	if len(o.Scopes) > 0 {
		e.add("requests the scopes " + commandLine(o.Scopes[0], o.Scopes[1:]))
	}
	if o.AssumePKCE {
		e.add("logs in without the announcement of PKCE")
	}
	for _, name := range wire.SortedKeys(o.Parameters) {
		e.add("logs in with the parameter " + name + "=" + o.Parameters[name])
	}
}

// tellAccountsApart gives entries that share a URL and a client accounts of their own:
// otherwise both would use the token of the last login.
func (c *Config) tellAccountsApart() {
	type login struct{ url, client string }
	logins := map[login][]*Server{}
	for _, s := range c.Servers {
		if s.URL != "" && (s.Auth.Type == "" || s.Auth.Type == AuthOAuth) {
			key := login{s.URL, s.Auth.OAuth.ClientID}
			logins[key] = append(logins[key], s)
		}
	}
	for _, list := range logins {
		for _, s := range list {
			if len(list) > 1 && s.Auth.OAuth.Account == "" {
				s.Auth.OAuth.Account = s.Name
			}
		}
	}
}
