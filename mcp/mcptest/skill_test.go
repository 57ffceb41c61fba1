package mcptest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

const refunds = "skill://acme/refunds"

var refundFiles = map[string]string{
	"SKILL.md":            "---\nname: refunds\ndescription: Process refunds\n---\n\nSee [the guide](references/GUIDE.md).\n",
	"references/GUIDE.md": "Ask twice.\n", "logo.bin": "\xff\x00\x01", "a b%.txt": "x",
}

// TestSkill: every file is verified, in both eras.
func TestSkill(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
		t.Run(version, func(t *testing.T) {
			s := mcptest.New(t)
			s.ProtocolVersions, s.PageSize = []string{version}, 1
			s.Skill(refunds, refundFiles)
			s.Skill("skill://acme/other", nil).Unlisted()
			s.Skill("skill://acme/generated", nil).Dynamic()
			r := skills.NewReader(s.Connect(nil), nil)
			list, err := r.List(t.Context())
			if err != nil || len(list) != 2 || list[0].Name != "refunds" || !list[1].Dynamic {
				t.Fatalf("%v, %v", list, err)
			}
			for path, want := range refundFiles {
				if got, err := list[0].Read(t.Context(), path); err != nil || string(got) != want {
					t.Errorf("%s: %q, %v", path, got, err)
				}
			}
			children, err := r.ReadDir(t.Context(), refunds)
			if err != nil || len(children) != 4 || children[3].MIMEType != "inode/directory" {
				t.Errorf("children %v, %v", children, err)
			}
			if _, err := r.ReadDir(t.Context(), "skill://none"); err == nil {
				t.Error("there is no such directory")
			}
			other, err := r.Get(t.Context(), "skill://acme/other/SKILL.md")
			if err != nil {
				t.Fatal(err)
			}
			if text, err := other.Read(t.Context(), "SKILL.md"); err != nil || !strings.Contains(string(text), "name: other") {
				t.Errorf("%s, %v", text, err)
			}
			if _, err := r.Get(t.Context(), "skill://none/SKILL.md"); err == nil {
				t.Error("there is no such skill")
			}
		})
	}
}

// TestSkillFaults: a client that verifies finds each.
func TestSkillFaults(t *testing.T) {
	for name, test := range map[string]struct {
		fault func(*mcptest.Skill)
		file  string
		want  error
	}{
		"digest":       {func(k *mcptest.Skill) { k.WrongDigest("logo.bin") }, "logo.bin", skills.ErrDigest},
		"size":         {func(k *mcptest.Skill) { k.WrongSize("logo.bin") }, "logo.bin", skills.ErrSize},
		"frontmatter":  {func(k *mcptest.Skill) { k.WrongFrontmatter("description", "Harmless") }, "SKILL.md", skills.ErrFrontmatter},
		"parent":       {func(k *mcptest.Skill) { k.ListPath("../secret") }, "SKILL.md", skills.ErrInvalid},
		"escaped":      {func(k *mcptest.Skill) { k.ListPath("%2e%2e/secret") }, "SKILL.md", skills.ErrInvalid},
		"another root": {func(k *mcptest.Skill) { k.ListPath("file:///etc/passwd") }, "SKILL.md", skills.ErrInvalid},
		"10,000 files": {func(k *mcptest.Skill) { k.ListFiles(10_000) }, "SKILL.md", skills.ErrLimit},
		"dynamic":      {func(k *mcptest.Skill) { k.Dynamic() }, "SKILL.md", skills.ErrDynamic},
	} {
		t.Run(name, func(t *testing.T) {
			s := mcptest.New(t)
			test.fault(s.Skill(refunds, refundFiles))
			list, err := skills.NewReader(s.Connect(nil), nil).List(t.Context())
			if err != nil || len(list) != 1 {
				t.Fatalf("%v, %v", list, err)
			}
			if data, err := list[0].Read(t.Context(), test.file); !errors.Is(err, test.want) || data != nil {
				t.Errorf("%q, %v, want %v", data, err, test.want)
			}
		})
	}
}

// TestListedFileIsServed, so that a client without verification gets it.
func TestListedFileIsServed(t *testing.T) {
	s := mcptest.New(t)
	s.Skill(refunds, nil).ListPath("../secret")
	res, err := s.Connect(nil).ReadResource(t.Context(), refunds+"/../secret")
	if err != nil || res.Contents[0].Text != "secret" {
		t.Errorf("%v, %v", res, err)
	}
}

func TestEndlessSkills(t *testing.T) {
	s := mcptest.New(t)
	s.Skill(refunds, nil)
	s.EndlessSkills()
	r := skills.NewReader(s.Connect(&mcp.Options{MaxPages: 20}), nil)
	if list, err := r.List(t.Context()); !errors.Is(err, mcp.ErrListLimit) || len(list) != 20 {
		t.Errorf("%d skills, %v", len(list), err)
	}
}

// TestFaultsOfMethodsOfSkills: Inject knows them as any other method.
func TestFaultsOfMethodsOfSkills(t *testing.T) {
	s := mcptest.New(t)
	s.Skill(refunds, nil)
	r := skills.NewReader(s.Connect(nil), nil)
	s.Inject("skills/list", mcptest.Malformed(), mcptest.Flood(3))
	if _, err := r.List(t.Context()); err == nil {
		t.Error("a malformed response is a list")
	}
	if list, err := r.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("after a flood: %v, %v", list, err)
	}
}

// TestWithoutSkills: a server without skills does not declare the extension.
func TestWithoutSkills(t *testing.T) {
	s := mcptest.New(t)
	greeter(s)
	if client := s.Connect(nil); client.Server().Capabilities.Extensions != nil {
		t.Errorf("extensions %v", client.Server().Capabilities.Extensions)
	}
}

// A client that holds an entry reads a file that has changed meanwhile.
func ExampleServer_Skill() {
	t := &fakeTest{} // in a test: t *testing.T
	defer t.end()
	server := mcptest.New(t)
	skill := server.Skill("skill://acme/refunds", map[string]string{"GUIDE.md": "Ask twice."})
	skill.ChangeOnRead("GUIDE.md", "Never ask.")

	ctx := context.Background()
	reader := skills.NewReader(server.Connect(nil), nil)
	for range 2 {
		entry, err := reader.Get(ctx, skill.URI)
		if err != nil {
			fmt.Println(err)
			return
		}
		text, err := entry.Read(ctx, "GUIDE.md")
		fmt.Printf("%q %t\n", text, errors.Is(err, skills.ErrSize) || errors.Is(err, skills.ErrDigest))
	}
	// Output:
	// "" true
	// "Never ask." false
}
