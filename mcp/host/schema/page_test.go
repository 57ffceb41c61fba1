package schema_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

// TestPageHasTheRules compares the table of docs/reference/models.md with the rules.
func TestPageHasTheRules(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reference/models.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range schema.Rules() {
		row := "| " + r.Text + " | " + strings.Join(r.Providers, ", ") + " | " + r.Mended + " |"
		if !strings.Contains(string(page), row+"\n") {
			t.Errorf("the page lacks\n%s", row)
		}
	}
}
