package httpx

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// The time that a server asks to wait is clamped to these.
	minRetryAfter, maxRetryAfter = time.Second, 5 * time.Minute

	// maxQuoted is the limit of the part of a body in an error, in bytes.
	maxQuoted = 200
)

// A StatusError describes an invalid response: its status is an error or, if the
// status is 2xx, its content type is wrong. In the second case it matches
// jsonrpc.ErrMalformed.
type StatusError struct {
	Method, URL     string // without user, password and query
	Status          int
	ContentType     string        // the media type
	Want            string        // the expected content type, if Status is 2xx
	RetryAfter      time.Duration // between 1 s and 5 min; 0 if the server sets none
	WWWAuthenticate []string      // the challenges
	Body            string        // at most 4 KiB, printable

	encoding string // Content-Encoding of the body, if any
}

// Check returns nil if the status of resp is 2xx and its media type is one of
// want, or want is empty. Otherwise it closes the body and returns a
// [*StatusError].
func Check(resp *http.Response, want ...string) error {
	ok := resp.StatusCode/100 == 2
	if ok && len(want) == 0 {
		return nil
	}
	if ok && encoding(resp) == "" && slices.Contains(want, MediaType(resp.Header)) {
		return nil
	}
	return NewStatusError(resp, strings.Join(want, " or "))
}

// encoding returns the Content-Encoding of resp, if any. Package net/http decodes
// gzip if it asked for that, and removes the field.
func encoding(resp *http.Response) string {
	s := strings.ToLower(resp.Header.Get("Content-Encoding"))
	if s == "identity" {
		return ""
	}
	return s
}

// NewStatusError returns the error for an invalid response, and closes its body.
// want is the expected content type.
func NewStatusError(resp *http.Response, want string) *StatusError {
	data, _ := readPrefix(resp)
	hidden := diag.NewRedactor(secrets(resp.Request)...)
	challenges := slices.Clone(resp.Header.Values("WWW-Authenticate"))
	for i, text := range challenges {
		challenges[i] = hidden.Redact(text)
	}
	return &StatusError{
		Method:          resp.Request.Method,
		URL:             Clean(resp.Request.URL),
		Status:          resp.StatusCode,
		ContentType:     hidden.Redact(MediaType(resp.Header)),
		Want:            want,
		RetryAfter:      retryAfter(resp.Header.Get("Retry-After")),
		WWWAuthenticate: challenges,
		Body:            diag.PrintableWithout(string(data), 0, secrets(resp.Request)...),
		encoding:        encoding(resp),
	}
}

// retryAfter returns the time of a Retry-After field, which contains a number of
// seconds or a date.
func retryAfter(field string) time.Duration {
	if field == "" {
		return 0
	}
	var wait time.Duration
	if n, err := strconv.ParseUint(field, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		wait = time.Duration(min(n, 1000)) * time.Second
	} else if t, err := http.ParseTime(field); err == nil {
		wait = time.Until(t)
	} else {
		return 0
	}
	return min(max(wait, minRetryAfter), maxRetryAfter)
}

func (e *StatusError) Error() string {
	s := e.Method + " " + e.URL + ": " + statusText(e.Status)
	switch {
	case e.Status/100 == 2:
		got := e.ContentType
		if got == "" {
			got = "no content type"
		}
		if e.encoding != "" {
			got += " encoded in " + e.encoding
		}
		s += " with " + got + " instead of " + e.Want
	case e.Status == http.StatusUnauthorized:
		s += ", the server asks for authorization"
	case e.Status == http.StatusForbidden:
		s += ", the server refuses access"
	case e.Status == http.StatusNotFound:
		s += ", there is nothing at this URL"
	case e.Status == http.StatusMethodNotAllowed:
		s += ", the URL is not one for this transport"
	case e.Status == http.StatusTooManyRequests:
		s += ", the server asks for fewer requests"
	case e.Status/100 == 5:
		s += ", the server or something in front of it failed"
	}
	if e.RetryAfter > 0 {
		s += ", try again in " + e.RetryAfter.Round(time.Second).String()
	}
	return s + e.quoted()
}

// quoted returns the beginning of the body for the end of a message.
func (e *StatusError) quoted() string {
	switch {
	case e.isPage():
		return " (a web page)"
	case e.Body != "":
		return " (" + diag.Printable(e.Body, maxQuoted) + ")"
	}
	return ""
}

// Quote returns the beginning of a body that was read, for the end of a message.
func Quote(resp *http.Response, body []byte) string {
	resp.Body = io.NopCloser(bytes.NewReader(body))
	e := NewStatusError(resp, "")
	if e.encoding != "" {
		return " (it is encoded in " + diag.Printable(e.encoding, maxQuoted) + ")"
	}
	return e.quoted()
}

// isPage reports whether the body is a web page.
func (e *StatusError) isPage() bool {
	return strings.Contains(e.ContentType, "html") || strings.HasPrefix(e.Body, "<")
}

// Is reports whether target is jsonrpc.ErrMalformed and the status is 2xx.
func (e *StatusError) Is(target error) bool {
	return target == jsonrpc.ErrMalformed && e.Status/100 == 2
}

// Temporary reports whether the same request may succeed later.
func (e *StatusError) Temporary() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Permanent reports whether the server refuses the same request later, too.
func (e *StatusError) Permanent() bool { return !e.Temporary() }

// Unauthorized reports whether the server refuses every request without another
// authorization.
func (e *StatusError) Unauthorized() bool { return e.Status == http.StatusUnauthorized }

// OtherTransport reports whether the server may require another transport: a
// server of HTTP+SSE responds to a POST with one of these statuses (Streamable
// HTTP, backward compatibility).
func (e *StatusError) OtherTransport() bool {
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return true
	}
	return false
}

func statusText(code int) string {
	s := strconv.Itoa(code)
	if text := http.StatusText(code); text != "" {
		s += " " + text
	}
	return s
}
