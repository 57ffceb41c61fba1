// Package skillset merges the skills of all servers of a host (SEP-2640) into one
// set for a model: with unique names, lists of allowed and denied skills,
// approval, pins, and entries in the host's catalog.
//
//	set := skillset.New(h, nil)
//	prompt := set.Prompt(ctx)                // names and descriptions, for the system prompt
//	tools := append(h.Tools(), set.Tools()...) // list_skills, read_skill, read_skill_file
//
// Package mcp/skills reads and verifies the skills of one server. A skill is text
// from its server: show the user where it comes from, and trust its instructions no
// more than the server's tools.
//
// # Names
//
// The name of a skill is a label: skills of several servers, and even of one, may
// share it. A server and a URI identify a [Skill]. Its name for a model consists of
// the names of the server and the skill, as with [host.ServerTool], and ends with a
// hash if another skill has that name. A skill keeps its name for a model as long as
// the Set exists. [Set.Find] also gives one to a skill that its server does not
// list.
//
// # Permission
//
// Each read of a skill's files asks Options.Approve. Options.Pins decides about a
// skill whose frontmatter or files differ from those that were first seen or approved;
// see [Set.Pin]. Each read compares the digests again. If a skill changes after a
// model has read it, the model must read it again before it gets another file.
//
// # Options
//
// In all options, zero is the default, and a negative number turns the limit or the
// feature off.
//
// # Concurrency
//
// All methods may be called by multiple goroutines at once.
package skillset
