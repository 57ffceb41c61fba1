package httpx

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestGzip: a Client decompresses by itself only with a transport of its own, and the
// program's header comes first.
func TestGzip(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("text ", 1000)
	asked := make(chan []string, 1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header[acceptEncoding]
		if r.Header.Get(acceptEncoding) != "gzip" {
			_, _ = io.WriteString(w, text)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, text)
		_ = z.Close()
	}))
	defer web.Close()
	for name, tt := range map[string]struct {
		client *http.Client
		header http.Header
		want   []string
	}{
		"own":            {nil, nil, []string{"gzip"}},
		"own, header":    {nil, http.Header{"X-Test": {"1"}}, []string{"gzip"}},
		"identity":       {nil, http.Header{"accept-encoding": {"identity"}}, []string{"identity"}},
		"of a program":   {&http.Client{Transport: seeing{t}}, nil, []string{"gzip"}},
		"both":           {&http.Client{Transport: new(http.Transport)}, http.Header{acceptEncoding: {"identity"}}, []string{"identity"}},
		"no compression": {&http.Client{Transport: &http.Transport{DisableCompression: true}}, nil, nil},
	} {
		c, err := New("", tt.client, tt.header)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		u, err := Parse(web.URL)
		if err != nil {
			t.Fatal(err)
		}
		h := make(http.Header)
		AcceptGzip(h)
		resp, err := c.Do(t.Context(), &Request{Method: http.MethodPost, URL: u, Header: h, Body: []byte("{}")})
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if sent := <-asked; err != nil || string(got) != text || !slices.Equal(sent, tt.want) {
			t.Errorf("%s: %d bytes, %v; asked for %q", name, len(got), err, sent)
		}
		if zipped := slices.Equal(tt.want, []string{"gzip"}); resp.Uncompressed != zipped || zipped && resp.ContentLength != -1 || resp.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %+v", name, resp)
		}
	}
}

// seeing is a RoundTripper that reads what a program would.
type seeing struct{ t *testing.T }

func (s seeing) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if r.Header[acceptEncoding] != nil || err == nil && !resp.Uncompressed {
		s.t.Error("a program's RoundTripper sees a compressed response")
	}
	return resp, err
}
