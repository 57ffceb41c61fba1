// Command skills prints the skills of all servers in .mcp.json, and a file of one
// of them if its arguments name it:
//
//	skills shop__refunds GUIDE.md
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/stdmcp/stdmcp/mcp/host"
	mcpconfig "github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/host/skillset"
)

func main() {
	ctx := context.Background()
	settings := mcpconfig.Load(".")
	for _, problem := range settings.Problems {
		log.Print(problem) // the other entries are loaded
	}
	settings.Trust(trust)
	h := host.New(&host.Options{Dialers: dialers.All(nil)})
	defer h.Shutdown(ctx)
	for _, err := range h.SetServers(ctx, settings.Servers).SortedErrors() {
		log.Print(err) // the skills of the other servers can be used
	}
	if err := show(ctx, h, os.Stdout, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// trust asks the user about a server of this folder's file, which could run any program.
func trust(s *mcpconfig.Server) bool {
	fmt.Fprintf(os.Stderr, "%q\nDo you trust the server %q? ", s.Effects(), s.Name)
	var answer string
	_, _ = fmt.Scanln(&answer)
	return answer == "yes"
}

// show prints the skills, then the file that args name: the skill, and the path in
// it.
func show(ctx context.Context, h *host.Host, out io.Writer, args []string) error {
	set := skillset.New(h, nil)
	list, err := set.List(ctx)
	if err != nil {
		log.Print(err) // of some servers; the skills of the others are listed
	}
	for _, s := range list {
		fmt.Fprintf(out, "%s (%s of server %s): %q\n", s.ID, s.URI, s.Server, s.Description)
		if s.Err != nil {
			fmt.Fprintln(out, "\tcannot be read:", s.Err)
		}
	}
	if len(args) < 2 {
		return nil
	}
	skill, err := set.Open(ctx, args[0])
	if err != nil {
		return err
	}
	text, err := skill.Read(ctx, args[1]) // verified by its size and digest
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}
