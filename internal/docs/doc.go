// Package docs tests README, the documents in the folder docs and the examples:
// that each block of Go code compiles and programs run, that configuration is
// read, that links inside the repository lead somewhere, and that each function
// of a package is used in an example.
package docs
