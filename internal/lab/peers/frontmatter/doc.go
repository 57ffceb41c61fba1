// Package frontmatter compares the parser of mcp/skills with gopkg.in/yaml.v3: what
// ours accepts has the same meaning there.
package frontmatter
