// Package system has what mcpecho needs of the operating system and package os
// does not have: the shell, closed pipes and terminals, and the error of a file that
// is not a program.
package system
