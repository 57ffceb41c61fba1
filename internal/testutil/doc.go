// Package testutil holds what the tests of several packages share: a check that
// nothing is left behind (goroutines and, on Linux, file descriptors and
// children), and waiting for a condition. Its own tests compile the README, the
// documents in docs and the examples. Only tests import it.
package testutil
