package main

import "fmt"

// The formats of figures.

func times(v float64) string { return fmt.Sprintf("%.2f ×", v) }
func count(v float64) string { return fmt.Sprintf("%.0f", v) }

func size(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.2f MB", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.1f KB", v/1e3)
	}
	return fmt.Sprintf("%.0f B", v)
}

func duration(seconds float64) string {
	switch {
	case seconds >= 1e-3:
		return fmt.Sprintf("%.2f ms", seconds*1e3)
	case seconds >= 1e-5:
		return fmt.Sprintf("%.0f µs", seconds*1e6)
	}
	return fmt.Sprintf("%.1f µs", seconds*1e6)
}
