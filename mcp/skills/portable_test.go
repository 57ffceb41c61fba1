package skills_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/skills"
)

// fileNames are names of files, and whether they are refused when they are written.
var fileNames = map[string]bool{
	"references/GUIDE.md": false, "عربي/می\u200cخواهم.md": false, "क्\u200dष.md": false, "👩\u200d👩\u200d👧 ❤️.md": false, ".hidden": false, "console.md": false, "com.txt": false,
	"COM10": false, "COM1 2": false, "a b.md": false, "lpt": false, "resume.md": false, "résumé.md": false, "x/nul0": false,
	"CON": true, "con.md": true, "aux.txt": true, "x/NUL": true, "nul .tar.gz": true, "COM1": true, "lpt9.md": true, "COM¹.txt": true, "Prn/x.md": true,
	"conin$": true, "clock$.x": true, "trailing.": true, "trailing ": true, "x. /y.md": true, "...": true,
	"REFERE~1/x.md": true, "x/git~12": true, "skill~1.md": true, "a~b.md": false, "~1.md": false, "backup~": false, "longer-name~1.md": false,
	"re\u202egpj.md": true, "a\u200bb.md": true, "a\u200db.md": true, "a\u2060.md": true, "سلام\u200c.md": true,
	// The first of two names is kept.
	"A.md": false, "a.md": true, "x/Kelvin.md": false, "x/\u212aelvin.md": true, "STRAßE": false, "Straße": true, "e\u0301.md": false, "\u00e9.md": true,
	"\u1100\u1161.md": false, "\uac00.md": true, "\u30ab\u3099": false, "\u30ac/x": true, "DIR": false, "Dir/a.md": true, "dIR/x": true, "\u03c9": false,
	"\u2126": true, "One/a.md": false, "one/b.md": false, "one/A.md": true, "Zed/a.md": false, "zed": true,
	"grosse.md": false, "große.md": true, "\u1ebf.md": false, "\u00ea\u0301.md": true, "e\u0323\u0302": true, "\u1ec7/x": false, "\u8c48.md": false, "\uf900.md": true,
	"\U0002f800": true, "\ufb01le": true, "\u03ac": false, "\u1f71": true, "\u03b1\u0301": true, "\u03b9\u0399x": false, "สวัสดี/ที่": false, "ภาษา": false, "हिन्दी": false,
}

func portableSkill(t *testing.T) *skills.Skill {
	s := newServer()
	for name := range fileNames {
		s.files["skill://acme/refunds/"+name] = "content of " + name
	}
	s.entries = []any{s.entry("refunds", refunds)}
	return s.skill(t, nil)
}

// A file whose name some system takes for another one, or shows as another, is refused
// when it is written, and only that one; a model can still read it.
func TestNamesThatAreNotPortable(t *testing.T) {
	skill := portableSkill(t)
	if skill.Err() != nil {
		t.Fatal(skill.Err())
	}
	fsys := skill.FS(t.Context())
	dir := t.TempDir()
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		f, opened := fsys.Open(name)
		if opened == nil {
			f.Close()
		}
		refused := errors.Is(err, skills.ErrName)
		if want, ok := fileNames[name]; ok && refused != want || refused != errors.Is(opened, skills.ErrName) || !refused && err != nil {
			t.Errorf("%q: %v, %v", name, err, opened)
		}
		if text, err := skill.Read(t.Context(), name); err != nil || !refused && string(text) != string(data) {
			t.Errorf("%q: %q, %v", name, text, err)
		}
		if refused {
			return nil
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		f2, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		return f2.Close()
	})
	if err != nil {
		t.Error(err)
	}
}

// A line break of Unicode in a name could begin a line of its own in a text for a model.
func TestLineBreaksInNames(t *testing.T) {
	for _, c := range []string{"\u2028", "\u2029", "\u0085", "%E2%80%A8", "\r\n"} {
		s := newServer()
		s.add(listed("skill://acme/refunds/a"+c+"b.md", ""))
		wantError(t, s.skill(t, nil).Err(), skills.ErrInvalid)
	}
}
