package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A screen is a Device that remembers what it showed.
type screen struct {
	*Device
	shown []*DeviceCode
}

func newScreen() *screen {
	s := &screen{}
	s.Device = &Device{Show: func(_ context.Context, c *DeviceCode) error {
		s.shown = append(s.shown, c)
		return nil
	}}
	return s
}

// inDeviceEnv runs f with an env that offers device authorization, in a bubble.
func inDeviceEnv(t *testing.T, answer func(poll int) string, f func(t *testing.T, e *env, open func(func(*Options)) *Transport)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e, network := newMemoryEnv(t)
		e.offerDevice(answer)
		f(t, e, func(change func(*Options)) *Transport {
			tr := e.transport(func(o *Options) {
				o.Issuer, o.Authorizer = e.as.URL, newScreen()
				if change != nil {
					change(o)
				}
			})
			tr.fetch.rt.DialContext = network.dial
			t.Cleanup(tr.CloseIdleConnections)
			return tr
		})
	})
}

func pendingUntil(poll int) func(int) string {
	return func(n int) string {
		if n < poll {
			return "authorization_pending"
		}
		return ""
	}
}

func TestDeviceAuthorization(t *testing.T) {
	inDeviceEnv(t, pendingUntil(4), func(t *testing.T, e *env, open func(func(*Options)) *Transport) {
		var out strings.Builder
		e.device = func(_ url.Values, m map[string]any) {
			m["verification_uri_complete"] = e.as.URL + "/device-page?code=ABCD-EFGH"
		}
		store := NewMemory()
		tr := open(func(o *Options) { o.Authorizer, o.Store, o.Scopes = &Device{Out: &out}, store, []string{"read"} })
		start := time.Now()
		e.mustGet(tr)
		if d := time.Since(start); d != 4*pollInterval {
			t.Errorf("took %v", d)
		}
		for _, want := range []string{"ABCD-EFGH", e.as.URL + "/device-page\n", "?code=ABCD-EFGH", "15m0s"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is not shown: %s", want, &out)
			}
		}
		for _, form := range e.forms {
			if form.Get("resource") != e.url() || form.Has("code_verifier") || form.Has("redirect_uri") {
				t.Errorf("%v", form)
			}
		}
		if got := e.forms[0].Get("scope"); got != "read" || tr.tok.granted[0] != "read" {
			t.Errorf("scope %q, granted %q", got, tr.tok.granted)
		}
		e.forgetAccess()
		e.mustGet(tr)
		if e.count("refresh_token") != 1 {
			t.Error("not refreshed")
		}
		// The registration is used again, and is one for this grant alone.
		if err := tr.Login(t.Context()); err != nil || e.count("/register") != 1 {
			t.Errorf("%v, registered %d times", err, e.count("/register"))
		}
		for _, m := range e.clients {
			if m["redirect_uris"] == nil || len(m["redirect_uris"].([]any)) != 0 || m["grant_types"].([]any)[0] != deviceGrant || len(m["response_types"].([]any)) != 0 {
				t.Errorf("registered as %v", m)
			}
		}
		// It has no redirect URI, so a browser needs another one.
		e.mustGet(open(func(o *Options) { o.Authorizer, o.Store = &robotUser{e: e}, store }))
		if err := open(func(o *Options) { o.Authorizer, o.Store = &robotUser{e: e}, store }).Login(t.Context()); err != nil || e.count("/register") != 2 {
			t.Errorf("%v, registered %d times", err, e.count("/register"))
		}
	})
}

// A client that was registered for a browser only is registered again.
func TestDeviceNeedsAnotherRegistration(t *testing.T) {
	inDeviceEnv(t, pendingUntil(1), func(t *testing.T, e *env, open func(func(*Options)) *Transport) {
		store := NewMemory()
		e.mustGet(open(func(o *Options) { o.Authorizer, o.Store = &robotUser{e: e}, store }))
		if err := open(func(o *Options) { o.Store = store }).Login(t.Context()); err != nil || e.count("/register") != 2 {
			t.Errorf("%v, registered %d times", err, e.count("/register"))
		}
	})
}

// Without a browser, Loopback uses device authorization, if that is possible.
func TestLoopbackWithoutBrowser(t *testing.T) {
	noBrowser := errors.New("no browser")
	for name, tt := range map[string]struct {
		change  func(e *env, o *Options)
		refuses bool // the registration for both
		codes   int
		want    string
	}{
		"offered":            {nil, false, 1, ""},
		"registered without": {nil, true, 1, ""},
		"not offered":        {func(e *env, o *Options) { delete(e.meta, "device_authorization_endpoint") }, false, 0, "no browser"},
		"unknown issuer":     {func(e *env, o *Options) { o.Issuer = "" }, false, 0, "no browser"},
		"no Device":          {func(e *env, o *Options) { o.Authorizer.(*Loopback).Device = nil }, false, 0, "no browser"},
		"Device alone": {func(e *env, o *Options) {
			delete(e.meta, "device_authorization_endpoint")
			o.Authorizer = &Device{}
		}, false, 0, "no device_authorization_endpoint"},
		"Device alone, unknown issuer": {func(e *env, o *Options) { o.Issuer, o.Authorizer = "", &Device{} }, false, 0, "set Options.Issuer"},
		"trusted":                      {func(e *env, o *Options) { o.Issuer, o.TrustDiscoveredIssuer = "", true }, false, 1, ""},
		"no PKCE": {func(e *env, o *Options) {
			delete(e.meta, "code_challenge_methods_supported")
			o.Authorizer = o.Authorizer.(*Loopback).Device
		}, false, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // no bubble has a listener, so that each waits for the interval
			e := newEnv(t)
			e.offerDevice(pendingUntil(1))
			e.device = func(_ url.Values, m map[string]any) { m["interval"] = "1" }
			if tt.refuses {
				e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
					body := readAll(r)
					both := r.URL.Path == "/register" && strings.Contains(body, deviceGrant) && strings.Contains(body, "authorization_code")
					if both {
						reply(rw, 400, map[string]string{"error": "invalid_client_metadata"})
					}
					return both
				}
			}
			screen := newScreen()
			tr := e.transport(func(o *Options) {
				o.Issuer = e.as.URL
				o.Authorizer = &Loopback{Open: func(context.Context, string) error { return noBrowser }, Device: screen.Device}
				if tt.change != nil {
					tt.change(e, o)
				}
			})
			if tt.want != "" {
				e.mustFail(tr, tt.want)
			} else {
				e.mustGet(tr)
			}
			if len(screen.shown) != tt.codes {
				t.Errorf("%d codes are shown", len(screen.shown))
			}
		})
	}
}

// What a server may say to a poll, and when the next one is due.
func TestPolls(t *testing.T) {
	for name, tt := range map[string]struct {
		interval any
		answers  []string // of the polls; the last one repeats
		waits    []int    // before the polls, in seconds
		want     string   // the error
	}{
		"no interval":        {nil, []string{"authorization_pending", ""}, []int{5, 5}, ""},
		"interval":           {30, []string{"authorization_pending", ""}, []int{30, 30}, ""},
		"interval of 0":      {0, []string{""}, []int{5}, ""},
		"negative interval":  {-7, []string{""}, []int{5}, ""},
		"slow_down":          {1, []string{"slow_down", "authorization_pending", "slow_down", ""}, []int{1, 6, 6, 11}, ""},
		"denied":             {nil, []string{"authorization_pending", "access_denied"}, []int{5, 5}, "access_denied"},
		"expired":            {nil, []string{"expired_token"}, []int{5}, "the user did not log in at this page within 5s"},
		"another error":      {nil, []string{"invalid_grant"}, []int{5}, "invalid_grant"},
		"endless":            {300, []string{"authorization_pending"}, []int{300, 300, 300}, "the user did not log in at this page within 15m0s"},
		"endless slow_down":  {300, []string{"slow_down"}, []int{300, 305}, "the user did not log in at this page within 15m0s"},
		"interval too long":  {900, []string{""}, nil, "the interval of 15m0s is not shorter than the 15m0s"},
		"huge interval":      {1e300, []string{""}, nil, "is not shorter"},
		"out of order":       {2, []string{"503", "503", "authorization_pending", ""}, []int{2, 4, 8, 8}, ""},
		"too many requests":  {2, []string{"429", ""}, []int{2, 4}, ""},
		"out of order, ever": {100, []string{"503"}, []int{100, 200, 400}, "the user did not log in at this page within 15m0s"},
		"broken connections": {2, []string{"break", "break", ""}, []int{2, 4, 8}, ""},
		"no answers":         {2, []string{"hang", ""}, []int{2, 4 + 30}, ""},
	} {
		inDeviceEnv(t, pendingUntil(1), func(t *testing.T, e *env, open func(func(*Options)) *Transport) {
			e.device = func(_ url.Values, m map[string]any) {
				if tt.interval != nil {
					m["interval"] = tt.interval
				}
			}
			var waits []int
			last := time.Now()
			e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/token" {
					return false
				}
				waits = append(waits, int(time.Since(last)/time.Second))
				last = time.Now()
				switch code := tt.answers[min(len(waits), len(tt.answers))-1]; code {
				case "":
					return false
				case "503", "429":
					rw.WriteHeader(map[string]int{"503": 503, "429": 429}[code])
				case "break":
					panic(http.ErrAbortHandler)
				case "hang":
					_, _ = io.Copy(io.Discard, r.Body)
					<-r.Context().Done()
				default:
					reply(rw, 400, map[string]string{"error": code})
				}
				return true
			}
			tr := open(nil)
			if tt.want != "" {
				e.mustFail(tr, tt.want)
				if err := e.mustFail(tr, tt.want); len(waits) != len(tt.waits) {
					t.Errorf("%s: the user is asked again: %v", name, err)
				}
			} else {
				e.mustGet(tr)
			}
			if fmt.Sprint(waits) != fmt.Sprint(tt.waits) {
				t.Errorf("%s: waits %v, want %v", name, waits, tt.waits)
			}
		})
	}
}

// A rude server is refused before the user is asked.
func TestDeviceAnswersOfRudeServers(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(m map[string]any)
		body   string
		status int
		want   string // empty if it is not an error
	}{
		"no device_code":         {change: func(m map[string]any) { delete(m, "device_code") }, want: "device_code"},
		"long device_code":       {change: func(m map[string]any) { m["device_code"] = strings.Repeat("x", 5000) }, want: "device_code"},
		"no user_code":           {change: func(m map[string]any) { delete(m, "user_code") }, want: "user_code"},
		"control characters":     {change: func(m map[string]any) { m["user_code"] = "AB\x1b[2J\r\nCD" }, want: "user_code"},
		"invisible characters":   {change: func(m map[string]any) { m["user_code"] = "AB\u202eCD\u200b" }, want: "user_code"},
		"long user_code":         {change: func(m map[string]any) { m["user_code"] = strings.Repeat("A", 65) }, want: "user_code"},
		"a user_code as number":  {change: func(m map[string]any) { m["user_code"] = 7 }, want: "invalid device authorization response"},
		"no page":                {change: func(m map[string]any) { delete(m, "verification_uri") }, want: "verification_uri"},
		"javascript:":            {change: func(m map[string]any) { m["verification_uri"] = "javascript:alert(1)" }, want: "verification_uri"},
		"file:":                  {change: func(m map[string]any) { m["verification_uri"] = "file:///etc/passwd" }, want: "verification_uri"},
		"http elsewhere":         {change: func(m map[string]any) { m["verification_uri"] = "http://example.com/device" }, want: "verification_uri"},
		"a page with a password": {change: func(m map[string]any) { m["verification_uri"] = "https://u:p@example.com/device" }, want: "verification_uri"},
		"a long page":            {change: func(m map[string]any) { m["verification_uri"] = "https://example.com/" + strings.Repeat("x", 3000) }, want: "verification_uri"},
		"a page with controls":   {change: func(m map[string]any) { m["verification_uri"] = "https://example.com/?x=\u009b2J" }, want: "verification_uri"},
		"a reversed page":        {change: func(m map[string]any) { m["verification_uri_complete"] = "https://example.com/?x=\u202e" }, want: "verification_uri"},
		"javascript: with code":  {change: func(m map[string]any) { m["verification_uri_complete"] = "javascript:alert(1)" }, want: "verification_uri"},
		"Google's name": {change: func(m map[string]any) {
			delete(m, "verification_uri")
			m["verification_url"] = "https://example.com/device"
		}},
		"null":              {change: func(m map[string]any) { m["verification_uri_complete"], m["interval"] = nil, nil }},
		"no expiry":         {change: func(m map[string]any) { delete(m, "expires_in") }, want: "expires_in"},
		"negative expiry":   {change: func(m map[string]any) { m["expires_in"] = -900 }, want: "expires_in"},
		"huge expiry":       {change: func(m map[string]any) { m["expires_in"] = 1e300 }},
		"expiry as text":    {change: func(m map[string]any) { m["expires_in"] = "900" }},
		"an error with 200": {body: `{"error":"access_denied"}`, status: 200, want: "access_denied"},
		"HTML":              {body: `<html>hello`, status: 200, want: "invalid device authorization response"},
		"HTML with 400":     {body: `<html>hello`, status: 400, want: "400 Bad Request"},
		"10 MiB":            {body: strings.Repeat(" ", 10<<20), status: 200, want: "larger than 1 MiB"},
		"a redirect":        {status: 307, want: "redirected a request that has secrets"},
		"slow_down at once": {body: `{"error":"slow_down"}`, status: 400, want: "slow_down"},
	} {
		inDeviceEnv(t, pendingUntil(1), func(t *testing.T, e *env, open func(func(*Options)) *Transport) {
			if tt.change != nil {
				e.device = func(_ url.Values, m map[string]any) { tt.change(m) }
			} else {
				e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
					if r.URL.Path != "/device" {
						return false
					}
					rw.Header().Set("Content-Type", map[bool]string{true: "application/json", false: "text/html"}[strings.HasPrefix(tt.body, "{")])
					rw.Header().Set("Location", "/token")
					rw.WriteHeader(tt.status)
					_, _ = rw.Write([]byte(tt.body))
					return true
				}
			}
			screen := newScreen()
			tr := open(func(o *Options) { o.Authorizer = screen })
			if tt.want == "" {
				e.mustGet(tr)
				if c := screen.shown[0]; !strings.HasPrefix(c.URL, "http") || time.Until(c.Expires) > maxDeviceTime {
					t.Errorf("%s: %+v", name, c)
				}
				return
			}
			if e.mustFail(tr, tt.want); len(screen.shown) > 0 {
				t.Errorf("%s: shown", name)
			}
		})
	}
}

// Answers to a poll that are neither a token nor an error end the login.
func TestTokenAnswersOfRudeServers(t *testing.T) {
	for body, want := range map[string]string{
		`<html>hello`:                                     "invalid token response",
		strings.Repeat(" ", 10<<20):                       "larger than 1 MiB",
		`{"access_token":"x","token_type":"mac"}`:         "token_type",
		`{"error":"authorization_pending` + "\x00" + `"}`: "invalid token response",
		`{"error":"unknown` + `\u001b[2J"}`:               `unknown`,
	} {
		inDeviceEnv(t, pendingUntil(1), func(t *testing.T, e *env, open func(func(*Options)) *Transport) {
			e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/token" {
					_, _ = rw.Write([]byte(body))
				}
				return r.URL.Path == "/token"
			}
			if err := e.mustFail(open(nil), want); strings.ContainsRune(err.Error(), 0x1b) {
				t.Errorf("%q", err)
			}
		})
	}
}

// The device code is a secret, which the fake server quotes in refusals; the checks are in mustFail.
func TestDeviceCodeIsHidden(t *testing.T) {
	inDeviceEnv(t, func(int) string { return "invalid_request" }, func(t *testing.T, e *env, open func(func(*Options)) *Transport) {
		err := e.mustFail(open(nil), "refused: ", "***")
		if s := fmt.Sprint(err); strings.Contains(s, mark) {
			t.Error(s)
		}
	})
}

// The endpoint is checked as every other one is.
func TestDeviceEndpointIsChecked(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://example.com/device": "device_authorization_endpoint", "javascript:1": "device_authorization_endpoint",
		"https://u:p@example.com/device": "device_authorization_endpoint", "https://example.com/device#f": "device_authorization_endpoint",
	} {
		inDeviceEnv(t, pendingUntil(1), func(t *testing.T, e *env, open func(func(*Options)) *Transport) {
			e.meta["device_authorization_endpoint"] = endpoint
			e.mustFail(open(nil), want)
		})
	}
}

// The token is bound to a key, as that for a code is.
func TestDeviceWithDPoP(t *testing.T) {
	inDeviceEnv(t, pendingUntil(2), func(t *testing.T, e *env, open func(func(*Options)) *Transport) {
		e.meta["dpop_signing_alg_values_supported"] = []string{"ES256"}
		e.dpopNonces = true
		tr := open(func(o *Options) { o.DPoP = DPoPAlways })
		e.mustGet(tr)
		if !tr.tok.dpop || len(e.polls) != 2 {
			t.Errorf("bound: %v, %d polls", tr.tok.dpop, len(e.polls))
		}
	})
}

// A secret authenticates the client in both requests.
func TestDeviceWithSecret(t *testing.T) {
	inDeviceEnv(t, pendingUntil(1), func(t *testing.T, e *env, open func(func(*Options)) *Transport) {
		e.clients["given"] = map[string]any{"client_secret": "given-" + mark}
		e.meta["token_endpoint_auth_methods_supported"] = []string{methodBasic}
		e.mustGet(open(func(o *Options) { o.Client = Client{ID: "given", Secret: "given-" + mark} }))
	})
}

// The program gives up while the user is at the page.
func TestDeviceLoginIsCanceled(t *testing.T) {
	inDeviceEnv(t, pendingUntil(1000), func(t *testing.T, e *env, open func(func(*Options)) *Transport) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := open(nil).Login(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "/device-page: the user did not log in at this page within 1m0s") {
			t.Error(err)
		}
	})
}

func TestDeviceWithoutOut(t *testing.T) {
	if err := (&Device{}).show(t.Context(), &DeviceCode{}); err == nil {
		t.Error("no error")
	}
}

// readAll reads the body of a request, which can be read again.
func readAll(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	return string(body)
}
