package skills

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// FS returns the files of the skill as a file system, which implements fs.ReadDirFS,
// fs.ReadFileFS and fs.StatFS. Directories, names and sizes come from the entry,
// without requests. A file is read from the server, and verified as a whole, at its
// first Read. ctx applies to all reads. The errors are [*fs.PathError]s, which wrap
// the errors of [Skill.Read]. The files of a dynamic skill cannot be listed, but can
// be read by name with fs.ReadFile.
//
// Programs write the files to disk with it, by os.CopyFS or one by one. A file whose
// name is not the same file on every system is listed, but cannot be opened; the error
// matches [ErrName]. These are names of devices, such as CON and aux.txt, names that end
// with a space or a dot or contain invisible characters, and the later ones of names
// that differ only in case. [Skill.Read] reads them.
func (s *Skill) FS(ctx context.Context) fs.FS { return &fileSystem{ctx, s, refusals(s.Files)} }

type fileSystem struct {
	ctx     context.Context // of all reads, because fs.FS passes none
	s       *Skill
	refused map[string]string
}

// check returns why a file must not be read to write it to disk, or nil.
func (f *fileSystem) check(op, name string) error {
	reason, ok := f.refused[name]
	if !ok {
		reason = unportable(name) // of a dynamic skill
	}
	if reason == "" {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: wrong(f.s, ErrName, name, "", "", reason)}
}

// find returns what a path is: a file, a directory, or an error.
func (f *fileSystem) find(op, name string) (*node, error) {
	err := f.s.err
	switch {
	case !fs.ValidPath(name):
		err = fs.ErrInvalid
	case err != nil:
	case f.s.Dynamic:
		err = &Error{Skill: f.s.URI, File: name, Got: "only its server knows its files", Err: ErrDynamic}
	case name == ".":
		return &node{fsys: f, path: name, dir: true}, nil
	default:
		if file := find(f.s, name); file != nil && file.Name == name {
			return &node{fsys: f, path: name, file: file}, nil
		}
		if slices.ContainsFunc(f.s.Files, func(file File) bool { return strings.HasPrefix(file.Name, name+"/") }) {
			return &node{fsys: f, path: name, dir: true}, nil
		}
		err = &missing{Error{Skill: f.s.URI, File: name, Err: ErrNotListed}}
	}
	return nil, &fs.PathError{Op: op, Path: name, Err: err}
}

// missing is an [*Error] that also matches fs.ErrNotExist.
type missing struct{ e Error }

func (m *missing) Error() string        { return m.e.Error() }
func (m *missing) Unwrap() error        { return &m.e }
func (m *missing) Is(target error) bool { return target == fs.ErrNotExist }

func (f *fileSystem) Open(name string) (fs.File, error) {
	n, err := f.find("open", name)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return &openDir{node: n, entries: f.children(name)}, nil
	}
	if err := f.check("open", name); err != nil {
		return nil, err
	}
	return &openFile{node: n}, nil
}

func (f *fileSystem) Stat(name string) (fs.FileInfo, error) {
	n, err := f.find("stat", name)
	if err != nil {
		return nil, err
	}
	return n, nil
}

func (f *fileSystem) ReadFile(name string) ([]byte, error) {
	if f.s.err == nil && f.s.Dynamic && fs.ValidPath(name) && name != "." {
		if err := f.check("read", name); err != nil {
			return nil, err
		}
		data, err := f.s.Read(f.ctx, name)
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		return data, nil
	}
	n, err := f.find("read", name)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	if err := f.check("read", name); err != nil {
		return nil, err
	}
	return n.read()
}

func (f *fileSystem) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := f.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !n.dir {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	return f.children(name), nil
}

// children returns the entries of a directory in the order of their names.
func (f *fileSystem) children(dir string) []fs.DirEntry {
	prefix := dir + "/"
	if dir == "." {
		prefix = ""
	}
	list := []fs.DirEntry{}
	seen := make(map[string]bool)
	for i := range f.s.Files {
		file := &f.s.Files[i]
		rest, ok := strings.CutPrefix(file.Name, prefix)
		if !ok {
			continue
		}
		name, _, deeper := strings.Cut(rest, "/")
		if seen[name] {
			continue
		}
		seen[name] = true
		n := &node{fsys: f, path: prefix + name, dir: deeper}
		if !deeper {
			n.file = file
		}
		list = append(list, fs.FileInfoToDirEntry(n))
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// A node describes a file or a directory.
type node struct {
	fsys *fileSystem
	path string
	file *File // nil for a directory
	dir  bool
}

func (n *node) Name() string       { return path.Base(n.path) }
func (n *node) ModTime() time.Time { return time.Time{} }
func (n *node) IsDir() bool        { return n.dir }
func (n *node) Sys() any           { return nil }

func (n *node) Size() int64 {
	if n.dir {
		return 0
	}
	return n.file.Size
}

func (n *node) Mode() fs.FileMode {
	if n.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

func (n *node) read() ([]byte, error) {
	data, err := readFile(n.fsys.ctx, n.fsys.s, n.file)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: n.path, Err: err}
	}
	return data, nil
}

// An openFile reads its file at the first Read. It is not safe for concurrent
// use.
type openFile struct {
	*node
	data   *bytes.Reader
	closed bool
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.node, nil }

func (f *openFile) Read(p []byte) (int, error) {
	if f.closed {
		return 0, &fs.PathError{Op: "read", Path: f.path, Err: fs.ErrClosed}
	}
	if f.data == nil {
		data, err := f.read()
		if err != nil {
			return 0, err
		}
		f.data = bytes.NewReader(data)
	}
	return f.data.Read(p)
}

func (f *openFile) Close() error {
	f.closed, f.data = true, nil
	return nil
}

// An openDir is an open directory. It is not safe for concurrent use.
type openDir struct {
	*node
	entries []fs.DirEntry // not yet returned
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.node, nil }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.path, Err: fs.ErrInvalid}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(d.entries)
	} else if len(d.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.entries))
	list := d.entries[:n]
	d.entries = d.entries[n:]
	return list, nil
}
