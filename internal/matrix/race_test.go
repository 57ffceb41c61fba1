//go:build race

package matrix

// raceDetector says that everything takes several times the time and memory.
const raceDetector = true
