package host

import (
	"context"
	"slices"

	"github.com/stdmcp/stdmcp/internal/glob"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// A Decision is an Approver's decision about a call.
type Decision string

// The decisions. Only Allow permits a call.
const (
	Undecided Decision = ""
	Allow     Decision = "allow"
	Deny      Decision = "deny"
	Ask       Decision = "ask" // ask the user
)

// A Call describes a tool call that needs approval.
type Call struct {
	ID     string // differs from those of the host's other calls; see CallReport
	Server string
	Source string // the file with the server's settings; empty if the program made them
	Scope  string // such as "user" or "project"

	Name      string // the tool's name for models
	Tool      string // the server's name for the tool
	Arguments mcp.RawMessage

	// Annotations describe the tool as its server does, which may be untrue.
	// Methods of a nil Annotations return the defaults: neither read-only nor
	// harmless.
	Annotations *mcp.ToolAnnotations

	// Listed reports whether the settings list the tool as approved.
	Listed bool

	// Changed describes how the definition differs from the one that was
	// approved; nil unless it differs and Options.Pins is PinAsk. Rules returns
	// Ask for such a call instead of Allow, and ReadOnly and Listed do not
	// decide.
	Changed *ToolChange
}

// An Approver decides about a call. It may block to ask the user. An error
// denies the call.
type Approver func(ctx context.Context, c *Call) (Decision, error)

// First returns an Approver that calls approvers in order until one of them
// decides. Nil approvers are skipped.
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

// Asking returns an Approver that calls ask if policy returns Undecided or Ask.
// A nil policy decides nothing; a nil ask returns Ask.
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

// A Rule decides about the calls that match it. Pattern is a glob for the JSON
// text of the arguments, as the model wrote it or without the blanks between its
// parts; empty matches all. Use patterns to allow calls, not to
// deny them: the same arguments can be written in other ways.
type Rule struct {
	Tool    string   `json:"tool"` // a glob of the name that models use, such as mcp__github__*; mcp__github stands for the whole server
	Pattern string   `json:"pattern,omitempty"`
	Action  Decision `json:"action"` // allow, deny or ask
}

// Rules returns an Approver that applies the first matching rule.
func Rules(rules ...Rule) Approver {
	return func(_ context.Context, c *Call) (Decision, error) {
		for _, r := range rules {
			if c != nil && r.matchesTool(c.Server, c.Name) && r.matchesText(c.Arguments) {
				if c.Changed != nil && r.Action == Allow {
					return Ask, nil
				}
				return r.Action, nil
			}
		}
		return Undecided, nil
	}
}

// UnmatchedRules returns the rules whose Tool names no tool of the host's servers, such as one
// with a typing error, which protects nothing. Call it when the servers are connected.
func (h *Host) UnmatchedRules(rules ...Rule) (unmatched []Rule) {
	tools := h.Snapshot().Tools()
	for _, r := range rules {
		if !slices.ContainsFunc(tools, func(t *Tool) bool { return r.matchesTool(t.server.name, t.name) }) {
			unmatched = append(unmatched, r)
		}
	}
	return unmatched
}

func (r *Rule) matchesTool(server, name string) bool {
	return glob.Match(r.Tool, name) || server != "" && r.Tool == "mcp__"+server
}

// matchesText reports whether Pattern matches the arguments, with any blanks.
func (r *Rule) matchesText(args mcp.RawMessage) bool {
	return r.Pattern == "" || glob.Text(r.Pattern, string(args)) ||
		wire.Valid(args) == nil && glob.Text(r.Pattern, string(wire.AppendCompact(nil, args)))
}

// ReadOnly is an Approver that allows tools that are annotated as read-only.
// Use it for trusted servers.
func ReadOnly(_ context.Context, c *Call) (Decision, error) {
	if c != nil && c.Changed == nil && c.Annotations.ReadOnly() {
		return Allow, nil
	}
	return Undecided, nil
}

// Listed returns an Approver that allows the tools that the user's files list
// as approved. Lists in project files count only if trustProjects is set.
func Listed(trustProjects bool) Approver {
	return func(_ context.Context, c *Call) (Decision, error) {
		if c != nil && c.Changed == nil && c.Listed && (trustProjects || c.Scope != "project") {
			return Allow, nil
		}
		return Undecided, nil
	}
}

// Capabilities lists what an agent may use: "mcp_integration" stands for all
// tools, "mcp_<server>" for the tools of a server, and "mcp_<server>_<tool>"
// for one tool. For a server whose name contains an underscore, they are
// MCPUnderscore(server, "") and MCPUnderscore(server, tool), which end with a hash:
// "mcp_a_b" is the tool b of the server a.
type Capabilities []string

// Allow reports whether the capabilities include a tool, by the names of the
// server in the settings and of the tool in the server.
func (c Capabilities) Allow(server, tool string) bool {
	all, one := "mcp_"+server, "mcp_"+server+"_"+tool
	hashed := mcpUnderscore.ambiguous(server)
	if hashed {
		all = MCPUnderscore(server, "")
	}
	if hashed || endsWithHash(one) {
		one = MCPUnderscore(server, tool)
	}
	for _, have := range c {
		if have == "mcp_integration" || have == all || have == one {
			return true
		}
	}
	return false
}

// Approve is an Approver that denies tools that the capabilities do not
// include, and decides nothing about the others.
func (c Capabilities) Approve(_ context.Context, call *Call) (Decision, error) {
	if call != nil && c.Allow(call.Server, call.Tool) {
		return Undecided, nil
	}
	return Deny, nil
}

// Requiring returns an Approver that denies a tool unless c contains all
// capabilities that required lists for it, and decides nothing about the others.
// The keys of required are globs of the name that models use; a tool that matches
// several needs the capabilities of all of them.
func (c Capabilities) Requiring(required map[string][]string) Approver {
	return func(_ context.Context, call *Call) (Decision, error) {
		if call == nil {
			return Deny, nil
		}
		for pattern, names := range required {
			if !glob.Match(pattern, call.Name) {
				continue
			}
			for _, name := range names {
				if !slices.Contains(c, name) {
					return Deny, nil
				}
			}
		}
		return Undecided, nil
	}
}
