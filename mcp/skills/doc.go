// Package skills reads the skills of MCP servers: directories of instructions and
// files for a model (the extension io.modelcontextprotocol/skills, SEP-2640).
//
//	client, err := mcp.Connect(ctx, stdio.Command("my-server"), nil) // or streamhttp.New(url, nil)
//	…
//	list, err := skills.NewReader(client, nil).List(ctx)
//	…
//	for _, skill := range list {
//		fmt.Printf("%s: %q %v\n", skill.URI, skill.Description, skill.Files)
//		text, err := skill.Read(ctx, "SKILL.md") // an invalid skill fails with its Err
//		…
//	}
//
// Package mcp/host/skillset adds approval and tools for a model, for the skills of
// all servers of a host.
//
// # Verification
//
// The entry of a skill names all of its files with their sizes and SHA-256
// digests. [Skill.Read] and [Skill.FS] read only files of the entry, and return no
// byte of a file before its size and digest are verified. The frontmatter of the
// skill's SKILL.md must also equal that of the entry, field by field. If
// verification fails, the error is an [*Error], which matches one of [ErrDigest],
// [ErrSize], [ErrNotListed], [ErrFrontmatter], [ErrInvalid], [ErrLimit] and
// [ErrDynamic]. A different digest often means that the skill has changed:
// [Reader.Get] returns its new entry.
//
// Digests come from the server that serves the files. They show that a file is
// the one in the entry, not that the server deserves trust.
//
// # Retrieval
//
// List and Get return entries, which are enough to show a skill to a user and to
// name it to a model. The Options.Cache of the client stores them for as long as the
// server permits, until a file differs from its entry: then List and Get ask the server
// again. Each Skill.Read requests the file again; the package stores nothing.
//
// # What the program does
//
// The name of a skill is a label: several skills of a server, and skills of several
// servers, may share it. Its server and its URI identify a skill. Programs should
// ask the user before they load a skill, name the server to the model beside the
// skill's text, execute no code for a skill without approval, and ignore
// allowed-tools in its frontmatter. A stored approval applies only to the
// [Skill.Digest] that it was given for. Approval of a skill does not include skills
// in directories below it, although their files are also files of the outer skill.
//
// # Changes
//
// The specification has no notification of its own for skills. Servers report a new
// or removed skill as a change of their resources, which [Reader.Watch] follows. A
// file that changes is noticed when it is read.
//
// # Options
//
// In all options, zero is the default, and a negative number turns the limit or the
// feature off.
//
// # Concurrency
//
// All methods are safe for concurrent use. A [Skill] does not change.
package skills
