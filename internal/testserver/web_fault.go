package testserver

import (
	"slices"
	"strings"
)

// A Fault is something that goes wrong in HTTP.
type HTTPFault struct {
	Name string
	Row  int    // in the matrix of faults; 0 is for opening a connection
	Does string // what it does

	// On says on which transports: "H" is Streamable HTTP, "E" is HTTP+SSE.
	On string

	// Era is "legacy" or "modern" when the fault is about one. The server must
	// then speak revisions of that era, and had better speak no others.
	Era string

	// Strikes is the method that is struck: "*" is any, and "" stands for calls
	// of the tool echo, or for requests other than POST.
	Strikes string

	// Lawful says that the server does nothing wrong: a client must cope.
	Lawful bool

	size     int                                  // of what is sent, unless the engine's Options.Size is set
	options  func(*HTTPOptions)                   // changes the options to what the fault needs
	unread   bool                                 // long bodies are not read
	post     func(*exchange)                      // answers a POST that is struck
	event    func(*sink, *outbox, item, int) bool // sends the answer to a POST that is struck; false ends the stream
	packs    bool                                 // streams are packed
	text     func(text string, first bool) string // changes what streams send
	get      func(*exchange)                      // answers a GET
	endpoint func(s *sink, endpoint string)       // begins the stream of HTTP+SSE
	delete   func(*exchange)                      // answers a DELETE
	id       func(string) string                  // changes what is said to be the id of a session

	badCertificate bool // TLS presents a certificate for another machine
}

// Faults returns all faults in the order of the matrix.
func HTTPFaults() []HTTPFault { return httpFaults() }

func findHTTPFault(name string) *HTTPFault {
	if name == "" {
		return &HTTPFault{}
	}
	all := httpFaults()
	if i := slices.IndexFunc(all, func(f HTTPFault) bool { return f.Name == name }); i >= 0 {
		return &all[i]
	}
	return &HTTPFault{Name: name, Strikes: "*", post: func(x *exchange) { x.refuse(500, 0, "there is no fault "+name) }}
}

// total reports whether the fault strikes every request there is, before
// anything is judged: servers that know nothing of MCP don't judge.
func (f *HTTPFault) total() bool { return f.Strikes == "*" && f.post != nil }

// concerns reports whether the fault is about a transport and an era.
func (f *HTTPFault) concerns(x *exchange) bool {
	transport, era := "H", "legacy"
	if x.sse {
		transport = "E"
	}
	if x.modern {
		era = "modern"
	}
	return (f.On == "" || strings.Contains(f.On, transport)) && (f.Era == "" || f.Era == era)
}

// strikes reports whether the fault strikes the POST. What comes back from a
// redirect is not struck again.
func (x *exchange) strikes() bool {
	f := x.h.fault
	if f.post == nil && f.event == nil || !f.concerns(x) || x.moved() {
		return false
	}
	if f.Strikes != "" {
		return f.Strikes == x.msg.method
	}
	return x.msg.method == "tools/call" && text(x.msg.params["name"]) == "echo"
}

func (x *exchange) moved() bool { return x.r.URL.Query().Has("moved") }

// again counts how often the fault has struck before.
func (h *Handler) again() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.struck++
	return h.struck - 1
}

// size is how much is sent by a fault that sends much.
func (h *Handler) size() int {
	if h.engine.Size > 0 {
		return h.engine.Size
	}
	return h.fault.size
}
