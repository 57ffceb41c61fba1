package skills_test

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/skills"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

func Example() {
	ctx := context.Background()
	server := testserver.New(&testserver.Options{Custom: newServer()}) // stands for one with skills
	client, err := mcp.Connect(ctx, stdio.Stream(server.Pipe()), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	reader := skills.NewReader(client, nil)
	fmt.Println(reader.Supported(), reader.ReadsDirectories())
	for skill, err := range reader.Skills(ctx) {
		if err == nil {
			err = skill.Err()
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(skill.Name, "at", skill.Root(), "approved as", skill.Digest()[:14])
		data, err := skill.Read(ctx, "references/GUIDE.md")
		fmt.Printf("%q %v\n", data, err)
		_ = fs.WalkDir(skill.FS(ctx), ".", func(path string, d fs.DirEntry, err error) error {
			fmt.Println(path)
			return err
		})
	}
	// Output:
	// true true
	// refunds at skill://acme/refunds approved as sha256:e373206
	// "Ask twice.\n" <nil>
	// .
	// SKILL.md
	// logo.bin
	// references
	// references/GUIDE.md
}

func ExampleParseFrontmatter() {
	fields, err := skills.ParseFrontmatter([]byte("name: pdf\ntags: [forms, tables]\n"))
	fmt.Println(fields["name"], fields["tags"], err)
	_, err = skills.ParseFrontmatter([]byte("name: pdf\ntags: *all\n"))
	fmt.Println(err)
	// Output:
	// pdf [forms tables] <nil>
	// line 2, column 7: anchors, aliases, tags and special characters are not supported here; quote the text
}

func ExampleReader_Get() {
	ctx := context.Background()
	server := testserver.New(&testserver.Options{Custom: newServer()})
	client, err := mcp.Connect(ctx, stdio.Stream(server.Pipe()), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	reader := skills.NewReader(client, nil)
	skill, err := reader.Get(ctx, "skill://acme/refunds/SKILL.md")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = skill.Read(ctx, "other.md")
	fmt.Println(err)
	_, err = reader.List(ctx)
	fmt.Println(err)
	_, err = reader.ReadDir(ctx, skill.Root())
	fmt.Println(err)
	// Output:
	// skill "skill://acme/refunds/SKILL.md": file "other.md": not a file of the skill
	// <nil>
	// server "acme": resources/directory/read "skill://acme/refunds": unknown (code -32602)
}
