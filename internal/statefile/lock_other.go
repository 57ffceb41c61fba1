//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package statefile

import "sync"

// nonblock has no effect: this system has no pipes among its files.
const nonblock = 0

// locks holds the locked paths of this process. This system has no file locks,
// so other processes are not kept out.
var locks sync.Map

func tryLock(path string) (unlock func(), err error) {
	if _, taken := locks.LoadOrStore(path, true); taken {
		return nil, nil
	}
	return func() { locks.Delete(path) }, nil
}
