// Command rename carries a program from stdmcp 0.1 to 1.0. It renames what has
// another name, adds the contexts that functions and callbacks take now, and
// lists what it cannot change.
//
//	go run github.com/stdmcp/stdmcp/scripts/rename@latest DIR...
//
// Each DIR is the folder of a package, or of a tree of packages if it ends
// with /... . The program must compile with one of the two versions, apart from the names
// of the other. Running the command again changes nothing.
//
//	-n      print the changes and write nothing
//	-self   rewrite this repository: all its modules, comments and documents
//	-only   with -self, write only the files below one of these folders, separated by commas
//	-table  print the table of renames for docs/upgrading.md
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("rename", flag.ContinueOnError)
	dry := flags.Bool("n", false, "print the changes and write nothing")
	self := flags.Bool("self", false, "rewrite this repository")
	only := flags.String("only", "", "with -self, the folders to write, separated by commas")
	table := flags.Bool("table", false, "print the table of renames as Markdown")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *table {
		_, err := io.WriteString(out, markdown())
		return err
	}
	dirs := flags.Args()
	r := &rewriter{out: out, dry: *dry, changed: make(map[string][]byte)}
	if *self {
		root, err := os.Getwd()
		if len(dirs) == 1 {
			root, err = filepath.Abs(dirs[0])
		} else if len(dirs) > 1 {
			return fmt.Errorf("-self takes one folder, the root of the repository; %d are given", len(dirs))
		}
		if err != nil {
			return err
		}
		if *only != "" {
			for dir := range strings.SplitSeq(*only, ",") {
				r.only = append(r.only, filepath.Join(root, dir))
			}
		}
		return r.repository(root)
	}
	if len(dirs) == 0 {
		return fmt.Errorf("no folder is given; rename ./... is for all of them")
	}
	for _, dir := range dirs {
		dir, pattern := strings.TrimSuffix(dir, "/..."), "."
		if dir != flags.Arg(0) || strings.HasSuffix(flags.Arg(0), "/...") {
			pattern = "./..."
		}
		if dir == "..." || dir == "" {
			dir = "."
		}
		if err := r.module(dir, pattern); err != nil {
			return err
		}
	}
	return r.finish()
}
