// Package eventstream reads event streams (text/event-stream), as section 9.2.6
// of the HTML standard defines them.
//
// A [Reader] follows the standard to the letter: an optional byte-order mark in
// front, lines that end in CR, LF or CRLF wherever the stream is split,
// comments, and ids that apply to later events. It returns an event as soon as
// the event's last line has ended. It copies the data of an event once, into
// memory of exactly its size; lines allocate nothing. Between events a Reader
// holds 2 KiB.
package eventstream
