package testserver

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// skillsExtension identifies the extension of skills.
const skillsExtension = "io.modelcontextprotocol/skills"

const skillsRoot = "skill://echo/"

// A skillFile is a file of a skill.
type skillFile struct{ name, mimeType, text string }

// A skill is a directory of instructions and files for a model. Its first file is
// SKILL.md, whose frontmatter has the name and the description.
type skill struct {
	name, description string
	files             []skillFile
}

func newSkill(name, description, text string, files ...skillFile) skill {
	front := "---\nname: " + name + "\ndescription: " + description + "\n---\n\n"
	return skill{name, description, append([]skillFile{{"SKILL.md", "text/markdown", front + text}}, files...)}
}

var skills = []skill{
	newSkill("greet", "Greets people in their language.",
		"# Greeting\n\nCall the tool echo with a greeting from references/greetings.md.\n",
		skillFile{"references/greetings.md", "text/markdown", "- German: Grüß Gott\n- Chinese: 你好\n- Spanish: Buenos días\n"}),
	newSkill("sum", "Adds up a list of numbers.",
		"# Sum\n\nCall the tool add with two numbers, then with the sum and the next one.\n"),
}

func (s *skill) uri() string { return skillsRoot + s.name + "/" }

// entry returns what the server says about the skill.
func (s *skill) entry() string {
	var files []string
	for _, f := range s.files {
		sum := sha256.Sum256([]byte(f.text))
		files = append(files, `{"uri":`+quote(s.uri()+f.name)+`,"digest":"sha256:`+hex.EncodeToString(sum[:])+`","size":`+itoa(len(f.text))+"}")
	}
	return `{"uri":` + quote(s.uri()+"SKILL.md") + `,"frontmatter":{"name":` + quote(s.name) + `,"description":` + quote(s.description) +
		`},"resources":[` + strings.Join(files, ",") + "]}"
}

func (c *call) listSkills() {
	var items []string
	for i := range skills {
		items = append(items, skills[i].entry())
	}
	c.list("skills", items)
}

func (c *call) getSkill() {
	uri := c.params.text("uri")
	if c.refuseInvalid() {
		return
	}
	i := slices.IndexFunc(skills, func(s skill) bool { return s.uri()+"SKILL.md" == uri })
	if i < 0 {
		c.error(codeInvalidParams, "Skill not found", `{"uri":`+quote(uri)+"}")
		return
	}
	c.cacheable(`"skill":` + skills[i].entry())
}

// findSkillFile returns a file of a skill as a resource.
func findSkillFile(uri string) (resource, bool) {
	for i := range skills {
		for _, f := range skills[i].files {
			if skills[i].uri()+f.name == uri {
				return resource{uri: uri, mimeType: f.mimeType, text: f.text}, true
			}
		}
	}
	return resource{}, false
}
