// A program that calls one tool over Streamable HTTP, and reads the skills of the server.
package main

import (
	"os"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/skills"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func main() { skills.Run(streamhttp.New(os.Args[1], nil)) }
