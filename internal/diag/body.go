package diag

import "strings"

// maxQuoted is the limit of the part of a body in an error, in bytes.
const maxQuoted = 200

// QuoteBody returns the beginning of the body of an HTTP response for the end of a
// message.
func QuoteBody(contentType, body string) string {
	switch {
	case strings.Contains(contentType, "html"), strings.HasPrefix(body, "<"):
		return " (a web page)"
	case body != "":
		return " (" + Printable(body, maxQuoted) + ")"
	}
	return ""
}
