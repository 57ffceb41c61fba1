package growth_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// readers lists what reads the same as each fuzz target: the names of Readers or,
// after "none: ", the reason why there are none.
var readers = map[string]string{
	"cmd/mcpecho/internal/cmdline.FuzzLine":     "none: a line of a few names, each of which has a maximum",
	"cmd/mcpecho/internal/compat.FuzzCompare":   "compared schemas",
	"cmd/mcpecho/internal/configfile.FuzzAdd":   "none: the user's own file, which configuration covers",
	"cmd/mcpecho/internal/terminal.FuzzEscape":  "printable text",
	"cmd/mcpecho/internal/ui.FuzzForm":          "forms",
	"cmd/mcpecho/internal/secrets.FuzzMask":     "masking of messages",
	"cmd/mcpecho/internal/toolargs.FuzzSchema":  "none: arguments that the user types",
	"cmd/mcpecho/internal/shellwords.FuzzSplit": "none: a line that the user types",
	"cmd/mcpecho/internal/view.FuzzView":        "views",
	"cmd/mcpecho/internal/terminal.FuzzWrap":    "none: text that is printed, and has a maximum",
	"internal/batch.FuzzCommandLine":            "none: a command line of Windows has at most 32 KiB",
	"internal/display.FuzzRedact":               "redaction",
	"internal/eventstream.FuzzReader":           "event stream",
	"cmd/mcpecho/internal/lineedit.FuzzKeys":    "none: keys that the user presses",
	"internal/recording.FuzzMaskJSON":           "masking of messages",
	"internal/recording.FuzzRead":               "recordings",
	"internal/testserver.FuzzDecode":            "none: a server for tests",
	"internal/testserver.FuzzHandle":            "none: a server for tests",
	"internal/testserver.FuzzServe":             "none: a server for tests",
	"internal/wire.FuzzAppendString":            "wire",
	"internal/wire.FuzzAppendValue":             "values",
	"internal/wire.FuzzDecodeBase64":            "base64",
	"internal/wire.FuzzReader":                  "wire",
	"mcp.FuzzExpand":                            "Expand",
	"mcp.FuzzLongTexts":                         "lists",
	"mcp.FuzzQuickResult":                       "results",
	"mcp.FuzzTypes":                             "lists",
	"mcp/host.FuzzNames":                        "names of tools",
	"mcp/host.FuzzResourceTools":                "Expand",
	"mcp/host.FuzzSecretsInStatus":              "redaction",
	"mcp/host/config.FuzzConfig":                "configuration",
	"mcp/host/config.FuzzParseTOML":             "TOML",
	"mcp/host/config.FuzzReferences":            "references",
	"mcp/host/config.FuzzSecretsAreHidden":      "configuration",
	"mcp/host/schema.FuzzSchema":                "schemas of Gemini",
	"mcp/jsonrpc.FuzzConn":                      "jsonrpc",
	"mcp/jsonrpc.FuzzParse":                     "jsonrpc",
	"mcp/jsonschema.FuzzDecode":                 "jsonschema",
	"mcp/jsonschema.FuzzPatternSize":            "jsonschema",
	"mcp/jsonschema.FuzzValidate":               "jsonschema",
	"mcp/oauth.FuzzCallback":                    "OAuth callbacks",
	"mcp/oauth.FuzzChallenges":                  "OAuth challenges",
	"mcp/oauth.FuzzJWT":                         "OAuth tokens",
	"mcp/oauth.FuzzMetadata":                    "OAuth metadata",
	"mcp/oauth.FuzzTokenAnswer":                 "OAuth tokens",
	"mcp/oauth.FuzzTokensAreHidden":             "redaction",
	"mcp/skills.FuzzParseFrontmatter":           "frontmatter",
	"mcp/stdio.FuzzLines":                       "lines",
	"mcp/streamhttp.FuzzEncodeValue":            "headers of parameters",
	"mcp/streamhttp.FuzzParams":                 "headers of parameters",
}

// TestEachFuzzTargetHasAReader finds readers that are fuzzed and not measured.
func TestEachFuzzTargetHasAReader(t *testing.T) {
	root := filepath.Join("..", "..")
	measured, fuzzed := make(map[string]bool), make(map[string]bool)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		folder, _ := filepath.Rel(root, filepath.Dir(path))
		folder = filepath.ToSlash(folder)
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "lab" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if strings.HasPrefix(n.Name.Name, "Fuzz") && n.Recv == nil {
					fuzzed[folder+"."+n.Name.Name] = true
				}
			case *ast.CompositeLit:
				if s, ok := n.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Reader" && s.X.(*ast.Ident).Name == "growth" {
					measured[nameOf(n)] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for target := range fuzzed {
		reader := readers[target]
		if reader == "" {
			t.Errorf("%s reads something whose growth is not measured: add a growth.Reader, or the reason why there is none", target)
		} else if !strings.HasPrefix(reader, "none: ") && !measured[reader] {
			t.Errorf("%s: there is no growth.Reader %q", target, reader)
		}
	}
	for target := range readers {
		if !fuzzed[target] {
			t.Errorf("there is no fuzz target %s", target)
		}
	}
}

// nameOf returns the field Name of a growth.Reader.
func nameOf(reader *ast.CompositeLit) string {
	for _, e := range reader.Elts {
		if field, ok := e.(*ast.KeyValueExpr); ok && field.Key.(*ast.Ident).Name == "Name" {
			if text, ok := field.Value.(*ast.BasicLit); ok {
				name, _ := strconv.Unquote(text.Value)
				return name
			}
		}
	}
	return ""
}
