//go:build !race

package main

import "os"

// childBinary returns this test binary.
func childBinary(string) (string, error) { return os.Executable() }
