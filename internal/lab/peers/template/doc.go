// Package template compares [mcp.ResourceTemplate.Expand] with
// github.com/yosida95/uritemplate.
package template
