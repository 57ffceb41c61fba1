package recording

import (
	"net/textproto"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// An HTTP describes an HTTP request or the response to one.
type HTTP struct {
	Exchange int    // counts the requests of a connection
	Method   string // of the request; a recording has it there only
	Status   int    // of a response

	// Headers are those of the message. A recording has those whose names begin with
	// Mcp-, and Content-Type and Accept if they are not what the protocol requires.
	Headers map[string][]string

	URL     string // of a request, without secrets; empty if it is unknown
	Further bool   // whether a recording has the other headers, too
	Login   bool   // whether it is not of the protocol, but of a login
}

// The content types of the protocol over HTTP.
const typeJSON, typeEvents = "application/json", "text/event-stream"

// Append appends what a recording has of it, as JSON.
func (h *HTTP) Append(b []byte) []byte {
	b = wire.AppendInt(wire.AppendKey(append(b, '{'), "exchange"), int64(h.Exchange))
	if h.Status == 0 {
		b = wire.AppendString(wire.AppendKey(b, "method"), h.Method)
	} else {
		b = wire.AppendInt(wire.AppendKey(b, "status"), int64(h.Status))
	}
	if h.URL != "" {
		b = wire.AppendString(wire.AppendKey(b, "url"), h.URL)
	}
	headers, further := h.unusual(), h.Masked()
	for name, value := range further {
		if strings.HasPrefix(name, "mcp-") {
			headers[name] = value
		}
	}
	b = appendHeaders(wire.AppendKey(b, "headers"), headers)
	if h.Further {
		for name := range headers {
			delete(further, name)
		}
		b = appendHeaders(wire.AppendKey(b, "further"), further)
	}
	return append(b, '}')
}

func appendHeaders(b []byte, headers map[string]string) []byte {
	b = append(b, '{')
	for _, name := range wire.SortedKeys(headers) {
		b = wire.AppendString(wire.AppendKey(b, name), headers[name])
	}
	return append(b, '}')
}

// maxHeaders limits how many headers Masked returns, as the readers of a recording refuse
// objects with more than 512 members.
const maxHeaders = 200

// Masked returns the headers by their names in lower case, with values that may be secrets
// masked. In place of headers beyond a limit is their number.
func (h *HTTP) Masked() map[string]string {
	all := make(map[string]string)
	for _, name := range wire.SortedKeys(h.Headers) {
		if len(all) == maxHeaders {
			all["..."] = strconv.Itoa(len(h.Headers)-maxHeaders) + " more"
			break
		} else if len(h.Headers[name]) == 0 { // a mark for net/http, which is not sent
			continue
		}
		value := strings.Join(h.Headers[name], ", ")
		name = strings.ToLower(name)
		switch {
		case name == "www-authenticate": // which says how to log in
		case isSecretHeader(name):
			value = diag.Mask
		case name == "location" || name == "content-location":
			value = httpx.Display(value)
		case name == "link" || name == "refresh": // which have URLs
			value = diag.HideUserinfo(value)
			if i := strings.IndexAny(value, "?#"); i >= 0 {
				value = value[:i+1] + "..."
			}
		}
		all[name] = value
	}
	return all
}

// IsUnusual reports whether it is a response that is not a success, or has a header that the
// protocol forbids.
func (h *HTTP) IsUnusual() bool { return h.Status >= 300 || len(h.unusual()) > 0 }

// unusual returns the headers of content that are not what the protocol requires, by
// their names in lower case. The value of one that is missing is empty.
func (h *HTTP) unusual() map[string]string {
	found := make(map[string]string)
	header := textproto.MIMEHeader(h.Headers)
	content, media := header.Get("Content-Type"), httpx.MediaType(h.Headers)
	right := media == typeJSON || media == typeEvents
	switch {
	case h.Login:
		right = true
	case h.Status == 0 && h.Method == "POST":
		right = media == typeJSON
		h.accept(found, typeJSON, typeEvents)
	case h.Status == 0:
		right = true
		if h.Method == "GET" {
			h.accept(found, typeEvents)
		}
	case h.Status == 200 && h.Method == "GET":
		right = media == typeEvents
	case content == "" && (h.Status != 200 || h.Method != "POST"):
		right = true // it has no content
	}
	if !right {
		found["content-type"] = content
	}
	return found
}

// accept notes the header Accept unless it has all types.
func (h *HTTP) accept(found map[string]string, types ...string) {
	for _, t := range types {
		if !Accepts(h.Headers, t) {
			found["accept"] = strings.Join(h.Headers["Accept"], ", ")
		}
	}
}

// Accepts reports whether the client of a request with these headers accepts a content
// type.
func Accepts(headers map[string][]string, want string) bool {
	kind, _, _ := strings.Cut(want, "/")
	for part := range strings.SplitSeq(strings.Join(headers["Accept"], ","), ",") {
		one, _, _ := strings.Cut(part, ";")
		if one = strings.ToLower(strings.TrimSpace(one)); one == want || one == "*/*" || one == kind+"/*" {
			return true
		}
	}
	return false
}

// isSecretHeader reports whether the value of a header whose name is in lower case may be
// a secret. The id of a session is one.
func isSecretHeader(name string) bool {
	return name == "mcp-session-id" || isSecret(name) || isSecret(strings.TrimPrefix(name, "mcp-param-"))
}
