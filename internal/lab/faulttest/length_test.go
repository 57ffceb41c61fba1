package faulttest

import "os"

// length is how often something is done: so often, or more in the long run.
func length(usual, long int) int {
	if os.Getenv("STDMCP_LONG") != "" {
		return long
	}
	return usual
}
