// Pictures draws the pictures of the documents, each for a light and a dark theme:
//
//	pictures [-o docs/pictures]
//
// Their figures are those of docs/evidence/tables, and those of the module's files.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

func main() {
	output := flag.String("o", "docs/pictures", "the folder of the pictures")
	root := flag.String("root", ".", "the folder of the repository")
	flag.Parse()
	for name, draw := range pictures {
		d, err := draw(*root)
		if err != nil {
			log.Fatal(name, ": ", err)
		}
		if err := os.WriteFile(filepath.Join(*output, name), []byte(d.String()), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// pictures are the functions that draw, by the names of their files. They get the
// folder of the repository.
var pictures = map[string]func(root string) (*drawing, error){
	"size-and-speed.svg": sizeAndSpeed,
	"call.svg":           call,
	"eras.svg":           eras,
	"host.svg":           hosts,
	"host-states.svg":    states,
	"packages.svg":       packages,
	"vendor.svg":         vendor,
}
