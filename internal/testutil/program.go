package testutil

import (
	"errors"
	"io"
	"os"
	"runtime"
	"testing"
)

// PutProgram makes the program at from available at another path: with a link, or on
// Windows with a copy, as it removes no link to a program that runs.
func PutProgram(t testing.TB, from, path string) {
	t.Helper()
	if runtime.GOOS != "windows" {
		Must(t, os.Symlink(from, path))
		return
	}
	r, err := os.Open(from)
	Must(t, err)
	defer r.Close()
	w, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	Must(t, err)
	_, err = io.Copy(w, r)
	Must(t, errors.Join(err, w.Close()))
}
