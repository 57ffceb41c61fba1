package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/stdmcp/stdmcp"

// A vendored group is the packages that go mod vendor copies for some imports.
type vendored struct {
	packages, files int
	bytes           int64
}

// vendorOf counts what go mod vendor copies for a program that imports packages: of
// each package the files that are not tests, for all systems.
func vendorOf(root string, imports ...string) (v vendored, err error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Dir"}, imports...)...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return v, err
	}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); {
		var p struct{ ImportPath, Dir string }
		if err := decoder.Decode(&p); err != nil {
			return v, err
		}
		if !strings.HasPrefix(p.ImportPath, module) {
			continue
		}
		v.packages++
		entries, err := os.ReadDir(p.Dir)
		if err != nil {
			return v, err
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
				info, err := os.Stat(filepath.Join(p.Dir, e.Name()))
				if err != nil {
					return v, err
				}
				v.files++
				v.bytes += info.Size()
			}
		}
	}
	return v, nil
}

// vendor draws what go mod vendor copies into a program.
func vendor(root string) (*drawing, error) {
	rows := []struct {
		title   string
		imports []string
	}{
		{"mcp, stdio", []string{"./mcp", "./mcp/stdio"}},
		{"mcp, streamhttp", []string{"./mcp", "./mcp/streamhttp"}},
		{"… with oauth", []string{"./mcp", "./mcp/streamhttp", "./mcp/oauth"}},
		{"host, config", []string{"./mcp/host", "./mcp/host/config"}},
		{"… with dialers, schema", []string{"./mcp/host", "./mcp/host/config", "./mcp/host/dialers", "./mcp/host/schema"}},
	}
	groups := make([]vendored, len(rows))
	var most int64
	for i, r := range rows {
		var err error
		if groups[i], err = vendorOf(root, r.imports...); err != nil {
			return nil, err
		}
		most = max(most, groups[i].bytes)
	}
	const left, width, row = 230.0, 340.0, 34.0
	d := newDrawing("What go mod vendor copies for the packages that a program imports: all from this module", 860, 24+row*float64(len(rows))+40)
	for i, r := range rows {
		y := 16 + row*float64(i)
		v := groups[i]
		d.text("t", "end", left-12, y+21, r.title)
		long := float64(v.bytes) / float64(most) * width
		d.bar("ours", left, y+6, long, row-12, 2)
		d.text("n", "start", left+long+10, y+21, fmt.Sprintf("%d KB in %d files of %d packages", (v.bytes+500)/1000, v.files, v.packages))
	}
	d.text("s", "start", left, 16+row*float64(len(rows))+24, "Modules of others: 0")
	return d, nil
}
