//go:build race

package faulttest

// raceDetector says that everything takes several times the time and memory.
const raceDetector = true
