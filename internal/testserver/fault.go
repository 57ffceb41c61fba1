package testserver

import (
	"slices"
	"strings"
)

// A Fault is something that the server can do wrong.
type Fault struct {
	Name  string
	Row   int    // in the matrix of faults; 0 is for opening a connection
	Does  string // what it does
	Needs string // "stream" or "process", unless any transport will do

	// On is the method that is struck: "*" is any, and "" stands for calls of
	// the tool echo, or for all messages when the fault lies in the stream.
	On     string
	Legacy bool // a server that does this is a legacy one, unless Options.ProtocolVersions says otherwise

	size  int                   // Options.Size, unless that is set
	call  func(*call)           // serves what is struck
	start func(*stream) bool    // runs first; false ends the server
	line  func(*stream, []byte) // writes every message
	end   func(*stream)         // runs when the client has closed its end
}

// strikes reports whether the fault concerns a call.
func (f *Fault) strikes(c *call) bool {
	if f.call == nil || f.Needs != "" && c.s.stream == nil {
		return false
	}
	if f.On != "" {
		return f.On == "*" || c.method == f.On
	}
	return c.method == "tools/call" && c.params.has("name") && c.params.optText("name") == "echo"
}

// Faults returns all faults in the order of the matrix.
func Faults() []Fault { return faults() }

func findFault(name string) *Fault {
	if name == "" {
		return &Fault{}
	}
	all := faults()
	if i := slices.IndexFunc(all, func(f Fault) bool { return f.Name == name }); i >= 0 {
		return &all[i]
	}
	return &Fault{Name: name, call: func(c *call) { c.toolError("There is no fault " + name + ".") }}
}

// says ends a call by sending lines in which $id stands for the id, $result
// for the right result and $token for the progress token.
func says(lines ...string) func(*call) {
	return func(c *call) {
		c.s.finish(c)
		for _, line := range lines {
			c.reply([]byte(c.expand(line)))
		}
	}
}

func (c *call) expand(line string) string {
	result := c.complete("complete", `"content":[`+textBlock(c.params.optObject("arguments").optText("message"))+"]", "")
	token := c.token
	if token == nil {
		token = []byte("0")
	}
	return strings.NewReplacer("$id", string(c.id), "$result", result, "$token", string(token)).Replace(line)
}
