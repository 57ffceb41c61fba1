package testserver

import (
	"cmp"
	"slices"
	"strings"
)

// A Fault is one way in which the server misbehaves.
type Fault struct {
	Name string
	Row  int    // in the matrix of faults; 0 is for opening a connection
	Does string // what the server does

	// On names the transports that can have the fault: S is stdio, H is
	// Streamable HTTP, E is HTTP+SSE.
	On string

	Process bool // the server must be a child process

	// Era is "legacy" or "modern" for a fault of that era, and empty for one of
	// both. A server with a fault of the legacy era speaks no modern protocol
	// version unless Options.ProtocolVersions is set.
	Era string

	// Method is the affected method: "*" is every method. If it is empty, the
	// fault affects calls of the tool echo, the whole byte stream, or HTTP
	// requests other than POST.
	Method string

	// Lawful means that the specification permits what the server does, so that
	// a client must cope.
	Lawful bool

	size int // how much the fault sends, unless Options.Size is set

	// Messages: call serves the affected requests.
	call func(*call)

	// answers holds what the server sends in response to a notification, before
	// it responds to the next request.
	answers []string

	// Byte streams and event streams.
	wrap wrapper // unless nil, what is sent is written to the writer that it returns

	// Byte streams.
	start func(*stream) bool // runs first; false ends the server
	end   func(*stream)      // runs when the client has closed its end

	// HTTP.
	badCertificate bool                                  // TLS presents a certificate for another machine
	unread         bool                                  // long bodies are not read
	post           func(*exchange)                       // responds to affected POST requests
	get            func(*exchange)                       // responds to GET
	delete         func(*exchange)                       // responds to DELETE
	lostSession    func(*exchange)                       // refuses a request in a session that does not exist; nil means 404
	pages          bool                                  // other paths respond with a page
	sticky         bool                                  // a session belongs to the requests with its cookie
	id             func(string) string                   // changes the session id that the client is told
	endpoint       func(s *eventStream, endpoint string) // begins the stream of HTTP+SSE

	// Event streams.
	event     func(*delivery) bool // sends the response to an affected POST; false ends the stream
	streams   bool                 // every response is an event stream
	resumable bool                 // legacy streams can be resumed
	retry     string               // the retry field of legacy streams
	gzip      bool                 // wrap compresses, if the client accepts that
}

// Faults returns all faults, ordered by row.
func Faults() []Fault {
	all := slices.Concat(messageFaults(), byteFaults(), discoverFaults(), openingFaults(), responseFaults(), statusFaults(), sessionFaults(),
		redirectFaults(), streamFaults(), endpointFaults(), resumptionFaults(), schemaFaults(), getFaults(), notificationFaults(), attackFaults(), habitFaults())
	slices.SortStableFunc(all, func(a, b Fault) int { return cmp.Compare(a.Row, b.Row) })
	return all
}

func findFault(name string) *Fault {
	if name == "" {
		return &Fault{}
	}
	all := Faults()
	if i := slices.IndexFunc(all, func(f Fault) bool { return f.Name == name }); i >= 0 {
		return &all[i]
	}
	return &Fault{Name: name, call: func(c *call) { c.toolError("There is no fault " + name + ".") }}
}

// affects reports whether the fault is one of messages that affects the call.
func (f *Fault) affects(c *call) bool {
	if f.call == nil || f.On == "S" && c.s.stream == nil {
		return false
	}
	if f.Method != "" {
		return f.Method == "*" || c.method == f.Method
	}
	return c.method == "tools/call" && c.params.has("name") && c.params.optText("name") == "echo"
}

// affectsAll reports whether the fault affects all calls of a method on every
// transport.
func (f *Fault) affectsAll(method string) bool {
	return f.call != nil && f.On != "S" && (f.Method == method || f.Method == "*")
}

// size returns how much a fault sends that sends much.
func (s *Server) size() int {
	if s.opts.Size > 0 {
		return s.opts.Size
	}
	return s.fault.size
}

// replacesServer reports whether the fault answers every request itself, as a
// server does that does not know MCP.
func (f *Fault) replacesServer() bool { return f.Method == "*" && f.post != nil }

// concerns reports whether the fault is one of the transport and era of x.
func (f *Fault) concerns(x *exchange) bool {
	transport, era := "H", "legacy"
	if x.sse {
		transport = "E"
	}
	if x.modern {
		era = "modern"
	}
	return strings.Contains(f.On, transport) && (f.Era == "" || f.Era == era)
}

// affected reports whether the fault affects the POST. A request that follows a
// redirect is not affected again.
func (x *exchange) affected() bool {
	f := x.h.fault
	if f.post == nil && f.event == nil || !f.concerns(x) || x.moved() {
		return false
	}
	if f.Method != "" {
		return f.Method == x.msg.method
	}
	return x.msg.method == "tools/call" && x.msg.params.optText("name") == "echo"
}

// moved reports whether the request follows a redirect of a fault.
func (x *exchange) moved() bool { return x.r.URL.Query().Has("moved") }
