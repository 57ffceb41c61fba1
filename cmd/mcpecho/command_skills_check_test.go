package main

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestSkillsCheckOfHostileServers checks skills that a server makes wrong in every
// way that it can.
func TestSkillsCheckOfHostileServers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		make func(*mcptest.Server)
		want string
	}{
		"endless pages": {func(s *mcptest.Server) {
			s.Skill("skill://a/one", nil)
			s.EndlessSkills()
		}, "the list:\n  wrong    skills/list: "},
		"10,000 files": {func(s *mcptest.Server) { s.Skill("skill://a/one", nil).ListFiles(10_000) }, "at most 512 files"},
		"digest": {func(s *mcptest.Server) {
			s.Skill("skill://a/one", map[string]string{"x": "x"}).WrongDigest("x")
		}, `wrong    file "x": the digest differs`},
		"size": {func(s *mcptest.Server) {
			s.Skill("skill://a/one", map[string]string{"x": "x"}).WrongSize("x")
		}, `wrong    file "x": the size differs`},
		"frontmatter": {func(s *mcptest.Server) { s.Skill("skill://a/one", nil).WrongFrontmatter("license", "theirs") }, "the frontmatter differs"},
		"parent":      {func(s *mcptest.Server) { s.Skill("skill://a/one", nil).ListPath("../secret") }, "a file below skill://a/one"},
		"escaped":     {func(s *mcptest.Server) { s.Skill("skill://a/one", nil).ListPath("%2e%2e/secret") }, "a file below skill://a/one"},
		"empty part":  {func(s *mcptest.Server) { s.Skill("skill://a/one", nil).ListPath("a//b") }, "a file below skill://a/one"},
		"other place": {func(s *mcptest.Server) { s.Skill("skill://a/one", nil).ListPath("file:///etc/passwd") }, "a file below skill://a/one"},
		"change in between": {func(s *mcptest.Server) {
			s.Skill("skill://a/one", map[string]string{"x": "x"}).ChangeOnRead("x", "y")
		}, `wrong    file "x": the digest differs`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mcptest.New(t)
			tt.make(s)
			o := runCommand(t, "skills", "check", s.StartHTTP(nil).URL)
			if o.status != failure.Refused || !strings.Contains(o.stdout, tt.want) || strings.Contains(o.stdout, "nothing wrong") && name != "endless pages" {
				t.Errorf("%+v", o)
			}
		})
	}
}
