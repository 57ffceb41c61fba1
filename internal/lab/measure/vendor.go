package main

import (
	"bytes"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// module is the path of the library's module.
const module = "github.com/stdmcp/stdmcp/"

// vendored returns the Go files that go mod vendor copies for a program which imports
// mcp and mcp/stdio: those of all systems, without tests.
func (t tree) vendored() (names []string) {
	files, imports := make(map[string][]string), make(map[string][]string)
	t.code(func(_, name string) bool { return !isTest(name) }, func(name string, _ *token.FileSet, file *ast.File) {
		folder := path.Dir(name)
		files[folder] = append(files[folder], name)
		for _, i := range file.Imports {
			if at, err := strconv.Unquote(i.Path.Value); err == nil && strings.HasPrefix(at, module) {
				imports[folder] = append(imports[folder], strings.TrimPrefix(at, module))
			}
		}
	})
	folders := []string{"mcp", "mcp/stdio"}
	for i := 0; i < len(folders); i++ {
		names = append(names, files[folders[i]]...)
		for _, folder := range imports[folders[i]] {
			if !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	return names
}

func (t tree) vendoredFiles() (int, []string) {
	names := t.vendored()
	folders := make(map[string]int)
	var list []string
	for _, name := range names {
		folder := path.Dir(name)
		if folders[folder]++; folders[folder] == 1 {
			list = append(list, folder)
		}
	}
	for i, folder := range list {
		list[i] = folder + ": " + strconv.Itoa(folders[folder])
	}
	return len(names), list
}

func (t tree) vendoredLines() (n int, _ []string) {
	for _, name := range t.vendored() {
		n += bytes.Count(t[name], []byte{'\n'})
	}
	return n, nil
}

func (t tree) vendoredBytes() (n int, _ []string) {
	for _, name := range t.vendored() {
		n += len(t[name])
	}
	return n, nil
}
