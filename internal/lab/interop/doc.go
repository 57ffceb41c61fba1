// Package interop tests the client against servers by other authors, which do not
// share assumptions with internal/testserver. scripts/interop installs them and
// sets STDMCP_INTEROP to their folder.
package interop
