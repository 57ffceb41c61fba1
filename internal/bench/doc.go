// Package bench measures what a call costs, against the floor of the same
// machine in the same run: the same bytes exchanged with the same process over
// the same kind of pipe, with nothing parsed. Its tests print the figures and
// fail when one is over its budget:
//
//	scripts/figures
package bench
