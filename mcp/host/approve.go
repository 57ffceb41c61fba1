package host

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// A Decision is what becomes of a call.
type Decision string

// The decisions. A call is made when the decision is Allow, and only then.
const (
	Undecided Decision = ""
	Allow     Decision = "allow"
	Deny      Decision = "deny"
	Ask       Decision = "ask" // the user
)

// A Call is a call that is to be approved.
type Call struct {
	Server string
	Source string // the file that the server is from; empty for a program
	Scope  string // such as "user" or "project"

	Name      string // of the tool, as models call it
	Tool      string // as the server calls it
	Arguments mcp.RawMessage

	// Annotations say how the tool behaves, as far as the server is to be
	// believed. Nil means neither read-only nor harmless, as its methods say.
	Annotations *mcp.ToolAnnotations

	// Listed: the file has the tool among those to be called unasked.
	Listed bool
}

// An Approver decides about calls. It may take its time, and ask a user. An
// error denies the call.
type Approver func(ctx context.Context, c *Call) (Decision, error)

// First returns an Approver that asks others in turn, up to the first that is
// not undecided.
func First(approvers ...Approver) Approver {
	return func(ctx context.Context, c *Call) (Decision, error) {
		for _, approve := range approvers {
			if approve == nil {
				continue
			}
			if d, err := approve(ctx, c); err != nil || d != Undecided {
				return d, err
			}
		}
		return Undecided, nil
	}
}

// Asking returns an Approver that has ask called for what policy leaves
// undecided, or says Ask to.
func Asking(policy, ask Approver) Approver {
	return func(ctx context.Context, c *Call) (Decision, error) {
		if policy != nil {
			if d, err := policy(ctx, c); err != nil || d == Allow || d == Deny {
				return d, err
			}
		}
		if ask == nil {
			return Ask, nil
		}
		return ask(ctx, c)
	}
}

// A Rule decides about the calls that match it. Pattern is a glob of the
// arguments, in JSON as they came; empty matches all. As the same can be written
// in other ways, it is for what is allowed, rather than for what is denied.
type Rule struct {
	Tool    string   `json:"tool"` // a glob of the name that models use, such as mcp__github__*
	Pattern string   `json:"pattern,omitempty"`
	Action  Decision `json:"action"` // allow, deny or ask
}

// Rules returns an Approver that decides by the first rule that matches.
func Rules(rules ...Rule) Approver {
	return func(_ context.Context, c *Call) (Decision, error) {
		for _, r := range rules {
			if c != nil && config.Match(r.Tool, c.Name) && (r.Pattern == "" || config.Match(r.Pattern, string(c.Arguments))) {
				return r.Action, nil
			}
		}
		return Undecided, nil
	}
}

// ReadOnly is an Approver that allows tools that say of themselves to change
// nothing. It is for servers that are to be believed.
func ReadOnly(_ context.Context, c *Call) (Decision, error) {
	if c != nil && c.Annotations.ReadOnly() {
		return Allow, nil
	}
	return Undecided, nil
}

// Listed is an Approver that allows what the files of the user list as to be
// called unasked. What a project's file says counts only if projects are to be
// trusted.
func Listed(trustProjects bool) Approver {
	return func(_ context.Context, c *Call) (Decision, error) {
		if c != nil && c.Listed && (trustProjects || c.Scope != "project") {
			return Allow, nil
		}
		return Undecided, nil
	}
}

// Capabilities are what an agent may use: all tools with mcp_integration, those
// of one server with mcp_<server>, and one tool with mcp_<server>_<tool>.
type Capabilities []string

// Allow reports whether the agent may use a tool, by the names that the
// settings and the server have for them.
func (c Capabilities) Allow(server, tool string) bool {
	for _, have := range c {
		if have == "mcp_integration" || have == "mcp_"+server || have == "mcp_"+server+"_"+tool {
			return true
		}
	}
	return false
}

// Approve is an Approver that denies what the agent may not use. It leaves the
// rest undecided.
func (c Capabilities) Approve(_ context.Context, call *Call) (Decision, error) {
	if call != nil && c.Allow(call.Server, call.Tool) {
		return Undecided, nil
	}
	return Deny, nil
}
