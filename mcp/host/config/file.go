package config

import (
	"os"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/statefile"
)

// maxFile is the maximum size of a file in bytes.
const maxFile = 4 << 20

// readFile reads a regular file of at most maxFile bytes.
func readFile(name string) ([]byte, error) {
	f, err := statefile.Open(name)
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
