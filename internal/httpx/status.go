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
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/mcp/httperr"
)

// The time that a server asks to wait is clamped to these.
const minRetryAfter, maxRetryAfter = time.Second, 5 * time.Minute

// Check returns nil if the status of resp is 2xx and its media type is one of
// want, or want is empty. Otherwise it closes the body and returns a
// [*httperr.StatusError].
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

// maxType limits the types of an invalid response, in bytes.
const maxType = 200

// NewStatusError returns the error for an invalid response, and closes its body.
// want is the expected content type.
func NewStatusError(resp *http.Response, want string) *httperr.StatusError {
	data, _ := readPrefix(resp)
	hidden := display.NewRedactor(secrets(resp.Request)...)
	var challenges []string
	left := maxReference
	for _, text := range resp.Header.Values("WWW-Authenticate") {
		if left -= len(text); left < 0 { // errors may be kept, as in the events of a host
			break
		}
		challenges = append(challenges, hidden.Redact(text))
	}
	return &httperr.StatusError{
		Method:          resp.Request.Method,
		URL:             Clean(resp.Request.URL),
		Status:          resp.StatusCode,
		ContentType:     strings.Clone(diag.Cut(hidden.Redact(MediaType(resp.Header)), maxType)),
		Want:            want,
		RetryAfter:      retryAfter(resp.Header.Get("Retry-After")),
		WWWAuthenticate: challenges,
		Body:            hidden.Printable(string(data), 0),
		ContentEncoding: diag.Cut(encoding(resp), maxType),
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

// Quote returns the beginning of a body that was read, for the end of a message.
func Quote(resp *http.Response, body []byte) string {
	resp.Body = io.NopCloser(bytes.NewReader(body))
	e := NewStatusError(resp, "")
	if e.ContentEncoding != "" {
		return " (it is encoded in " + diag.Printable(e.ContentEncoding, 200) + ")"
	}
	return diag.QuoteBody(e.ContentType, e.Body)
}
