//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package main

import "os"

// hideTyping cannot be done here.
func hideTyping(*os.File) (show func(), ok bool) { return nil, false }
