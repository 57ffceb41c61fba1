// Package skills merges the skills of all servers of a host (SEP-2640) into one
// set for a model: with names that are unique, allowed and denied like tools,
// approved, pinned and kept in the host's catalog.
//
//	set := skills.New(h, nil)
//	prompt := set.Prompt(ctx)                // names and descriptions, for the system prompt
//	tools := append(h.Tools(), set.Tools()...) // list_skills, read_skill, read_skill_file
//
// Package mcp/skills reads and verifies the skills of one server. What a skill says
// is text of its server: show the user where a skill comes from, and treat its
// instructions as no more trusted than the server's tools.
//
// # Names
//
// The name of a skill is a label: skills of several servers, and even of one, may
// have the same. A [Skill] is identified by its server and URI. The name for a model
// is that of the server and the skill, as of [host.ServerTool], and ends with a hash
// if another skill has that name. A skill keeps its name as long as the Set exists.
// [Set.Find] names a skill that its server does not list.
//
// # Permission
//
// Each read of a skill's files asks Options.Approve. Options.Pins decides about a
// skill whose files differ from those that were first seen or approved; see
// [Set.Pin]. Each read compares the digests again, so that a skill that changes
// between two reads is noticed: a model that has read a skill must read it again
// before it gets a file of the new one.
//
// # Concurrency
//
// All methods may be called by multiple goroutines at once.
package skills
