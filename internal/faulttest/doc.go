// Package faulttest runs a client against every hostile server of the fault
// matrix on every transport, and measures what a client holds and releases over
// a long time. It consists of tests:
//
//	go test ./internal/faulttest                                     # every cell; short runs of the rest
//	STDMCP_MATRIX=1 go test -v -run TestCells ./internal/faulttest   # and the matrix, in Markdown
//	scripts/long                                                      # all at full length, with figures
//
// # The matrix
//
// The table in table_test.go and table_web_test.go is the matrix: a line of a
// row says on which transports which faults lead to what. The faults are those
// of internal/testserver, by name. What no server can do alone is
// a deed: a function of deeds_test.go or deeds_web_test.go.
//
// Whatever a line expects, each cell demands that every call returns at its
// deadline at the latest, that each id has exactly one outcome, that other
// calls survive unless the connection itself dies, that nothing panics, and
// that nothing is left: no goroutine, no descriptor, no child, no open stream
// at the server. And the servers are judges: a client that sends what it may
// not, or sends a credential to another origin, fails the cell as well.
package faulttest
