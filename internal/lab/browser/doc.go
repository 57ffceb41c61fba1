// Package browser drives a headless Chromium over its own protocol, for the tests of the
// page of "mcpecho ui" and for the pictures of its documentation.
package browser
