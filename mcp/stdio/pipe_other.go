//go:build !linux

package stdio

import "os"

// growPipe does nothing: other systems have no such call or need none.
func growPipe(*os.File) {}

// unreadBytes returns -1: it is unknown how much a pipe holds.
func unreadBytes(*os.File) int64 { return -1 }
