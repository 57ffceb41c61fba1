package config

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/diag"
)

// maxFile is the maximum size of a file in bytes.
const maxFile = 4 << 20

// readFile reads a regular file of at most maxFile bytes. It opens nothing
// else: a pipe without a writer would block, and a device has no end.
func readFile(name string) ([]byte, error) {
	device := !filepath.IsLocal(filepath.Base(name)) // of Windows, such as aux.json
	if info, err := os.Stat(name); device || err == nil && !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: name, Err: diag.Message("not a regular file")}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := buffers.ReadUpTo(f, maxFile+1)
	if err == nil && len(data) > maxFile {
		err = &os.PathError{Op: "read", Path: name, Err: diag.Message("is larger than " + strconv.Itoa(maxFile>>20) + " MiB")}
	}
	return data, err
}

// LoadFile reads one file, whose servers have the scope "local". Unlike [Load],
// it ignores the files in the home directory and in the project. A file that is
// not regular or is larger than 4 MiB is a Problem.
func LoadFile(name string) *Config {
	c := &Config{}
	c.read(name, "local")
	return c
}
