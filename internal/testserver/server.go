package testserver

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// Modern is the first protocol version without sessions, and the newest that the
// server knows.
const Modern = "2026-07-28"

// legacy lists the protocol versions with initialize, newest first.
var legacy = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// maxReceived limits what Received returns.
const maxReceived = 10_000

// Options configure a server. The zero value is a server of both eras without
// faults.
type Options struct {
	// ProtocolVersions are those that the server speaks. Nil means all, or those
	// of the fault's era. An unknown version counts as a modern one.
	ProtocolVersions []string

	// Fault is the name of one of [Faults]. An unknown name makes every call of
	// the tool echo fail.
	Fault string

	// Delay is how long a fault waits. 0 means 1 s.
	Delay time.Duration

	// Size is how many bytes or messages a fault sends. 0 means enough to break a
	// careless client, which may take minutes.
	Size int

	// Without names capabilities that the server lacks: tools, resources, prompts,
	// logging, completions, subscribe, listChanged.
	Without []string

	// PageSize is the number of items on a page of a list. 0 means all.
	PageSize int

	// Tools is the number of additional tools.
	Tools int

	// HeaderTool adds the tool mirror, whose arguments HTTP repeats in headers.
	HeaderTool bool

	// Tasks adds the tools research and look_up, which become tasks, and the
	// methods of tasks.
	Tasks bool

	// Skills adds two skills, and the methods of skills.
	Skills bool

	// Report, if not nil, is called with each violation, and with the message that
	// it was found in, if there is one.
	Report func(violation string, message []byte) `json:"-"`

	// With Custom only: the instructions, and the time for which clients may keep
	// lists and resources.
	Instructions string
	TTL          time.Duration

	// Received, if not nil, is called with each message received.
	Received func(method string, line []byte) `json:"-"`

	// Custom, if not nil, replaces the server's own tools, resources, prompts and
	// capabilities.
	Custom Custom `json:"-"`

	// Child says that the server is a child process; see package childserver.
	Child bool `json:"-"`
}

// A Message is a message that the server received.
type Message struct {
	Method string // empty for a response
	Line   string // without the line break
}

// A Server is the state that all its sessions share. Create one with [New].
type Server struct {
	opts    Options
	tools   []tool
	fault   *Fault
	foreign string // the URL of another origin

	ctx     context.Context // of the functions of Custom
	cancel  context.CancelFunc
	running sync.WaitGroup // functions of Custom

	mu         lock.Mutex // guards what follows
	violations []string
	received   []Message
	added      int                  // tools added by the tool add_tool
	sessions   map[*Session]bool    // open sessions
	listens    map[*call]filter     // open subscriptions
	cursors    map[string]int       // the index of the next item, by method and cursor
	states     map[string]*question // requests that wait for input, by requestState
	tasks      map[string]*task     // by id
	counter    int                  // see count
}

// New returns a server. Nil options mean the zero value.
func New(o *Options) *Server {
	fault := ""
	if o != nil {
		fault = o.Fault
	}
	return newServer(o, findFault(fault))
}

// NewCorrect is New without Options.Fault. The list of all faults would add
// 0.4 MB to a program that has no use for them.
func NewCorrect(o *Options) *Server { return newServer(o, &Fault{}) }

func newServer(o *Options, fault *Fault) *Server {
	s := &Server{
		sessions: map[*Session]bool{},
		listens:  map[*call]filter{},
		cursors:  map[string]int{},
		states:   map[string]*question{},
		tasks:    map[string]*task{},
		fault:    fault,
		foreign:  "https://elsewhere.example",
	}
	if o != nil {
		s.opts = *o
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if s.opts.Delay == 0 {
		s.opts.Delay = time.Second
	}
	if s.opts.Custom == nil {
		s.tools = slices.DeleteFunc(slices.Clone(ownTools()), func(t tool) bool { return !s.opts.offerTool(t.name) })
	}
	if s.opts.ProtocolVersions == nil && s.fault.Era == "legacy" {
		s.opts.ProtocolVersions = legacy
	}
	if s.opts.ProtocolVersions == nil {
		s.opts.ProtocolVersions = append([]string{Modern}, legacy...)
	}
	s.opts.ProtocolVersions = slices.Clone(s.opts.ProtocolVersions)
	slices.Sort(s.opts.ProtocolVersions)
	slices.Reverse(s.opts.ProtocolVersions)
	return s
}

// Options returns the options given to New, with defaults filled in.
func (s *Server) Options() Options {
	o := s.opts
	o.ProtocolVersions, o.Without = slices.Clone(o.ProtocolVersions), slices.Clone(o.Without)
	return o
}

// Violations describes the messages of clients that the specification forbids,
// in order, or returns nil.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}

// Received returns the first 10,000 messages received.
func (s *Server) Received() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.received)
}

// Forget drops the messages received so far, for tests that run for long.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received = nil
}

// addViolation records that a client broke the specification. msg is the message
// that shows it, or nil.
func (s *Server) addViolation(what string, msg []byte) {
	s.mu.Lock()
	if len(s.violations) < maxReceived {
		s.violations = append(s.violations, what)
	}
	s.mu.Unlock()
	if s.opts.Report != nil {
		s.opts.Report(what, msg)
	}
}

// count returns the next number for a request, a task or a page.
func (s *Server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counter++
	return s.counter
}

func (s *Server) record(method string, line []byte) {
	if s.opts.Received != nil {
		s.opts.Received(method, line)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.received) < maxReceived {
		s.received = append(s.received, Message{method, string(line)})
	}
}

// Speaks returns the protocol versions of one era that the server speaks, newest
// first.
func (s *Server) Speaks(modern bool) (versions []string) {
	for _, r := range s.opts.ProtocolVersions {
		if slices.Contains(legacy, r) != modern {
			versions = append(versions, r)
		}
	}
	return versions
}

func (s *Server) offers(capability string) bool {
	if s.opts.Custom != nil {
		return s.opts.Custom.Offers(capability)
	}
	return !slices.Contains(s.opts.Without, capability)
}

func (s *Server) capabilities(modern bool) string {
	var members []string
	changes := `{"listChanged":` + strconv.FormatBool(s.offers("listChanged"))
	add := func(name, value string) {
		if s.offers(name) {
			members = append(members, quote(name)+":"+value)
		}
	}
	add("tools", changes+"}")
	add("resources", changes+`,"subscribe":`+strconv.FormatBool(s.offers("subscribe"))+"}")
	add("prompts", changes+"}")
	add("completions", "{}")
	add("logging", "{}")
	var extensions []string
	switch {
	case s.hasTasks() && modern:
		extensions = append(extensions, `"`+tasksExtension+`":{}`)
	case s.hasTasks():
		members = append(members, `"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`)
	}
	if s.opts.Skills {
		extensions = append(extensions, `"`+skillsExtension+`":{}`)
	}
	if e, ok := s.opts.Custom.(Extender); ok && e.Extensions() != "" {
		extensions = append(extensions, e.Extensions())
	}
	if extensions != nil {
		members = append(members, `"extensions":{`+strings.Join(extensions, ",")+"}")
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (s *Server) hasTasks() bool {
	return s.opts.Tasks || s.opts.Custom != nil && s.opts.Custom.Offers("tasks")
}
