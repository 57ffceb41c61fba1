package mcptest

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

// Extensions declares skills once there are any.
func (s *features) Extensions() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.skills == nil {
		return ""
	}
	return `"` + skills.Extension + `":{"directoryRead":true}`
}

// Extends reports whether a method is one of skills.
func (s *features) Extends(method string) bool {
	return s.Extensions() != "" && (strings.HasPrefix(method, "skills/") || method == "resources/directory/read")
}

var errNoSkill = &testserver.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no such skill or directory"}

func (s *features) serveSkills(method string, p *params) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch method {
	case "skills/list":
		return s.listSkills(p.Cursor)
	case "skills/get":
		for _, k := range s.skills {
			if k.URI == p.URI {
				return map[string]any{"skill": k.entry()}, nil
			}
		}
		return nil, errNoSkill
	}
	for _, k := range s.skills {
		if list := k.children(p.URI); list != nil {
			return map[string]any{"resources": list}, nil
		}
	}
	return nil, errNoSkill
}

func (s *features) listSkills(cursor string) (any, error) {
	list := []any{}
	for _, k := range s.skills {
		if !k.unlisted {
			list = append(list, k.entry())
		}
	}
	first := 0
	if cursor != "" {
		var err error
		if first, err = strconv.Atoi(cursor); err != nil || !s.endless && first >= len(list) {
			return nil, &testserver.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no page " + cursor}
		}
	}
	if s.endless {
		return map[string]any{"skills": list, "nextCursor": strconv.Itoa(first + 1)}, nil
	}
	end := len(list)
	if s.PageSize > 0 {
		end = min(first+s.PageSize, end)
	}
	result := map[string]any{"skills": list[first:end]}
	if end < len(list) {
		result["nextCursor"] = strconv.Itoa(end)
	}
	return result, nil
}

// entry returns the skill as lists have it.
func (k *Skill) entry() map[string]any {
	fields, err := k.fields()
	if err != nil {
		fields = map[string]any{} // SetFile has changed it
	}
	maps.Copy(fields, k.frontmatter)
	entry := map[string]any{"uri": k.URI, "frontmatter": fields, "resources": "dynamic"}
	if k.dynamic {
		return entry
	}
	list := []any{}
	for _, path := range k.paths() {
		digest, size := describe(k.files[path])
		switch k.wrong[path] {
		case "digest":
			digest, _ = describe(k.files[path] + "other")
		case "size":
			size++
		}
		list = append(list, map[string]any{"uri": k.uri(path), "digest": digest, "size": size})
	}
	digest, size := describe(secret)
	for _, uri := range k.extra {
		list = append(list, map[string]any{"uri": uri, "digest": digest, "size": size})
	}
	entry["resources"] = list
	return entry
}

// secret is the content of files that are only listed.
const secret = "secret"

func describe(content string) (digest string, size int) {
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(content))), len(content)
}

// children returns what a directory of the skill contains, or nil.
func (k *Skill) children(uri string) (list []any) {
	seen := map[string]bool{}
	for _, file := range k.paths() {
		rest, ok := strings.CutPrefix(k.uri(file), uri+"/")
		if !ok || !strings.HasPrefix(uri, k.dir) {
			continue
		}
		name, _, isDir := strings.Cut(rest, "/")
		if seen[name] {
			continue
		}
		seen[name] = true
		child := map[string]any{"uri": uri + "/" + name, "name": name, "mimeType": typeOfFile(file, k.files[file])}
		if isDir {
			child["mimeType"] = "inode/directory"
		}
		list = append(list, child)
	}
	return list
}

// fileOfSkill returns the resource of a file, or nil.
func (s *features) fileOfSkill(uri string) *feature {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.skills {
		for _, path := range k.paths() {
			if k.uri(path) != uri {
				continue
			}
			if changed, ok := k.changes[path]; ok {
				k.files[path] = changed
				delete(k.changes, path)
			}
			return fileFeature(path, uri, k.files[path])
		}
		for _, other := range k.extra {
			if other == uri {
				return fileFeature(uri, uri, secret)
			}
		}
	}
	return nil
}

func fileFeature(path, uri, content string) *feature {
	f := func(*Call) (any, error) { return content, nil }
	if !utf8.ValidString(content) {
		f = func(*Call) (any, error) { return []byte(content), nil }
	}
	return &feature{name: uri, f: f, mimeType: typeOfFile(path, content)}
}

func typeOfFile(name, content string) string {
	switch {
	case !utf8.ValidString(content):
		return "application/octet-stream"
	case path.Ext(name) == ".md":
		return "text/markdown"
	}
	return "text/plain"
}
