package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A File is a Store in a file that only its owner may read. Several processes
// may use it at the same time. It creates lock files in the same directory and
// does not remove them.
type File struct{ path string }

// NewFile returns a File at path. The first Save creates the file and its
// directory.
func NewFile(path string) *File { return &File{path} }

// maxFile limits the length of the file in bytes.
const maxFile = 16 << 20

// Load implements [Store].
func (f *File) Load(_ context.Context, key StoreKey) ([]byte, error) {
	entries, err := f.read()
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
	entries, err := f.read()
	if err != nil {
		return err
	}
	if data == nil {
		if entries[key].data == nil {
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

func (f *File) read() (map[StoreKey]entry, error) {
	if f.path == "" {
		return nil, errPath
	}
	entries := map[StoreKey]entry{}
	data, err := statefile.Read(f.path, maxFile, false)
	foreign := &Error{Rule: f.path + " is not a token file"}
	if _, large := diag.Find[*statefile.LargeError](err); large {
		return nil, foreign
	}
	if data == nil || err != nil {
		return entries, err
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
		return nil, foreign
	}
	return entries, nil
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
		return &Error{Rule: f.path + " would be larger than 16 MiB"}
	}
	return statefile.Replace(f.path, b)
}
