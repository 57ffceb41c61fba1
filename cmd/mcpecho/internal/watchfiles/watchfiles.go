// Package watchfiles finds the files that the command of a server names, and waits
// for changes of them. It polls, because every system can do that.
package watchfiles

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Limits of a Watcher.
const (
	MaxFiles   = 4096  // files that are watched
	maxEntries = 20000 // directory entries that one poll reads
)

// Interval is the time between polls.
const Interval = 500 * time.Millisecond

// Files must not change for so long before Wait returns: a build writes many, and an
// editor may remove a file before it writes it anew.
const (
	quiet        = 300 * time.Millisecond
	quietMissing = 5 * time.Second // while a named file is missing
)

// sources are the extensions of the files that are watched in a directory which a
// command names. The directory may also hold data that the server itself writes.
var sources = []string{
	".c", ".cc", ".cjs", ".clj", ".cpp", ".cs", ".cts", ".dart", ".ex", ".exs", ".fs", ".go", ".h", ".hs", ".java", ".jl", ".js", ".jsx",
	".kt", ".kts", ".lua", ".mjs", ".ml", ".mod", ".mts", ".php", ".pl", ".ps1", ".py", ".r", ".rb", ".rs", ".scala", ".sh", ".sql", ".swift",
	".toml", ".ts", ".tsx", ".zig",
}

// Named returns the files and directories that a command names when it is started in
// dir: its program, arguments that are paths, and values of flags that are. An empty
// dir means the current folder.
func Named(dir string, command ...string) (paths []string) {
	add := func(path string) bool {
		if path == "" {
			return false
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			return false
		}
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
		return true
	}
	for i, word := range command {
		if i == 0 && filepath.Base(word) == word {
			if program, err := exec.LookPath(word); err == nil {
				add(program)
			}
			continue
		}
		if _, value, ok := strings.Cut(word, "="); !add(word) && ok && strings.HasPrefix(word, "-") {
			add(value)
		}
	}
	return paths
}

// A Watcher waits for changes of files. One goroutine at a time may use it.
type Watcher struct {
	named []string // only sources are watched in directories
	whole []string // all files are watched in directories
	seen  snapshot
}

// A snapshot is what one poll found.
type snapshot struct {
	files   map[string]stamp
	missing bool // whether a named file or directory does not exist
	cut     bool // whether a limit was reached
}

// A stamp changes whenever a file does.
type stamp struct {
	size    int64
	mode    fs.FileMode
	changed time.Time
}

// New returns a Watcher of the paths that a command names, as Named returns them, and
// of those that the user names. In a directory it watches the files at any depth, for
// named only sources, but never those in node_modules, __pycache__ and hidden directories.
func New(named, whole []string) *Watcher {
	w := &Watcher{named: named, whole: whole}
	w.seen = w.poll()
	return w
}

// Files returns the number of files that are watched, and whether there are more
// than a Watcher watches.
func (w *Watcher) Files() (n int, more bool) { return len(w.seen.files), w.seen.cut }

// Wait polls at each tick, whose value is the time, until files have changed and then
// stayed as they are for a moment. It returns the sorted paths of these files, or the
// cause of ctx. A change between calls is not lost.
func (w *Watcher) Wait(ctx context.Context, ticks <-chan time.Time) (changed []string, err error) {
	last := w.seen
	var since time.Time // of last
	for {
		var now time.Time
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case now = <-ticks:
		}
		current := w.poll()
		if since.IsZero() || len(changes(last, current)) > 0 {
			last, since = current, now
		}
		if changed = changes(w.seen, current); len(changed) == 0 {
			continue
		}
		pause := quiet
		if current.missing {
			pause = quietMissing
		}
		if now.Sub(since) >= pause {
			w.seen = current
			return changed, nil
		}
	}
}

// changes returns the paths that differ. A limit hides files, so that one that was not
// seen need not be new or removed.
func changes(old, current snapshot) (paths []string) {
	for path, before := range old.files {
		after, ok := current.files[path]
		if ok && (after.size != before.size || after.mode != before.mode || !after.changed.Equal(before.changed)) || !ok && !current.cut {
			paths = append(paths, path)
		}
	}
	for path := range maps.Keys(current.files) {
		if _, ok := old.files[path]; !ok && !old.cut && !current.cut {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

func (w *Watcher) poll() snapshot {
	p := poll{snapshot: snapshot{files: make(map[string]stamp)}, left: maxEntries}
	for _, path := range w.whole {
		p.add(path, nil)
	}
	for _, path := range w.named {
		p.add(path, sources)
	}
	return p.snapshot
}

// A poll fills a snapshot.
type poll struct {
	snapshot
	left int // directory entries that may still be read
}

// add adds a file, or those in a directory that have one of the extensions; nil means
// all.
func (p *poll) add(path string, extensions []string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		p.missing = true
	case info.IsDir():
		p.addFolder(path, extensions)
	default:
		p.addFile(path, info)
	}
}

func (p *poll) addFile(path string, info fs.FileInfo) {
	switch {
	case !info.Mode().IsRegular():
	case len(p.files) >= MaxFiles:
		p.cut = true
	default:
		p.files[path] = stamp{info.Size(), info.Mode(), info.ModTime()}
	}
}

// addFolder reads a directory in small parts, as it may be of any size.
func (p *poll) addFolder(dir string, extensions []string) {
	f, err := os.Open(dir)
	if err != nil {
		return // such as one without permission
	}
	var folders []string
	for !p.cut {
		entries, err := f.ReadDir(256)
		for _, e := range entries {
			if p.left--; p.left < 0 {
				p.cut = true
				break
			}
			path := filepath.Join(dir, e.Name())
			switch {
			case e.IsDir():
				if !isSkipped(e.Name()) {
					folders = append(folders, path)
				}
			case extensions == nil || slices.Contains(extensions, strings.ToLower(filepath.Ext(path))):
				if info, err := os.Stat(path); err == nil {
					p.addFile(path, info)
				}
			}
		}
		if err != nil {
			break
		}
	}
	_ = f.Close() // before the next level, so that few files are open
	for _, folder := range folders {
		if !p.cut {
			p.addFolder(folder, extensions)
		}
	}
}

// isSkipped reports whether no file in a directory with this name is watched.
func isSkipped(name string) bool {
	return name == "node_modules" || name == "__pycache__" || strings.HasPrefix(name, ".")
}
