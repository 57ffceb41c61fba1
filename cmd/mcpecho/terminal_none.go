//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package main

import "os"

// hideTyping is not supported on this system.
func hideTyping(*os.File) (show func(), ok bool) { return nil, false }
