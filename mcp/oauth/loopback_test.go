package oauth

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// open returns what Loopback.Open can be: a browser that agrees.
func (e *env) open(ctx context.Context, page string) error {
	response, err := agree(ctx, e.base, page)
	if err != nil {
		return err
	}
	_, err = e.visit(response)
	return err
}

// visit opens a page and returns it.
func (e *env) visit(page string) (string, error) {
	req, err := http.NewRequest("GET", page, nil)
	if err != nil {
		return "", err
	}
	resp, err := e.base.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.Status + " " + string(body), err
}

func TestLoopback(t *testing.T) {
	e := newEnv(t)
	tr := e.transport(func(o *Options) { o.Authorizer = &Loopback{Open: e.open} })
	e.mustGet(tr)
	first := e.forms[0].Get("redirect_uri")
	if u, err := url.Parse(first); err != nil || u.Scheme != "http" || u.Hostname() != "127.0.0.1" || u.Port() == "" || u.Path != "/callback" {
		t.Errorf("redirect URI %s", first)
	}
	// The next time it is the same, which spares a registration.
	e.forgetAccess()
	clear(e.refresh)
	e.mustGet(tr)
	if e.count("/register") != 1 {
		t.Error("registered again")
	}
	// If the port is taken, it is another.
	u, _ := url.Parse(first)
	ln, err := net.Listen("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	e.forgetAccess()
	clear(e.refresh)
	e.mustGet(tr)
	if e.count("/register") != 2 {
		t.Error("not registered again")
	}
}

// Only the answer that is waited for ends the waiting, and only once.
func TestLoopbackAcceptsOneResponse(t *testing.T) {
	e := newEnv(t)
	in, err := (&Loopback{Open: func(context.Context, string) error { return nil }}).Listen(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	type result struct {
		response string
		err      error
	}
	done := make(chan result, 1)
	go func() { // ends with the answer
		a, err := in.Authorize(t.Context(), "https://as.example.com/authorize?state=abc")
		done <- result{a, err}
	}()
	uri := in.RedirectURI()
	base := strings.TrimSuffix(uri, "/callback")
	for _, page := range []string{base + "/", base + "/favicon.ico", uri, uri + "?code=x", uri + "?code=x&state=abd", uri + "?state=abd&state=abc"} {
		if got, err := e.visit(page); err != nil || !strings.HasPrefix(got, "400") || !strings.Contains(got, "does not belong") {
			t.Errorf("%s: %s, %v", page, got, err)
		}
	}
	// Another name for this machine is that of a page which wants to get in.
	req, _ := http.NewRequest("GET", uri+"?code=x&state=abc", nil)
	req.Host = "evil.example.com"
	if resp, err := e.base.RoundTrip(req); err != nil || resp.StatusCode != 400 {
		t.Error(resp, err)
	} else {
		resp.Body.Close()
	}
	select {
	case r := <-done:
		t.Fatalf("ended with %+v", r)
	default:
	}
	got, err := e.visit(uri + "?code=x&state=abc&iss=y")
	if err != nil || !strings.HasPrefix(got, "200") || !strings.Contains(got, "close this page") {
		t.Error(got, err)
	}
	if r := <-done; r.err != nil || r.response != uri+"?code=x&state=abc&iss=y" {
		t.Errorf("%+v", r)
	}
	if got, err := e.visit(uri + "?code=x&state=abc"); err == nil {
		t.Errorf("still there: %s", got)
	}
}

func TestLoopbackEnds(t *testing.T) {
	l := &Loopback{Open: func(context.Context, string) error { return nil }, Timeout: time.Millisecond}
	in, err := l.Listen(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Authorize(t.Context(), "https://as.example.com/authorize?state=abc"); errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "https://as.example.com/authorize: the user did not log in at this page within 1ms") {
		t.Error(err)
	}
	broken := errors.New("no browser")
	l.Open = func(context.Context, string) error { return broken }
	if in, err = l.Listen(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Authorize(t.Context(), "https://as.example.com/authorize?state=abc"); err != broken {
		t.Error(err)
	}
}

func TestLoopbackRedirectURI(t *testing.T) {
	for _, uri := range []string{"https://127.0.0.1/cb", "http://example.com/cb", "http://10.0.0.1/cb", "http://127.0.0.1/cb?x=1", "http://127.0.0.1/cb#f", "http://u@127.0.0.1/cb", ":"} {
		if _, err := (&Loopback{RedirectURI: uri}).Listen(t.Context(), ""); err == nil {
			t.Errorf("%s is accepted", uri)
		}
	}
	in, err := (&Loopback{RedirectURI: "http://localhost/cb"}).Listen(t.Context(), "http://localhost:1/other")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if uri := in.RedirectURI(); !strings.HasPrefix(uri, "http://localhost:") || !strings.HasSuffix(uri, "/cb") {
		t.Error(uri)
	}
	u, _ := url.Parse(in.RedirectURI())
	if _, err := (&Loopback{RedirectURI: "http://127.0.0.1:" + u.Port() + "/cb"}).Listen(t.Context(), ""); err == nil {
		t.Error("listens at a port that is taken")
	}
}

// A name below localhost may resolve to another address.
func TestLoopbackListensOnThisMachine(t *testing.T) {
	in, err := (&Loopback{RedirectURI: "http://app.localhost/cb"}).Listen(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if addr := in.(*receiver).ln[0].Addr().(*net.TCPAddr); !addr.IP.IsLoopback() || !strings.HasPrefix(in.RedirectURI(), "http://app.localhost:") {
		t.Error(addr, in.RedirectURI())
	}
	if _, err := (&Loopback{RedirectURI: "http://127.0.0.1:65536/cb"}).Listen(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "invalid port 65536") {
		t.Error(err)
	}
}

func TestPaste(t *testing.T) {
	e := newEnv(t)
	var shown bytes.Buffer
	answers, person := io.Pipe()
	p := &Paste{In: answers, Out: writerFunc(func(b []byte) (int, error) {
		shown.Write(b)
		go func() { // ends with the answer
			page := string(b[bytes.Index(b, []byte("http")):])
			page, _, _ = strings.Cut(page, "\n")
			response, err := agree(context.Background(), e.base, page)
			if err != nil {
				person.CloseWithError(err)
			}
			_, _ = io.WriteString(person, response+"\r\n")
		}()
		return len(b), nil
	})}
	e.mustGet(e.transport(func(o *Options) { o.Authorizer = p }))
	if got := e.forms[0].Get("redirect_uri"); got != defaultRedirect {
		t.Errorf("redirect URI %s", got)
	}

	// A code alone lacks what shows whose it is.
	for in, want := range map[string]string{"code-123\n": "does not match the redirect URI", "http://127.0.0.1/callback?code=x": "state", "": "EOF"} {
		p := &Paste{In: iotest.OneByteReader(strings.NewReader(in)), Out: io.Discard}
		e.mustFail(e.transport(func(o *Options) { o.Authorizer = p }), want)
	}
}

// Whichever comes first counts: the answer of a browser here, or one from
// elsewhere that is pasted.
func TestLoopbackAndPaste(t *testing.T) {
	e := newEnv(t)
	in, person := io.Pipe()
	defer person.Close()
	shown := make(chan string, 10)
	paste := &Paste{In: in, Out: writerFunc(func(b []byte) (int, error) { shown <- string(b); return len(b), nil })}
	l := &Loopback{Open: func(context.Context, string) error { return errors.New("no browser") }, Paste: paste}
	tr := e.transport(func(o *Options) { o.Authorizer = l })
	login := func() <-chan error {
		done := make(chan error, 1)
		go func() { done <- tr.Login(t.Context()) }() // ends with the answer
		return done
	}
	page := func() string {
		text := <-shown
		text = text[strings.Index(text, "http"):]
		text, _, _ = strings.Cut(text, "\n")
		return text
	}
	done := login()
	response, err := agree(t.Context(), e.base, page())
	if err != nil {
		t.Fatal(err)
	}
	if u, err := url.Parse(response); err != nil || u.Port() == "" {
		t.Errorf("nothing listens at %s", response)
	}
	_, _ = io.WriteString(person, "\n \nwhat?\n")
	if text := <-shown; !strings.Contains(text, "This is another address. Paste the one that begins with http://127.0.0.1:") {
		t.Error(text)
	}
	_, _ = io.WriteString(person, response+"\r\n")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	// The browser is first; what is pasted afterwards is for the next time.
	l.Open = e.open
	done = login()
	page()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	l.Open = func(context.Context, string) error { return nil }
	done = login()
	if response, err = agree(t.Context(), e.base, page()); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(person, response+"\n")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	// No more input comes.
	person.Close()
	l.Open = e.open
	done = login()
	page()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestPasteEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pr, pw := io.Pipe()
		defer pw.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		in, _ := (&Paste{In: pr, Out: io.Discard, RedirectURI: "https://app.example.com/cb"}).Listen(ctx, "")
		defer in.Close()
		if _, err := in.Authorize(ctx, "https://as.example.com"); !errors.Is(err, context.DeadlineExceeded) || in.RedirectURI() != "https://app.example.com/cb" {
			t.Error(err)
		}
	})
}

func TestBrowserCommand(t *testing.T) {
	const page = "https://as.example.com/authorize?a=1&b=%22%26calc"
	for system, want := range map[string][]string{
		"linux":   {"xdg-open", page},
		"darwin":  {"/usr/bin/open", page},
		"windows": {"rundll32", "url.dll,FileProtocolHandler", page},
	} {
		name, args, err := browserCommand(system, page)
		if got := append([]string{name}, args...); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", system, got, err)
		}
	}
	for _, page := range []string{"javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "vbscript:x", "-a", "", "https:///x", "https:x", "/etc/passwd", "calc.exe", "http://[::1"} {
		if err := OpenBrowser(t.Context(), page); err == nil {
			t.Errorf("%q is opened", page)
		}
	}
}
