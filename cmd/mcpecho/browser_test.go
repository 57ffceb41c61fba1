package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

func TestBrowserVariable(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "My Browser.exe")
	testutil.Must(t, os.WriteFile(program, nil, 0o700))
	const page = "https://example.com/a?b=%73&c='d"
	for variable, want := range map[string][]string{
		"":                                    nil,
		":: :":                                nil,
		"none":                                {"none|" + page},
		program:                               {program + "|" + page},
		"none --new-window":                   {"none|--new-window|" + page},
		" none  -a 'b c' \"d e\" ":            {"none|-a|b c|d e|" + page},
		"none --url=%s -x":                    {"none|--url=" + page + "|-x"},
		"none 'a %s' %s":                      {"none|a " + page + "|" + page},
		"none 100%%":                          {"none|100%|" + page},
		"none:" + program + ":other -p %s -q": {"none|" + page, program + "|" + page, "other|-p|" + page + "|-q"},
	} {
		if runtime.GOOS == "windows" {
			variable = strings.ReplaceAll(strings.ReplaceAll(variable, program, "P"), ":", ";")
			variable = strings.ReplaceAll(variable, "P", program)
		}
		var got []string
		for _, args := range browserCommands(variable, page) {
			got = append(got, strings.Join(args, "|"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("BROWSER=%q: %q, want %q", variable, got, want)
		}
	}
}
