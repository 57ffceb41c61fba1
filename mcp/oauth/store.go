package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Store holds tokens and registrations, which are secret, as JSON. It may
// outlive a Transport and be shared by several. Its methods must be safe for
// concurrent use.
type Store interface {
	// Load returns the data saved under key, or nil if there is none.
	Load(ctx context.Context, key StoreKey) ([]byte, error)

	// Save saves data under key, or deletes the entry if data is nil.
	Save(ctx context.Context, key StoreKey, data []byte) error

	// Lock waits until no other goroutine, and no other process that shares the
	// store, holds the lock for key. A Transport may hold it while the user logs
	// in. The lock must be released if the process dies.
	Lock(ctx context.Context, key StoreKey) (unlock func(), err error)
}

// A StoreKey identifies an entry in a Store. A token has all three fields, a
// registration no Resource. The entry without Issuer records which token a
// Transport uses.
type StoreKey struct {
	Issuer   string // the authorization server
	Resource string // the MCP server
	Client   string // the client ID
}

// A Memory is a Store in memory. The zero value is empty and ready to use.
type Memory struct {
	mu    lock.Mutex                 // guards both maps
	data  *map[StoreKey]entry        // a pointer, so that printing a struct with a Memory shows no secret
	locks map[StoreKey]chan struct{} // holds a value while locked
}

// maxRegistrations is how many registrations a Memory or a File keeps, each under
// two keys. A server can name another authorization server each time.
const maxRegistrations = 100

// dropRegistrations deletes the oldest registrations if there are too many, and
// first those with whose authorization servers no token is stored.
func dropRegistrations(entries map[StoreKey]entry) {
	used, tokens := map[string]bool{}, 0
	for key := range entries {
		if key.Resource != "" {
			used[key.Issuer] = true
			tokens++
		}
	}
	for len(entries)-tokens > 2*maxRegistrations {
		var oldest *StoreKey
		for key, e := range entries {
			if key.Resource != "" {
				continue
			}
			if oldest == nil || !used[key.Issuer] && used[oldest.Issuer] || used[key.Issuer] == used[oldest.Issuer] && e.saved < entries[*oldest].saved {
				oldest = &key
			}
		}
		delete(entries, *oldest)
	}
}

// An entry is what a Memory or a File holds under a key.
type entry struct {
	data  []byte
	saved int64 // Unix time in milliseconds
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory { return &Memory{} }

// entriesLocked returns the map, which may be nil.
func (m *Memory) entriesLocked() map[StoreKey]entry {
	if m.data == nil {
		return nil
	}
	return *m.data
}

// Load implements [Store].
func (m *Memory) Load(_ context.Context, key StoreKey) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entriesLocked()[key].data, nil
}

// Save implements [Store].
func (m *Memory) Save(_ context.Context, key StoreKey, data []byte) error {
	m.mu.Lock()
	if m.data == nil {
		m.data = &map[StoreKey]entry{}
	}
	if data == nil {
		delete(*m.data, key)
	} else {
		(*m.data)[key] = entry{append([]byte(nil), data...), time.Now().UnixMilli()}
		dropRegistrations(*m.data)
	}
	m.mu.Unlock()
	return nil
}

// Lock implements [Store].
func (m *Memory) Lock(ctx context.Context, key StoreKey) (func(), error) {
	m.mu.Lock()
	if m.locks == nil {
		m.locks = map[StoreKey]chan struct{}{}
	}
	l := m.locks[key]
	if l == nil {
		l = make(chan struct{}, 1)
		m.locks[key] = l
	}
	m.mu.Unlock()
	select {
	case l <- struct{}{}:
		return func() { <-l }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// A File is a Store in a file that only its owner may read. Several processes
// may use it at the same time. It creates lock files in the same directory and
// does not remove them.
//
// A file that is not JSON, because a crash has truncated it, counts as empty. The next
// Save keeps it, with mode 0600, under its name with ".broken" at the end. JSON that is
// no token file, or one of a later version, is an error.
type File struct {
	// Report, if not nil, receives the error about a file that is not JSON, once. Set it
	// before the first use.
	Report func(error)

	path     string
	reported atomic.Bool
}

// NewFile returns a File at path. The first Save creates the file and its
// directory.
func NewFile(path string) *File { return &File{path: path} }

// maxFile limits the length of the file in bytes.
const maxFile = 16 << 20

// Load implements [Store].
func (f *File) Load(_ context.Context, key StoreKey) ([]byte, error) {
	entries, _, err := f.read()
	return entries[key].data, err
}

// Save implements [Store].
func (f *File) Save(ctx context.Context, key StoreKey, data []byte) error {
	if data != nil {
		if err := wire.Valid(data); err != nil {
			return err
		}
	}
	if err := f.makeDir(); err != nil {
		return err
	}
	unlock, err := statefile.Lock(ctx, f.path+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	entries, broken, err := f.read()
	if err == nil && broken != nil {
		err = statefile.Replace(f.path+".broken", broken)
	}
	if err != nil {
		return err
	}
	if data == nil {
		if broken == nil && entries[key].data == nil {
			return nil
		}
		delete(entries, key)
	} else {
		entries[key] = entry{data, time.Now().UnixMilli()}
		dropRegistrations(entries)
	}
	return f.write(entries)
}

// Lock implements [Store].
func (f *File) Lock(ctx context.Context, key StoreKey) (func(), error) {
	if err := f.makeDir(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(key.Issuer + "\n" + key.Resource + "\n" + key.Client))
	return statefile.Lock(ctx, f.path+"."+hex.EncodeToString(sum[:8])+".lock")
}

// errPath is the error of a File without a path.
var errPath = errors.New("oauth: NewFile: the path is empty")

// makeDir creates the directory of the file.
func (f *File) makeDir() error {
	if f.path == "" {
		return errPath
	}
	return os.MkdirAll(filepath.Dir(f.path), 0o700)
}

// read returns the entries, or the content of a file that is not JSON.
func (f *File) read() (entries map[StoreKey]entry, broken []byte, err error) {
	if f.path == "" {
		return nil, nil, errPath
	}
	entries = map[StoreKey]entry{}
	data, err := statefile.Read(f.path, maxFile, false)
	foreign := ruleError("", f.path+" is not a token file, or one of a later version", nil)
	if _, large := diag.Find[*statefile.LargeError](err); large {
		return nil, nil, foreign
	}
	if data == nil || err != nil {
		return entries, nil, err
	}
	if err := wire.Valid(data); err != nil {
		if f.Report != nil && !f.reported.Swap(true) {
			f.Report(ruleError("", f.path+" is damaged, and its logins are lost; the next login keeps it as "+f.path+".broken", err))
		}
		return entries, data, nil
	}
	r := wire.NewReader(data)
	for r.Array(); r.More(); {
		var key StoreKey
		var value entry
		for r.Object(); r.More(); {
			switch string(r.Key()) {
			case "issuer":
				key.Issuer = r.String()
			case "resource":
				key.Resource = r.String()
			case "client":
				key.Client = r.String()
			case "data":
				value.data = r.Raw()
			case "saved":
				value.saved = r.Int()
			default:
				r.Skip()
			}
		}
		entries[key] = value
	}
	if r.End() != nil {
		return nil, nil, foreign
	}
	return entries, nil, nil
}

// write replaces the file atomically.
func (f *File) write(entries map[StoreKey]entry) error {
	b := []byte{'['}
	for key, e := range entries {
		b = append(wire.AppendComma(b), "\n {"...)
		b = wire.AppendString(wire.AppendKey(b, "issuer"), key.Issuer)
		b = wire.AppendString(wire.AppendKey(b, "resource"), key.Resource)
		b = wire.AppendString(wire.AppendKey(b, "client"), key.Client)
		b = wire.AppendInt(wire.AppendKey(b, "saved"), e.saved)
		b = append(wire.AppendLine(wire.AppendKey(b, "data"), e.data), '}')
	}
	b = append(b, "\n]\n"...)
	if len(b) > maxFile {
		return ruleError("", f.path+" would be larger than 16 MiB", nil)
	}
	return statefile.Replace(f.path, b)
}
