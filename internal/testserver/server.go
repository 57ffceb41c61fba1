package testserver

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Modern is the first revision without sessions, and the newest that the
// server knows.
const Modern = "2026-07-28"

// legacy lists the revisions that begin with initialize, the newest first.
var legacy = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// maxReceived bounds what Received remembers.
const maxReceived = 10_000

// Options say what a server is like. The zero value is a server of both eras
// without faults.
type Options struct {
	// ProtocolVersions are those the server speaks. Nil means all, or those which the
	// fault is about. One that is not known counts as a modern one.
	ProtocolVersions []string

	// Fault is the name of what the server does wrong; see [Faults]. A name
	// that is not known makes every call of echo fail.
	Fault string

	// Delay is how long faults wait that wait; 0 means 1 s.
	Delay time.Duration

	// Size is how many bytes or messages faults send that send many; 0 means
	// enough to break a careless client, which takes its time.
	Size int

	// Without lists capabilities left out: tools, resources, prompts, logging,
	// completions, subscribe, listChanged.
	Without []string

	// PageSize is how many items a page of a list has; 0 means all.
	PageSize int

	// Tools is how many tools are there beside the usual ones.
	Tools int

	// Mirror adds the tool mirror, whose parameters HTTP repeats in headers.
	HeaderTool bool

	// BadMirrors adds tools whose headers no client can send, so that it must
	// leave out the tools.
	BadMirrors bool

	// Tasks adds the tools research and look_up, which become tasks, and what
	// serves tasks.
	Tasks bool

	// Report, unless nil, is called with each violation.
	Report func(violation string)
}

// A Message is one that the server received.
type Message struct {
	Method string // empty for an answer
	Line   string // as it came, without the line break
}

// A Server is what all its sessions share. Create one with [New].
type Server struct {
	opts    Options
	tools   []tool
	fault   *Fault
	process bool // it has a process of its own

	mu         sync.Mutex // guards what follows
	violations []string
	received   []Message
	added      int                  // tools that add_tool has added
	sessions   map[*Session]bool    // those that are open
	listens    map[*call]filter     // the subscriptions that are open
	cursors    map[string]int       // the items behind the cursors handed out, by method and cursor
	states     map[string]*question // the requests that wait for input, by their state
	tasks      map[string]*task     // by id
	counter    int                  // numbers the questions and the tasks
}

// New returns a server. Nil options mean the zero value.
func New(o *Options) *Server {
	s := &Server{
		tools:    tools(),
		sessions: map[*Session]bool{},
		listens:  map[*call]filter{},
		cursors:  map[string]int{},
		states:   map[string]*question{},
	}
	if o != nil {
		s.opts = *o
	}
	if s.opts.Delay == 0 {
		s.opts.Delay = time.Second
	}
	if s.opts.HeaderTool {
		s.tools = append(s.tools, mirror)
	}
	if s.opts.BadMirrors {
		s.tools = append(s.tools, badMirrors()...)
	}
	if s.opts.Tasks {
		s.tools = append(s.tools, taskTools()...)
	}
	s.fault = findFault(s.opts.Fault)
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

// Options returns what the server is like: what was given to New, with the
// defaults filled in.
func (s *Server) Options() Options {
	o := s.opts
	o.ProtocolVersions, o.Without = slices.Clone(o.ProtocolVersions), slices.Clone(o.Without)
	return o
}

// Speaks returns the revisions of one era that the server speaks, the newest
// first.
func (s *Server) Speaks(modern bool) []string { return s.speaks(modern) }

// Violations returns what clients sent that the specification forbids, in the
// order in which it came, or nil.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}

// Received returns the messages that came, up to the first 10,000.
func (s *Server) Received() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.received)
}

// Violation remembers what a client did that it may not do. What carries the
// messages reports in this way what the specification forbids there.
func (s *Server) Violation(what string) {
	s.mu.Lock()
	if len(s.violations) < maxReceived {
		s.violations = append(s.violations, what)
	}
	s.mu.Unlock()
	if s.opts.Report != nil {
		s.opts.Report(what)
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.received) < maxReceived {
		s.received = append(s.received, Message{method, string(line)})
	}
}

// speaks returns the revisions of one era, the newest first.
func (s *Server) speaks(modern bool) (versions []string) {
	for _, r := range s.opts.ProtocolVersions {
		if slices.Contains(legacy, r) != modern {
			versions = append(versions, r)
		}
	}
	return versions
}

func (s *Server) offers(capability string) bool {
	return !slices.Contains(s.opts.Without, capability)
}

// capabilities returns the server's capabilities as JSON.
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
	switch {
	case s.opts.Tasks && modern:
		add("extensions", `{"`+tasksExtension+`":{}}`)
	case s.opts.Tasks:
		add("tasks", `{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`)
	}
	return "{" + strings.Join(members, ",") + "}"
}
