package host_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// FuzzSecretsInStatus plants a secret in each field of a server's settings. The
// server quotes it; no error, status, event, standard error or masked trace of the
// host shows it, plain or encoded.
func FuzzSecretsInStatus(f *testing.F) {
	for field := range 9 {
		f.Add(field, 0, "hunter22")
		f.Add(field, 1, "a b/c=d&e")
		f.Add(field, 2, `quo"te\d<x>`)
		f.Add(field, 3, "gr\u00fc\u00dfe-aus")
		f.Add(field, 9, "p@ss:w%rd")
	}
	f.Fuzz(func(t *testing.T, field, form int, secret string) {
		if len(secret) < 8 || !utf8.ValidString(secret) || strings.ContainsAny(secret, "*$\x00\r\n") || strings.TrimSpace(secret) != secret || strings.HasPrefix(secret, "-") {
			return // a star may come from a mask, and a dollar sign starts a variable
		}
		s := &config.Server{Name: "s", Type: config.Stdio, Command: "x", Headers: map[string]string{}}
		remote := func() { s.Type, s.Command, s.URL = config.HTTP, "", "https://host.example/mcp" }
		switch field {
		case 0:
			s.Env = []string{"API_TOKEN=" + secret}
		case 1:
			s.Args = []string{"--api-key=" + secret}
		case 2:
			s.Args = []string{"--password", secret}
		case 3:
			s.Args = []string{"--dsn=postgresql://user:" + url.QueryEscape(secret) + "@host.example/db"}
		case 4:
			remote()
			s.Headers["X-Custom"] = secret
		case 5:
			remote()
			s.Auth = config.Auth{Type: config.AuthBearer, Token: secret}
		case 6:
			remote()
			s.URL = "https://user:" + url.QueryEscape(secret) + "@host.example/mcp"
		case 7:
			remote()
			s.URL += "?x=" + url.QueryEscape(secret)
		case 8:
			s.Args = []string{"--token", "${SECRET}"}
		default:
			return
		}
		quoted, _ := json.Marshal(secret)
		forms := []string{secret, url.QueryEscape(secret), string(quoted[1 : len(quoted)-1]), fmt.Sprintf("%q", secret),
			base64.StdEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte("user:" + secret))}
		said := forms[(form%len(forms)+len(forms))%len(forms)]
		for _, opens := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var shown strings.Builder
				show := func(format string, values ...any) {
					mu.Lock()
					defer mu.Unlock()
					fmt.Fprintf(&shown, format+"\n", values...)
				}
				dial := func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
					if d.Stderr != nil {
						_, _ = io.WriteString(d.Stderr, "error: "+said+"\n")
					}
					if !opens {
						return pipe(func() (io.ReadWriteCloser, error) { return nil, errors.New("refused: " + said) }), nil
					}
					server := mcptest.New(t)
					server.Inject("", slices.Repeat([]mcptest.Fault{mcptest.Refuse(-32000, "no: "+said)}, 100)...)
					return server, nil
				}
				started, err := s.Expand(t.Context(), &config.Vars{Lookup: func(string) (string, bool) { return secret, true }})
				if err != nil {
					return
				}
				h := host.New(&host.Options{
					Dialers: host.Dialers{config.Stdio: dial, config.HTTP: dial},
					Vars:    config.Vars{Lookup: func(string) (string, bool) { return secret, true }},
					Client: &mcp.Options{Trace: &mcp.Trace{Message: func(_ context.Context, _ bool, data []byte) {
						if text, err := recording.MaskJSON(data, started.Hide); err == nil {
							show("trace %s", text)
						}
					}}},
				})
				events := h.Events(t.Context())
				go func() { // ends with the host
					for e := range events {
						show("event %+v %v", e, e.Err)
					}
				}()
				show("error %v", h.AddServer(t.Context(), s))
				_, err = h.CallTool(t.Context(), "s", "echo", nil)
				show("error %v %+v", err, err)
				for _, status := range h.Status() {
					show("status %+v", *status)
					if status.Err != nil {
						show("status %v", status.Err)
					}
				}
				show("overview %s", h.Overview())
				_ = h.Shutdown(t.Context())
				synctest.Wait()
				mu.Lock()
				defer mu.Unlock()
				for _, text := range forms {
					if strings.Contains(shown.String(), text) {
						t.Errorf("field %d, %q as %q: shown: %s", field, secret, said, shown.String())
						return
					}
				}
			})
		}
	})
}
