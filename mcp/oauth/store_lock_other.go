//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package oauth

import "sync"

// locks stands for files that cannot be locked here: it knows this process only.
var locks sync.Map

func tryLock(path string) (unlock func(), err error) {
	if _, taken := locks.LoadOrStore(path, true); taken {
		return nil, nil
	}
	return func() { locks.Delete(path) }, nil
}
