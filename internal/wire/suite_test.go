package wire_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// undecided tells which texts a Reader accepts of those on which RFC 8259
// leaves the choice: numbers of any size, but only valid Unicode, no byte
// order mark, and a bounded depth.
var undecided = map[string]bool{
	"i_number_double_huge_neg_exp":                   true,
	"i_number_huge_exp":                              true,
	"i_number_neg_int_huge_exp":                      true,
	"i_number_pos_double_huge_exp":                   true,
	"i_number_real_neg_overflow":                     true,
	"i_number_real_pos_overflow":                     true,
	"i_number_real_underflow":                        true,
	"i_number_too_big_neg_int":                       true,
	"i_number_too_big_pos_int":                       true,
	"i_number_very_big_negative_int":                 true,
	"i_object_key_lone_2nd_surrogate":                false,
	"i_string_1st_surrogate_but_2nd_missing":         false,
	"i_string_1st_valid_surrogate_2nd_invalid":       false,
	"i_string_UTF-16LE_with_BOM":                     false,
	"i_string_UTF-8_invalid_sequence":                false,
	"i_string_UTF8_surrogate_U+D800":                 false,
	"i_string_incomplete_surrogate_and_escape_valid": false,
	"i_string_incomplete_surrogate_pair":             false,
	"i_string_incomplete_surrogates_escape_valid":    false,
	"i_string_invalid_lonely_surrogate":              false,
	"i_string_invalid_surrogate":                     false,
	"i_string_invalid_utf-8":                         false,
	"i_string_inverted_surrogates_U+1D11E":           false,
	"i_string_iso_latin_1":                           false,
	"i_string_lone_second_surrogate":                 false,
	"i_string_lone_utf8_continuation_byte":           false,
	"i_string_not_in_unicode_range":                  false,
	"i_string_overlong_sequence_2_bytes":             false,
	"i_string_overlong_sequence_6_bytes":             false,
	"i_string_overlong_sequence_6_bytes_null":        false,
	"i_string_truncated-utf-8":                       false,
	"i_string_utf16BE_no_BOM":                        false,
	"i_string_utf16LE_no_BOM":                        false,
	"i_structure_500_nested_arrays":                  false,
	"i_structure_UTF-8_BOM_empty_object":             false,
}

// TestJSONTestSuite runs the parsing tests of github.com/nst/JSONTestSuite.
// The environment variable STDMCP_JSONTESTSUITE names the folder of its files.
func TestJSONTestSuite(t *testing.T) {
	dir := os.Getenv("STDMCP_JSONTESTSUITE")
	if dir == "" {
		t.Skip("STDMCP_JSONTESTSUITE does not name the folder of JSONTestSuite")
	}
	files, err := filepath.Glob(filepath.Join(dir, "[yni]_*.json"))
	if err != nil {
		t.Fatal(err)
	}
	count := map[byte]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		count[name[0]]++
		want := name[0] == 'y'
		if name[0] == 'i' {
			known := false
			if want, known = undecided[name]; !known {
				t.Errorf("%s: not in the table", name)
			}
		}
		if err := wire.Valid(text); (err == nil) != want {
			t.Errorf("%s: accepted %t, want %t: %v", name, err == nil, want, err)
		}
		if strings.Contains(name, "duplicated_key") {
			want = false // keys that are read are compared
		}
		if err := walked(string(text)); (err == nil) != want {
			t.Errorf("%s, walked: accepted %t, want %t: %v", name, err == nil, want, err)
		}
	}
	if count['y'] != 95 || count['n'] != 188 || count['i'] != len(undecided) {
		t.Errorf("%d y, %d n, %d i files; want 95, 188, %d", count['y'], count['n'], count['i'], len(undecided))
	}
}
