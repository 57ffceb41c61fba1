// Package faulttest runs a client against every hostile server of the fault
// matrix on every transport, and measures what a client holds and releases over
// a long time. It consists of tests:
//
//	go test -C internal/lab ./faulttest          # every cell; short runs of the rest
//	scripts/test matrix                          # every cell, and the matrix in Markdown
//	scripts/test figures | bytes | month | soak  # the rest at full length, with figures
//
// # The matrix
//
// The table in table_test.go and table_web_test.go is the matrix. A line of a row
// names transports, faults and what the client is expected to do. The faults are
// those of internal/testserver, by name. What no server can do alone is a
// scenario: a function of scenarios_test.go or scenarios_web_test.go.
//
// Whatever a line expects, each cell requires that every call returns at its
// deadline at the latest, that each id has exactly one outcome, that other calls
// survive unless the connection itself ends, that nothing panics, and that
// nothing is left: no goroutine, descriptor, child process or open stream at the
// server. The servers check the client as well: one that violates the protocol,
// or sends a credential to another origin, fails the cell.
package faulttest
