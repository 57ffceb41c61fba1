//go:build race

package proxy

const raceEnabled = true

// longest is the length of the longest message of a test. The race detector makes the
// test server take a minute for one of 64 MiB.
const longest = 4 << 20
