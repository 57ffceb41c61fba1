package config_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// oneLine joins the lines of a secret, which a text may break anywhere.
var oneLine = strings.NewReplacer("\r", "", "\n", "")

// FuzzSecretsAreHidden plants a secret in each field of a server that may have
// one. No text that Hide or Public returns shows it, in any encoding.
func FuzzSecretsAreHidden(f *testing.F) {
	for _, secret := range []string{"hunter22", "a b/c=d&e", `quo"te\d`, "p@ss:w%rd", "<script>&", "gr\u00fc\u00dfe-aus", "line1\nline2"} {
		for field := range 9 {
			f.Add(field, secret)
		}
	}
	f.Fuzz(func(t *testing.T, field int, secret string) {
		if len(oneLine.Replace(secret)) < 8 || !utf8.ValidString(secret) || strings.ContainsAny(secret, "*$\x00") || strings.TrimSpace(secret) != secret || strings.Trim(secret, "'\"` \r\n") == "" {
			return // a star may come from a mask, a dollar sign starts a variable, and an argument may be in quotes
		}
		s := &config.Server{Name: "s", Type: config.HTTP, URL: "https://host.example/mcp", Headers: map[string]string{}}
		switch field {
		case 0:
			s.Env = []string{"API_TOKEN=" + secret}
		case 1:
			s.Headers["X-Custom"] = secret
		case 2:
			s.Auth = config.Auth{Type: config.AuthBearer, Token: secret}
		case 3:
			s.Auth.OAuth.ClientSecret = secret
		case 4:
			s.URL = "https://user:" + url.QueryEscape(secret) + "@host.example/mcp"
		case 5:
			s.URL = "https://host.example/mcp?x=" + url.QueryEscape(secret)
		case 6:
			s.Args = []string{"--api-key=" + secret}
		case 7:
			if strings.HasPrefix(secret, "-") {
				return
			}
			s.Args = []string{"--password", secret}
		case 8:
			s.Args = []string{"--dsn=postgresql://user:" + url.QueryEscape(secret) + "@host.example/db"}
		default:
			return
		}
		started, err := s.Expand(t.Context(), nil)
		if err != nil {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("field %d, %q: the error is %v", field, secret, err)
			}
			return
		}
		quoted, _ := json.Marshal(secret)
		forms := map[string]string{
			"plain": secret, "percent-encoded": url.QueryEscape(secret), "JSON-escaped": string(quoted[1 : len(quoted)-1]),
			"quoted": fmt.Sprintf("%q", secret), "base64": base64.StdEncoding.EncodeToString([]byte(secret)),
			"base64 inside": base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
		}
		public := fmt.Sprintf("%+v", started.Public())
		for name, form := range forms {
			got := started.Hide("failed: " + form + " was refused")
			for other, shown := range forms {
				if strings.Contains(got, shown) || strings.Contains(public, shown) {
					t.Errorf("field %d, %q: %s shows it %s: %q, %q", field, secret, name, other, got, public)
				}
			}
		}
	})
}
