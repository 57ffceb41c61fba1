package diag

import "strings"

// A NotPassedError is the error of a server whose reason names variables that are set
// in this process, but that the server did not get.
type NotPassedError struct {
	Err   error
	Names []string
}

func (e *NotPassedError) Error() string {
	return e.Err.Error() + "; " + e.Advice("pass", " with Env")
}
func (e *NotPassedError) Unwrap() error { return e.Err }

// Advice returns what to add to the text of Err: the variables, and after do the word
// for them and how.
func (e *NotPassedError) Advice(do, how string) string {
	are, them := " is", " it"
	if len(e.Names) > 1 {
		are, them = " are", " them"
	}
	return strings.Join(e.Names, ", ") + are + " set here but not passed to servers; " + do + them + how
}
