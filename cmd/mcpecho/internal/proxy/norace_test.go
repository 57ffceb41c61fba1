//go:build !race

package proxy

const raceEnabled = false

const longest = maxMessage
