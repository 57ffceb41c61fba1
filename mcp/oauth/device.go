package oauth

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// ErrNoBrowser is the error of an [Authorizer] that cannot show a page on this machine,
// from Listen or Authorize. If the Authorizer embeds a [Loopback] whose Device is set, the
// Transport then uses device authorization.
var ErrNoBrowser = errors.New("oauth: no browser can be opened on this machine")

// A DeviceCode is what the user needs to authorize the program on another device.
type DeviceCode struct {
	Code string // printable
	URL  string // of the page at which the user enters Code; https, or http on this machine

	// URLWithCode is the URL of a page that needs no input, for example for a QR
	// code. It may be empty. Show Code beside it, for the user to compare.
	URLWithCode string

	Expires time.Time // the user must have finished by then
}

// A Device is an Authorizer for machines without a browser: the user opens a page on
// any other device and enters a code there (device authorization, RFC 8628, which is an
// extension: no version of MCP has it).
type Device struct {
	// Show shows the user a code and the page for it, and returns without waiting for
	// the user. Nil means that both are written to Out.
	Show func(ctx context.Context, code *DeviceCode) error

	Out io.Writer // used if Show is nil
}

// Listen implements [Authorizer].
func (d *Device) Listen(context.Context, string) (Receiver, error) { return nil, ErrNoBrowser }

func (d *Device) show(ctx context.Context, c *DeviceCode) error {
	switch {
	case d.Show != nil:
		return d.Show(ctx, c)
	case d.Out == nil:
		return ruleError("", "Device needs Show or Out (both are nil)", nil)
	}
	text := "Open this page on any device:\n\n" + c.URL + "\n\nand enter the code " + c.Code +
		" within " + time.Until(c.Expires).Round(time.Second).String() + ".\n"
	if c.URLWithCode != "" {
		text += "Or open this page, and check that it shows the same code:\n\n" + c.URLWithCode + "\n\n"
	}
	_, err := io.WriteString(d.Out, text)
	return err
}

const (
	pollInterval   = 5 * time.Second  // if the server states none, and what slow_down adds
	maxDeviceTime  = 30 * time.Minute // for the user
	maxUserCode    = 64               // bytes
	maxDeviceCode  = 4 << 10
	maxDevicePages = 2 << 10
)

// check returns why t cannot use device authorization with s, or nil. There is no PKCE,
// state or iss, so a malicious MCP server could name an authorization server that passes
// on the code of another one.
func (d *Device) check(t *Transport, s *server) error {
	switch {
	case d == nil:
		return ErrNoBrowser
	case s.device == "":
		return ruleError(clean(s.issuer), "no device_authorization_endpoint in the metadata, so the server needs a login with a browser (RFC 8628, section 4)", ErrNoBrowser)
	case !t.knowsIssuer(s):
		return ruleError(clean(s.issuer), "no device authorization with an authorization server that only the MCP server names; if it is the right one, set Options.Issuer to it", ErrNoBrowser)
	}
	return nil
}

// token gets a token with device authorization. known is a stored
// registration or nil. The client is returned with an error too, if it is known.
func (d *Device) token(ctx context.Context, t *Transport, s *server, scopes []string, key *Key, known *registration) (*token, *Client, error) {
	if err := d.check(t, s); err != nil {
		return nil, nil, err
	}
	c, err := t.clientFor(ctx, s, deviceGrant, scopes, known)
	if err != nil {
		return nil, nil, err
	}
	a, err := d.request(ctx, t, s, c, scopes)
	if known != nil && c.ID == known.id && isCode(err, "unauthorized_client", "invalid_client", "invalid_request") {
		// It was registered for a browser, which oidc-provider calls an invalid request.
		if c, err = t.clientFor(ctx, s, deviceGrant, scopes, nil); err != nil {
			return nil, nil, err
		}
		a, err = d.request(ctx, t, s, c, scopes)
	}
	if err != nil {
		return nil, c, err
	}
	defer asking(ctx, a.URL)()
	if err := d.show(ctx, &a.DeviceCode); err != nil {
		return nil, c, err
	}
	k, err := a.poll(ctx, t, s, c, key)
	if err != nil {
		return nil, c, err
	}
	k.asked(scopes)
	return k, c, nil
}

// A deviceAnswer is a device authorization response.
type deviceAnswer struct {
	DeviceCode
	device   string // the code for the token requests, a secret
	interval time.Duration
}

// request sends the device authorization request (RFC 8628, section 3.1).
func (*Device) request(ctx context.Context, t *Transport, s *server, c *Client, scopes []string) (*deviceAnswer, error) {
	form := t.form(s)
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	r, err := t.postForm(ctx, s.device, &s.serverMetadata, c, form, nil)
	if err != nil {
		return nil, err
	}
	return parseDeviceAnswer(r, t.fetch)
}

// parseDeviceAnswer parses a device authorization response (RFC 8628, section 3.2).
func parseDeviceAnswer(r *response, f *fetcher) (*deviceAnswer, error) {
	a := &deviceAnswer{}
	life, interval := int64(0), int64(0)
	err := texts{
		"device_code": &a.device, "user_code": &a.Code, "verification_uri_complete": &a.URLWithCode,
		"verification_uri": &a.URL, "verification_url": &a.URL, // the second is Google's
	}.read(r.body, func(r *wire.Reader, key string) bool {
		switch key {
		case "expires_in":
			life = seconds(r)
		case "interval":
			interval = seconds(r)
		default:
			return false
		}
		return true
	})
	refuse := func(rule string, err error) (*deviceAnswer, error) {
		return nil, ruleError(r.url, "invalid device authorization response (RFC 8628, section 3.2)"+rule, err)
	}
	switch {
	case err != nil:
		return refuse("", err)
	case a.device == "" || len(a.device) > maxDeviceCode:
		return refuse(": no valid device_code", nil)
	case a.Code == "" || printable(a.Code) != a.Code || len(a.Code) > maxUserCode:
		return refuse(": no valid user_code", nil)
	case life <= 0:
		return refuse(": no valid expires_in", nil)
	}
	for _, page := range [...]*string{&a.URL, &a.URLWithCode} {
		if page == &a.URLWithCode && *page == "" {
			continue
		}
		u, err := f.parse(*page)
		if err == nil {
			*page = u.String() // which escapes what the original left unescaped, but for the query
		}
		if err != nil || len(*page) > maxDevicePages || diag.Printable(*page, 0) != *page {
			return refuse(": no valid verification_uri", err)
		}
	}
	lasts := min(time.Duration(min(life, maxLife))*time.Second, maxDeviceTime)
	a.Expires, a.interval = time.Now().Add(lasts), pollInterval
	if interval > 0 {
		a.interval = time.Duration(min(interval, maxLife)) * time.Second
	}
	if a.interval >= lasts {
		return refuse(": the interval of "+a.interval.String()+" is not shorter than the "+lasts.String()+" that the code is valid", nil)
	}
	return a, nil
}

// poll requests the token until the user has answered (RFC 8628, sections 3.4 and
// 3.5).
func (a *deviceAnswer) poll(ctx context.Context, t *Transport, s *server, c *Client, key *Key) (*token, error) {
	form := t.form(s, "grant_type", deviceGrant, "device_code", a.device)
	began, wait := time.Now(), a.interval
	for last := error(nil); ; {
		due := wait <= time.Until(a.Expires)
		if !retry.Sleep(ctx, min(wait, time.Until(a.Expires))) {
			return nil, unanswered(a.URL, time.Since(began), context.Cause(ctx))
		}
		if !due {
			return nil, unanswered(a.URL, time.Since(began), last)
		}
		k, err := t.requestToken(ctx, &s.serverMetadata, c, form, key)
		last = nil
		switch {
		case isCode(err, "authorization_pending"):
		case isCode(err, "slow_down"):
			wait += pollInterval
		case isCode(err, "expired_token"):
			return nil, unanswered(a.URL, time.Since(began), nil)
		case isTransient(err), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			last, wait = err, min(2*wait, maxDeviceTime)
		default:
			return k, err
		}
	}
}
