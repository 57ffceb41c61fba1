package mcp

// Version is the version of the library.
const Version = "0.1.0"
