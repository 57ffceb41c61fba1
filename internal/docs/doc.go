// Package docs tests the README and the documents in the folder docs: that each
// block of Go code compiles, and that each link inside the repository leads
// somewhere.
package docs
