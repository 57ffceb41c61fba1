// Package httperr declares the errors that both HTTP transports return: those of
// packages streamhttp and sse. None of them repeats a credential.
//
//	var status *httperr.StatusError
//	if errors.As(err, &status) && status.Status == http.StatusTooManyRequests {
//		time.Sleep(status.RetryAfter)
//	}
package httperr

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A StatusError describes an invalid response: its status is an error or, if the
// status is 2xx, its content type is wrong. In the second case it matches
// jsonrpc.ErrMalformed.
type StatusError struct {
	Method, URL     string // without user, password and query
	Status          int
	ContentType     string        // the media type
	ContentEncoding string        // of the body; empty if it is not encoded
	Want            string        // the expected content type, if Status is 2xx
	RetryAfter      time.Duration // between 1 s and 5 min; 0 if the server sets none
	WWWAuthenticate []string      // the challenges, up to 16 KiB
	Body            string        // at most 4 KiB, printable
}

func (e *StatusError) Error() string {
	s := e.Method + " " + e.URL + ": " + statusText(e.Status)
	switch {
	case e.Status/100 == 2:
		got := e.ContentType
		if got == "" {
			got = "no content type"
		}
		if e.ContentEncoding != "" {
			got += " encoded in " + e.ContentEncoding
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
	return s + diag.QuoteBody(e.ContentType, e.Body)
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

// An OriginError describes a reference to another origin, which must not receive
// the headers of requests. From and To are URLs without secrets.
type OriginError struct{ From, To string }

func (e *OriginError) Error() string {
	return e.From + " refers to another origin, " + e.To + ", which is not trusted"
}

// A RedirectError describes a redirect that the client did not follow: it follows only
// status 307 and 308 to the same origin.
type RedirectError struct {
	Status   int    // of the response, such as 302
	From, To string // without secrets
	Reason   string
}

func (e *RedirectError) Error() string {
	return statusText(e.Status) + " from " + e.From + " to " + e.To + ": " + e.Reason
}

// A TimeoutError describes what a server did not send in time. It matches
// context.DeadlineExceeded and os.ErrDeadlineExceeded.
type TimeoutError struct {
	What  string // such as "no response"
	After time.Duration
}

func (e *TimeoutError) Error() string { return e.What + " within " + e.After.String() }

// Is reports whether target is context.DeadlineExceeded or os.ErrDeadlineExceeded.
func (e *TimeoutError) Is(target error) bool {
	return target == context.DeadlineExceeded || target == os.ErrDeadlineExceeded
}

// Timeout returns true, as that of a net.Error does.
func (e *TimeoutError) Timeout() bool { return true }
