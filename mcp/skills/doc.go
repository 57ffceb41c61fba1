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
// Package mcp/host/skills has the skills of all servers of a host, approval, and
// tools for a model.
//
// # Verification
//
// The entry of a skill names all of its files with their sizes and SHA-256
// digests. [Skill.Read] and [Skill.FS] read only files of the entry, and return
// no byte of a file before its size and digest are verified. The frontmatter of
// the skill's SKILL.md must also equal that of the entry, field by field. What
// fails is an [*Error], which matches one of [ErrDigest], [ErrSize],
// [ErrNotListed], [ErrFrontmatter], [ErrInvalid], [ErrLimit] and [ErrDynamic]. A
// digest that differs often means that the skill has changed: [Reader.Get] returns
// its new entry.
//
// Digests come from the server that serves the files. They show that a file is
// the one of the entry, and not that the server deserves trust.
//
// # Retrieval
//
// List and Get return entries, which are enough to show a skill to a user and to
// name it to a model. The package reads a file when the program does, each time
// anew, and stores nothing.
//
// # What the program does
//
// The name of a skill is a label: several skills of a server, and skills of several
// servers, may share it. A skill is identified by its server and its URI. Programs
// ask the user before they load a skill, name the server to the model beside the
// skill's text, do not execute code because of a skill without approval, and
// ignore allowed-tools in its frontmatter. An approval that a program stores
// belongs to [Skill.Digest] and ends when that changes. Approval of a skill does
// not include skills in directories below it, whose files are files of both.
//
// # Changes
//
// The specification has no notification of its own for skills. Servers report a new
// or removed skill as a change of their resources, which [Reader.Watch] follows. A
// file that changes is noticed when it is read.
//
// # Concurrency
//
// All methods are safe for concurrent use. A [Skill] does not change.
package skills
