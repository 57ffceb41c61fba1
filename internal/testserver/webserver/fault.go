package webserver

import (
	"slices"
	"strings"
)

// A Fault is something that goes wrong in HTTP.
type Fault struct {
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

	options        func(*Options)                  // changes the options to what the fault needs
	body           func(*exchange) bool            // runs before a POST is read; true when it has answered
	post           func(*exchange)                 // answers a POST that is struck
	event          func(*sink, *outbox, item, int) // sends the answer to a POST that is struck
	get            func(*exchange) bool            // runs before a stream is opened; true when it has answered
	endpoint       func(s *sink, endpoint string)  // begins the stream of HTTP+SSE
	delete         func(*exchange)                 // answers a DELETE
	badCertificate bool                            // TLS presents a certificate for another machine
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
	return &Fault{Name: name, Strikes: "*", post: func(x *exchange) { x.refuse(500, 0, "there is no fault "+name) }}
}

// early reports whether the fault strikes before anything is judged: servers
// that know nothing of MCP don't judge.
func (f *Fault) early() bool {
	return f.post != nil && (f.Strikes == "*" || f.Strikes == "server/discover")
}

// concerns reports whether the fault is about a transport and an era.
func (f *Fault) concerns(x *exchange) bool {
	transport, era := "H", "legacy"
	if x.sse {
		transport = "E"
	}
	if x.modern {
		era = "modern"
	}
	return (f.On == "" || strings.Contains(f.On, transport)) && (f.Era == "" || f.Era == era)
}

// strikes reports whether the fault strikes the POST.
func (x *exchange) strikes() bool {
	f := x.h.fault
	if f.post == nil && f.event == nil || !f.concerns(x) {
		return false
	}
	if f.Strikes != "" {
		return f.Strikes == "*" || f.Strikes == x.msg.method
	}
	return x.msg.method == "tools/call" && text(x.msg.params["name"]) == "echo"
}
