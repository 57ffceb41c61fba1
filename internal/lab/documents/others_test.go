package documents

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// others has what surrounds a block of another library: its imports, and variables.
var others = map[string]string{
	"go-sdk": `import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var _, _, _ = os.Stderr, exec.Command, mcp.NewClient
`,
	"mcp-go": `import (
	"context"
	"fmt"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

var _, _, _ = os.Stderr, client.NewClient, mcp.NewTool

var c *client.Client
`,
}

// TestCodeOfOtherLibrariesCompiles compiles the blocks that begin with the name of
// another library, in this module, which requires them.
func TestCodeOfOtherLibrariesCompiles(t *testing.T) {
	dir := t.TempDir()
	here, err := filepath.Abs(".")
	testutil.Must(t, err)
	overlay := map[string]map[string]string{"Replace": {}}
	folders := []string{"build", "-overlay", filepath.Join(dir, "overlay.json")}
	for _, path := range documents(t) {
		for _, block := range blocks(t, path, "go") {
			name, code, _ := strings.Cut(strings.TrimPrefix(block, "// "), "\n")
			if others[name] == "" || !strings.HasPrefix(block, "// ") {
				continue
			}
			folder := fmt.Sprintf("other%d", len(overlay["Replace"]))
			file := filepath.Join(dir, folder+".go")
			write(t, file, "package "+folder+"\n\n"+others[name]+"\nfunc run(ctx context.Context) error {\nfmt.Print()\n{\n"+code+"\n}\nreturn nil\n}\n")
			overlay["Replace"][filepath.Join(here, folder, folder+".go")] = file
			folders = append(folders, "./"+folder)
		}
	}
	if len(overlay["Replace"]) < 3 {
		t.Fatal("no code of other libraries found")
	}
	text, err := json.Marshal(overlay)
	testutil.Must(t, err)
	write(t, filepath.Join(dir, "overlay.json"), string(text))
	if out, err := exec.Command("go", folders...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
