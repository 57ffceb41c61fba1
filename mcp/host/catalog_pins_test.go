package host_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/mcp/host"
)

// TestPinsOfListingsThatAreNotSaved: the catalog keeps the pins of a server whose listing
// is too large for it, or nests deeper than it reads.
func TestPinsOfListingsThatAreNotSaved(t *testing.T) {
	nested := func(levels int) string {
		return `{"name":"u","inputSchema":{"properties":` + strings.Repeat(`{"items":`, levels) + "{}" + strings.Repeat("}", levels) + "}}"
	}
	var many strings.Builder
	for i := range 12000 {
		many.WriteString(`,{"name":"n` + strconv.Itoa(i) + `"}`)
	}
	for name, filler := range map[string]string{
		"many":      many.String()[1:],
		"some":      many.String()[1:strings.Index(many.String(), `,{"name":"n600"`)],
		"large":     `{"name":"u","description":"` + strings.Repeat("x", 22<<17) + `"}`,
		"deep":      nested(120),
		"very deep": nested(122),
	} {
		t.Run(name, func(t *testing.T) {
			path := catalogPath(t)
			const other = `"saved":1,"said":{"pins":{"t":{"name":"t"}}}`
			if err := statefile.Replace(path, []byte(`{"version":1,"servers":[{"key":{"name":"other"},`+other+`}]}`)); err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				for _, tools := range []string{harmless, reworded} {
					s := &tooled{tools + "," + filler}
					h := s.start(t, host.Options{Pins: host.PinBlock, Catalog: host.OpenCatalog(path)})
					if err := h.Refresh(t.Context(), "x").Errors["x"]; err != nil {
						t.Fatal(err)
					}
					if hidden := h.Tool("mcp__x__t") == nil; hidden != (tools == reworded) {
						t.Errorf("the tool is hidden: %v", hidden)
					}
					if tools == reworded && name == "very deep" && h.Tool("mcp__x__u") != nil {
						t.Error("a tool whose pin could not be saved is offered")
					}
					if err := h.Shutdown(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			})
			if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), other) {
				t.Errorf("the pins of another server are lost: %v", err)
			}
		})
	}
}
