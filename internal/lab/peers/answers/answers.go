// Package answers holds the responses of the server that the measurements use. It
// parses no JSON: a few bytes of a request determine the response.
package answers

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
)

// The names of tools state what they return: text_65536, image_1048576. Any other
// tool returns Echo.
const (
	TextTool  = "text_"
	ImageTool = "image_"
	EchoTool  = "echo"
)

// Texts are the patterns of the texts that tools return, encoded in JSON, by the
// prefix of the tool. A tool returns as many whole patterns as its length holds.
var Texts = map[string]string{
	TextTool: "All work and no play. ",
	"esc20_": `if a { return b(1)}\n`,
	"esc5_":  `word\n`,
	"utf2_":  "Съешь ещё этих мягких булок ",
	"utf3_":  "天地玄黃宇宙洪荒",
	"utf4_":  "😀🎉🚀🌍",
	"hex_":   `\u0416\u00e9\u4e2d\u20ac`,
}

// Decoded decodes a JSON string without its quotes.
func Decoded(raw string) string {
	s, err := strconv.Unquote(`"` + raw + `"`)
	if err != nil {
		panic(err)
	}
	return s
}

// Whole returns the length of the whole decoded patterns that fit into a length.
func Whole(pattern string, length int) int {
	n := len(Decoded(pattern))
	return length / n * n
}

// Echo is the text of a short result.
const Echo = "Echo: hello"

// An Answerer holds the responses of one server. Append may be called
// concurrently.
type Answerer struct {
	Modern bool // of 2026-07-28, else of 2025-11-25
	Tools  int  // how many it lists

	kept sync.Map // responses without their id as []byte, by method or tool
}

// Append appends the response to a request, or nothing to a notification.
func (a *Answerer) Append(b, msg []byte) []byte {
	id := ID(msg)
	if id == nil {
		return b
	}
	key := Method(msg)
	if key == "tools/call" {
		key = tool(msg)
	}
	tail, ok := a.kept.Load(key)
	if !ok {
		tail, _ = a.kept.LoadOrStore(key, []byte(a.tail(key)))
	}
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	return append(append(b, id...), tail.([]byte)...)
}

// ID returns the id of a request as it is encoded, or nil.
func ID(msg []byte) []byte {
	_, rest, ok := bytes.Cut(msg, []byte(`"id":`))
	if !ok {
		return nil
	}
	return rest[:bytes.IndexAny(rest, ",}")]
}

// Method returns the method of a request or notification.
func Method(msg []byte) string {
	_, rest, _ := bytes.Cut(msg, []byte(`"method":"`))
	method, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(method)
}

// tool returns the name of the tool. A request may have other names.
func tool(msg []byte) string {
	_, rest, _ := bytes.Cut(msg, []byte(`"name":"`))
	for len(rest) > 0 {
		name, after, _ := bytes.Cut(rest, []byte(`"`))
		prefix, _, _ := strings.Cut(string(name), "_")
		if prefix += "_"; prefix == ImageTool || Texts[prefix] != "" {
			return string(name)
		}
		_, rest, _ = bytes.Cut(after, []byte(`"name":"`))
	}
	return EchoTool
}

// tail returns what follows the id.
func (a *Answerer) tail(key string) string {
	prefix, size, _ := strings.Cut(key, "_")
	pattern := Texts[prefix+"_"]
	switch {
	case key == EchoTool:
		return a.result(`"content":[{"type":"text","text":"` + Echo + `"}]`)
	case pattern != "":
		return a.result(`"content":[{"type":"text","text":"` + Repeated(pattern, size) + `"}]`)
	case strings.HasPrefix(key, ImageTool):
		return a.result(`"content":[{"type":"image","mimeType":"image/png","data":"` + fill("iVBORw0KGgo+/AAA", key[len(ImageTool):]) + `"}]`)
	case key == "tools/list":
		return a.result(`"tools":[` + tools(a.Tools) + `]` + a.staleAtOnce())
	case key == "server/discover" && a.Modern:
		return a.result(`"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}` + a.staleAtOnce())
	case key == "initialize" && !a.Modern:
		return a.result(`"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}`)
	}
	return `,"error":{"code":-32601,"message":"no such method"}}`
}

func (a *Answerer) result(members string) string {
	if a.Modern {
		members = `"resultType":"complete",` + members
	}
	return `,"result":{` + members + `}}`
}

// staleAtOnce prevents clients from caching the result.
func (a *Answerer) staleAtOnce() string {
	if a.Modern {
		return `,"ttlMs":0,"cacheScope":"private"`
	}
	return ""
}

// Repeated returns as many encoded patterns as decode to the length at most.
func Repeated(pattern, length string) string {
	n, _ := strconv.Atoi(length)
	return strings.Repeat(pattern, n/len(Decoded(pattern)))
}

// fill returns s repeated up to a length, a multiple of four so that base64 stays
// valid.
func fill(s, length string) string {
	n, _ := strconv.Atoi(length)
	return strings.Repeat(s, n/len(s)+1)[:n]
}

// tools returns n definitions of tools of the size that real servers have.
func tools(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = `{"name":"tool_` + strconv.Itoa(i) + `","description":"Does the work number ` + strconv.Itoa(i) +
			` on the thing that it is given.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where the thing is"},` +
			`"depth":{"type":"integer","minimum":0}},"required":["path"]},"annotations":{"readOnlyHint":true}}`
	}
	return strings.Join(list, ",")
}
