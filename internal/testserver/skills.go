package testserver

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"strings"
)

// skillsExtension identifies the extension of skills.
const skillsExtension = "io.modelcontextprotocol/skills"

// skillsRoot begins the URIs of the files of the folder features/skills.
const skillsRoot = "skill://echo/"

// skillFiles returns a folder with a folder for each skill.
func skillFiles() fs.FS {
	folder, err := fs.Sub(featureFiles, "features/skills")
	if err != nil {
		panic(err) // the name is valid
	}
	return folder
}

// skillEntries returns what the server says about its skills.
func skillEntries() (entries []string) {
	folder := skillFiles()
	skills, _ := fs.Glob(folder, "*/SKILL.md")
	for _, main := range skills {
		name := strings.TrimSuffix(main, "/SKILL.md")
		var files []string
		_ = fs.WalkDir(folder, name, func(path string, d fs.DirEntry, _ error) error {
			if !d.IsDir() {
				text, _ := fs.ReadFile(folder, path)
				sum := sha256.Sum256(text)
				files = append(files, `{"uri":`+quote(skillsRoot+path)+`,"digest":"sha256:`+hex.EncodeToString(sum[:])+`","size":`+itoa(len(text))+"}")
			}
			return nil
		})
		text, _ := fs.ReadFile(folder, main)
		_, rest, _ := strings.Cut(string(text), "\ndescription: ")
		description, _, _ := strings.Cut(rest, "\n")
		entries = append(entries, `{"uri":`+quote(skillsRoot+main)+`,"frontmatter":{"name":`+quote(name)+`,"description":`+quote(description)+
			`},"resources":[`+strings.Join(files, ",")+"]}")
	}
	return entries
}

func (c *call) getSkill() {
	uri := c.params.text("uri")
	if c.refuseInvalid() {
		return
	}
	for _, entry := range skillEntries() {
		if strings.HasPrefix(entry, `{"uri":`+quote(uri)+",") {
			c.cacheable(`"skill":` + entry)
			return
		}
	}
	c.error(codeInvalidParams, "Skill not found", `{"uri":`+quote(uri)+"}")
}

// skillFile returns the contents of a file of a skill, or "".
func skillFile(uri string) string {
	path, ok := strings.CutPrefix(uri, skillsRoot)
	text, err := fs.ReadFile(skillFiles(), path)
	if !ok || err != nil {
		return ""
	}
	return textContents(uri, "text/markdown", string(text))
}
