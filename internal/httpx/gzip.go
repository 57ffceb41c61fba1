package httpx

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
)

const acceptEncoding = "Accept-Encoding"

// AcceptGzip makes a Client decompress the responses to requests with header h.
// net/http does that by itself for requests without h, but makes a header of its own
// for each.
func AcceptGzip(h http.Header) { h[acceptEncoding] = []string{"gzip"} }

// acceptsGzip reports whether AcceptGzip was called with h. Other headers refuse
// compression.
func acceptsGzip(h http.Header) bool {
	list := h[acceptEncoding]
	return len(list) == 1 && list[0] == "gzip"
}

// mayUnzip reports whether the Client, and not its RoundTripper, decompresses.
func (c *Client) mayUnzip() bool { return c.own != nil && !c.own.transport.DisableCompression }

// setEncoding undoes AcceptGzip in h, the header of a request, if the program sets the
// field or has a RoundTripper, which may read responses itself.
func (c *Client) setEncoding(h http.Header) {
	if own := c.header[acceptEncoding]; own != nil {
		h[acceptEncoding] = own
	} else if acceptsGzip(h) && !c.mayUnzip() {
		delete(h, acceptEncoding)
	}
}

// unzip makes the Body of resp that of a response that was not compressed, as net/http
// does.
func unzip(resp *http.Response) {
	if !strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		return
	}
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength, resp.Uncompressed = -1, true
	resp.Body = &unzipped{ReadCloser: resp.Body}
}

// unzipped decompresses a body. Close may be called during Read.
type unzipped struct {
	io.ReadCloser
	r   *gzip.Reader // nil before the first Read
	err error        // of the first Read
}

func (u *unzipped) Read(p []byte) (int, error) {
	if u.r == nil && u.err == nil {
		u.r, u.err = gzip.NewReader(u.ReadCloser)
	}
	if u.err != nil {
		return 0, u.err
	}
	return u.r.Read(p)
}
