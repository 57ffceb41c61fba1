// Package interop tests the client against servers that others wrote, which
// think differently than our own fake server does. scripts/interop installs them
// and says where they are in the environment variable STDMCP_INTEROP.
package interop
