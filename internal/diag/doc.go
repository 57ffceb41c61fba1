// Package diag prepares errors and text of servers for people: it names the
// operation that failed, makes text printable, and replaces secrets.
package diag
