//go:build !linux

package growth

import "time"

// threadTime reports that there is no clock of a thread; only memory is measured.
func threadTime() (time.Duration, bool) { return 0, false }
