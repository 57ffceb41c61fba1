// Package testutil has helpers for the tests of several packages: a check for
// leaked goroutines and, on Linux, file descriptors and child processes, and a
// wait for a condition. Its own tests check the examples and the layers of the
// module. Only tests import it.
package testutil
