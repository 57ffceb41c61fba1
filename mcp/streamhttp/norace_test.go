//go:build !race

package streamhttp

// raceDetector reports whether everything takes several times the time and memory.
const raceDetector = false
