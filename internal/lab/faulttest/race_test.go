//go:build race

package faulttest

// raceDetector reports whether everything takes several times the time and memory.
const raceDetector = true
