package host_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func ExampleOpenCatalog() {
	dir, err := os.MkdirTemp("", "example") // a real program uses os.UserCacheDir
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	catalog := host.OpenCatalog(filepath.Join(dir, "catalog.json"))
	for range 2 { // the first run of the program, and the second
		opts := fakes{"echo": newFake(nil)}.with(host.Options{Catalog: catalog})
		h := host.New(opts)
		h.SetServers(ctx, []*host.Server{{Name: "echo", Type: config.SDK}})
		fmt.Println(len(h.Tools()), "tools,", h.Status()[0].State)
		text, err := h.Execute(ctx, "mcp__echo__echo", []byte(`{"message":"hi"}`))
		fmt.Println(text, err, h.Status()[0].State)
		if err := h.Shutdown(ctx); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 17 tools, connected
	// hi <nil> connected
	// 17 tools, disconnected
	// hi <nil> connected
}

func ExampleHost_Refresh() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	diff := h.Refresh(ctx)
	fmt.Println(diff.Changed, diff.Errors, diff.Err())
	// Output: [] map[] <nil>
}

func ExampleCatalog_Forget() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	catalog := host.OpenCatalog(filepath.Join(dir, "catalog.json"))
	fmt.Println(catalog.Forget("github")) // after a logout
	// Output: <nil>
}
