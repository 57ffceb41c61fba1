// Package yamltest compares the parser of frontmatter of mcp/skills with
// gopkg.in/yaml.v3: what ours accepts has the same meaning there. It is a module of
// its own, because the main one requires none.
package yamltest
