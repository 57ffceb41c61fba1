// Package state is what mcpecho remembers in files that only the user can read: which
// servers of projects the user trusts, which protocol versions servers speak, and the
// commands that were typed in the shell.
package state
