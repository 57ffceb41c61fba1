package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// native returns text with the errors of this system in place of those of Linux.
func native(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	reason := func(path string) string {
		var e *fs.PathError
		if _, err := os.Open(path); !errors.As(err, &e) {
			t.Fatal(err)
		}
		return e.Err.Error()
	}
	return strings.NewReplacer(
		"no such file or directory", reason(file+"-not"),
		"not a directory", reason(filepath.Join(file, "x")),
	).Replace(text)
}

// unquoted returns text as it is, and on Windows without quotes, which differ
// there.
func unquoted(text string) string {
	if runtime.GOOS != "windows" {
		return text
	}
	return strings.NewReplacer(`"`, "", "'", "").Replace(text)
}
