// Package growth measures how the time and the memory of a reader grow with its
// input. A [Reader] lists the dimensions of the input: for JSON text, the length of
// a key, the number of members, the depth. [Test] measures each dimension alone and
// each pair of them, one around the other, because the work of a reader can be the
// product of two dimensions of one input.
package growth
