package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func TestSkills(t *testing.T) {
	t.Parallel()
	for _, version := range mcp.ProtocolVersions() {
		runWithServer(t, "skills", "--protocol", version).want(t, 0, "greet\tGreets people in their language.\nsum\tAdds up a list of numbers.\n", "")
	}
	var list struct{ Skills []struct{ URI string } }
	o := runWithServer(t, "skills", "--json")
	if err := json.Unmarshal([]byte(o.stdout), &list); err != nil || len(list.Skills) != 2 || list.Skills[0].URI != "skill://echo/greet/SKILL.md" {
		t.Errorf("%+v, %v", o, err)
	}
	greetings := "- German: Grüß Gott\n- Chinese: 你好\n- Spanish: Buenos días\n"
	for _, line := range []string{"greet references/greetings.md", "skill://echo/greet/SKILL.md ./references/greetings.md",
		"skill://echo/greet skill://echo/greet/references/greetings.md"} {
		runWithServer(t, append([]string{"skills", "read"}, strings.Fields(line)...)...).want(t, 0, greetings, "")
	}
	if o := runWithServer(t, "skills", "read", "sum"); o.status != 0 || !strings.HasPrefix(o.stdout, "---\nname: sum\n") {
		t.Errorf("%+v", o)
	}
	var read struct{ Contents []struct{ URI, Text string } }
	o = runWithServer(t, "skills", "read", "greet", "references/greetings.md", "--json")
	if err := json.Unmarshal([]byte(o.stdout), &read); err != nil || len(read.Contents) != 1 ||
		read.Contents[0].URI != "skill://echo/greet/references/greetings.md" || read.Contents[0].Text != greetings {
		t.Errorf("%+v, %v", o, err)
	}
	runWithServer(t, "skills", "check").want(t, 0, "greet, 2 files: nothing wrong\nsum, 1 file: nothing wrong\n", "")
	runWithServer(t, "skills", "check", "--json").want(t, 0, `{"skills":[{"uri":"skill://echo/greet/SKILL.md","name":"greet","files":2,"findings":[]},`+
		`{"uri":"skill://echo/sum/SKILL.md","name":"sum","files":1,"findings":[]}]}`+"\n", "")
	o = runCommandWithInput(t, "skills read greet references/greetings.md\nskills check\n", "shell", "--", "mcpecho", "serve")
	o.want(t, 0, greetings+"greet, 2 files: nothing wrong\nsum, 1 file: nothing wrong\n", "")
}

func TestSkillsTarget(t *testing.T) {
	if !apart(t) {
		return
	}
	inProject(t, nil)
	for _, line := range []string{"read mine sum", "mine read sum", "read mine sum SKILL.md"} {
		if o := runCommand(t, append([]string{"skills"}, strings.Fields(line)...)...); o.status != 0 || !strings.Contains(o.stdout, "# Sum\n") {
			t.Errorf("skills %s: %+v", line, o)
		}
	}
	for line, want := range map[string]string{
		"skills":                 "the server is missing",
		"skills check":           "the server is missing",
		"skills read mine":       "needs the NAME",
		"skills mine sum":        "the action must be read or check, not ",
		"skills mine chek":       "the action must be read or check, not ",
		"skills check mine sum":  "too many arguments",
		"skills read mine smu":   "(did you mean \"sum\"?)\ntype: mcpecho skills read mine sum\n",
		"skills read mine zzz":   "has no skill \"zzz\"\nfor a list, type: mcpecho skills mine\n",
		"skills read mine sum X": "not a file of the skill",
		"skills read mine greet references/greeting.md":        `did you mean "references/greetings.md"?`,
		"skills read mine skill://echo/sums/SKILL.md":          `did you mean "skill://echo/sum/SKILL.md"`,
		"skills read mine greet ../sum/SKILL.md":               "not a file of the skill",
		"skills read mine greet skill://echo/sum/SKILL.md":     "not a file of the skill",
		"skills read mine skill://echo/greet/SKILL.md /SKILLS": "not a file of the skill",
	} {
		o := runCommand(t, strings.Fields(line)...)
		if o.status != failure.Usage && o.status != failure.Refused || o.stdout != "" || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: no %q: %+v", line, want, o)
		}
	}
}

func TestServerWithoutSkills(t *testing.T) {
	t.Parallel()
	none := &testserver.Options{}
	runWithFault(t, none, "skills").want(t, 0, "", "The server offers no skills.")
	runWithFault(t, none, "skills", "-q", "--json").want(t, 0, `{"skills":[]}`+"\n", "")
	runWithFault(t, none, "skills", "check").want(t, 0, "", "The server offers no skills.")
	runWithFault(t, none, "skills", "read", "greet").want(t, failure.Refused, "", "the server offers no skills")
}

func TestSkillsThatAreWrong(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Skill("skill://a/right", nil)
	s.Skill("skill://a/digest", map[string]string{"a.txt": "a\n"}).WrongDigest("a.txt")
	s.Skill("skill://a/size", map[string]string{"b.txt": "b\n"}).WrongSize("b.txt")
	s.Skill("skill://a/front", nil).WrongFrontmatter("description", "\x1b[2Janother\u202e\nmcpecho: fine")
	s.Skill("skill://a/paths", nil).ListPath("../secret")
	s.Skill("skill://a/live", nil).Dynamic()
	s.Skill("skill://a/twice", nil)
	s.Skill("skill://b/twice", nil)
	url := s.StartHTTP(nil).URL

	o := runCommand(t, "skills", "check", url)
	for _, want := range []string{
		"right, 1 file: nothing wrong\n",
		"digest, 2 files:\n  wrong    file \"a.txt\": the digest differs",
		"size, 2 files:\n  wrong    file \"b.txt\": the size differs",
		"front, 1 file:\n  wrong    ",
		"live, 0 files:\n  careful  its files are dynamic",
	} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in:\n%s", want, o.stdout)
		}
	}
	if o.status != failure.Refused || !strings.Contains(o.stderr, "mcpecho: the skills have ") || strings.ContainsAny(o.stdout, "\x1b\u202e") {
		t.Errorf("%+v", o)
	}
	if o := runCommand(t, "skills", "check", url, "--json"); o.status != failure.Refused || !json.Valid([]byte(o.stdout)) ||
		!strings.Contains(o.stdout, `"severity":"warning"`) {
		t.Errorf("%+v", o)
	}
	for line, want := range map[string]string{"digest a.txt": "the digest differs", "size b.txt": "the size differs", "front": "frontmatter",
		"paths": "", "live": "dynamic", "twice": "several skills are named"} {
		o := runCommand(t, append([]string{"skills", "read", url}, strings.Fields(line)...)...)
		if o.status == 0 || o.stdout != "" || !strings.Contains(o.stderr, want) || strings.ContainsAny(o.stderr, "\x1b\u202e") {
			t.Errorf("%s: %+v", line, o)
		}
	}
	o = runCommand(t, "skills", url)
	if !strings.Contains(o.stdout, "skill://a/twice/SKILL.md\t") || !strings.Contains(o.stdout, "skill://b/twice/SKILL.md\t") || strings.ContainsAny(o.stdout, "\x1b\u202e") {
		t.Errorf("%+v", o)
	}
}

func TestSkillsInABinaryFile(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Skill("skill://a/logo", map[string]string{"logo.png": "\x89PNG\xff"})
	file := t.TempDir() + "/logo.png"
	if o := runCommand(t, "skills", "read", s.StartHTTP(nil).URL, "logo", "logo.png", "-o", file); o.status != 0 {
		t.Errorf("%+v", o)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "\x89PNG\xff" {
		t.Errorf("%q, %v", data, err)
	}
}
