package oauth

import (
	"net/http"
	"strings"
	"testing"
)

// Nil and zero arguments are errors that name the argument.
func TestNilArguments(t *testing.T) {
	const server = "https://example.com/mcp"
	ctx := t.Context()
	roundTrip := func(rt http.RoundTripper, req *http.Request) error {
		resp, err := rt.RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	}
	request := func() *http.Request {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server, nil)
		if err != nil {
			t.Fatal(err)
		}
		return req
	}
	_, noSigner := NewKey(nil, "")
	_, noKey := ParseKey(nil, "")
	_, noPath := NewFile("").Load(ctx, StoreKey{})
	_, noLockPath := NewFile("").Lock(ctx, StoreKey{})
	_, noReader := (&Paste{}).Listen(ctx, "")
	_, noPasteReader := (&Loopback{Paste: &Paste{}}).Listen(ctx, "")
	for name, v := range map[string]struct {
		err  error
		want string
	}{
		"NewKey":                {noSigner, "signer"},
		"ParseKey":              {noKey, "PEM"},
		"NewFile and Load":      {noPath, "path"},
		"NewFile and Save":      {NewFile("").Save(ctx, StoreKey{}, nil), "path"},
		"NewFile and Lock":      {noLockPath, "path"},
		"Paste":                 {noReader, "In and Out"},
		"Loopback with Paste":   {noPasteReader, "In and Out"},
		"OpenBrowser":           {OpenBrowser(ctx, ""), "http"},
		"New without a URL":     {New("", nil).Login(ctx), "URL"},
		"Transport, nil":        {roundTrip(New(server, nil), nil), "nil"},
		"Transport, zero":       {roundTrip(New(server, nil), &http.Request{}), "nil"},
		"Bearer, nil":           {roundTrip(Bearer(server, Static("x"), nil), nil), "nil"},
		"Bearer without Source": {roundTrip(Bearer(server, nil, nil), request()), "Source"},
		"Header without a name": {roundTrip(StaticHeader(server, "", Static("x"), nil), request()), "header"},
	} {
		if v.err == nil || !strings.Contains(v.err.Error(), v.want) {
			t.Errorf("%s: %v does not name %q", name, v.err, v.want)
		}
	}
}
