//go:build !linux

package stdio

import "os"

// growPipe does nothing: other systems have no such call or need none.
func growPipe(*os.File) {}

// readNothing reports false: it is unknown how much a pipe holds.
func (*process) readNothing() bool { return false }
