package testutil

import (
	"os"
	"runtime"
	"testing"
)

// SetConfigHome makes dir the folder of the user's settings on any system.
func SetConfigHome(t testing.TB, dir string) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("AppData", dir)
}

// CheckPrivate reports an error if others may read or write the file.
func CheckPrivate(t testing.TB, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" { // where files have no mode
		t.Errorf("%v, %v", info, err)
	}
}
