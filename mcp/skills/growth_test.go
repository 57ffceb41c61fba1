package skills

import (
	"errors"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/growth"
)

// The input is a field of the frontmatter, other files, and the path of a file.
func TestGrowth(t *testing.T) {
	const file = `{"uri":"skill://a/b/f00000000","digest":"sha256:0000000100000001000000010000000100000001000000010000000100000001","size":1},`
	dimensions := append(growth.In(0, growth.JSON()...), growth.In(1, growth.Beside("files", "", file, ""))...)
	dimensions = append(dimensions, growth.In(2, growth.Beside("length of a path", "", "p", ""), growth.Beside("directories", "", "d/", ""), growth.Beside("escapes of a path", "", "%41", ""))...)
	growth.Test(t, &growth.Reader{Name: "entries of skills", Base: "0\x00\x00p", Flat: true, Limits: []string{"the limit is exceeded", "nested deeper than 128", "a file below", "more than 512", "no digest"},
		Bytes: 80, Reason: "an empty object of 2 bytes in the frontmatter is a map",
		Dimensions: dimensions,
		Prepare: func(input string) func() error {
			parts := strings.Split(input, "\x00")
			text := []byte(`{"uri":"skill://a/b/SKILL.md","frontmatter":{"name":"b","description":"d","x":` + parts[0] + `},"resources":[` +
				parts[1] + strings.Replace(file, "f00000000", parts[2]+"q", 1) +
				strings.TrimSuffix(strings.Replace(file, "f00000000", main, 1), ",") + `]}`)
			return func() error {
				s := newSkill(NewReader(nil, nil), text)
				if s.err == nil && (s.Digest() == "" || len(refusals(s.Files)) > 0) {
					return errors.New("the skill has no digest")
				}
				return s.err
			}
		}})
}
