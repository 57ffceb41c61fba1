// Package terminal prepares text for a terminal: it escapes what a server could
// control the terminal with, measures and breaks lines, aligns columns, and adds
// styles. A Console prints lines above a progress bar; further functions ask the
// system for the terminal's size and change its modes.
package terminal
