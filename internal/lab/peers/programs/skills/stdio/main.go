// A program that calls one tool over stdio, and reads the skills of the server.
package main

import (
	"os"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/skills"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

func main() { skills.Run(stdio.Command(os.Args[1], os.Args[2:]...)) }
