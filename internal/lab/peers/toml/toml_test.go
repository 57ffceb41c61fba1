package toml

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// seeds has a text for each part of the syntax, below the header of a server.
var seeds = []string{
	"x = 1 # not this\ny.z = 'a'\n",
	"x = [1, 2.5, [true, \"a\"], {b = 1}]\n",
	"a.b.c = 1\na.b.d = 2\n[mcp_servers.s.e]\nf = 1\n",
	"a = {b = 1, c.d = 'x'}\n",
	"x = \"\\u00e9\\t\\\"\\\\\"\ny = '''\nlong ''x''\n'''\nz = \"\"\"\na \\\n  b\"\"\"\n",
	"\"a b\" = 1\n'c.d' = 2\n\"\" = 3\n",
	"a = 0x1F\nb = 0o17\nc = 0b11\nd = 1_000\ne = -1e3\nf = +1.5\ng = 1E-2\nh = -0\ni = 0.0\n",
	"x = [\n 1, # one\n 2,\n]\n",
	"[mcp_servers.s.env]\nA = '1'\n[mcp_servers.s.x.y]\n[mcp_servers.s.x]\n",
	"x = 1\r\ny = '''a\r\nb'''\r\n",
	"x = 1\n[other]\nwhen = 1979-05-27 07:32:00Z\n[[list]]\nb = inf\n[mcp_servers.s.b]\n",
	"x = 9223372036854775807\ny = -9223372036854775808\nz = 1e308\n",
	"x = \"\"\"a\"\"\"\"\ny = ''''a'''''\n",
	"[mcp_servers.s.a.b]\n[mcp_servers.s.a]\nc.d = 1\n",
	"a.b = 1\n[mcp_servers.s.a.c]\n",
	"\ufeff\nx = 1\n",
}

func FuzzTOML(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = "[mcp_servers.s]\ncommand = 'x'\n" + text
		if later.MatchString(text) {
			return // what TOML 1.1 has and the reference does not: the escapes e and x
		}
		c := config.ParseTOML([]byte(text), "c", "")
		if len(c.Servers) != 1 || c.Servers[0].Name != "s" {
			return // refused, or more than the fields of one server
		}
		s := c.Servers[0]
		var document map[string]any
		if _, err := toml.Decode(text, &document); err != nil {
			var at toml.ParseError
			if errors.As(err, &at) && !strings.HasPrefix(at.LastKey+".", "mcp_servers.") {
				return // of another program, of which ours reads only the syntax
			}
			t.Fatalf("%q is %s, but in the reference %v", text, s.Extra, err)
		}
		servers, _ := document["mcp_servers"].(map[string]any)
		want, _ := servers["s"].(map[string]any)
		for key, raw := range s.Extra {
			var have any
			d := json.NewDecoder(bytes.NewReader(raw))
			d.UseNumber()
			if err := d.Decode(&have); err != nil {
				t.Fatal(err)
			}
			if !same(have, want[key]) {
				t.Fatalf("%q in %q is %s, want %#v", key, text, raw, want[key])
			}
		}
		for key := range want {
			if _, ok := s.Extra[key]; !ok && len(key) == 1 { // no field has such a name
				t.Fatalf("%q of %q is missing", key, text)
			}
		}
	})
}

var later = regexp.MustCompile(`\\[ex]`)

// same reports whether JSON has the value of the reference.
func same(have, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		have, ok := have.(map[string]any)
		if !ok || len(have) != len(want) {
			return false
		}
		for key, v := range want {
			if _, ok := have[key]; !ok || !same(have[key], v) {
				return false
			}
		}
		return true
	case []map[string]any:
		list := make([]any, len(want))
		for i := range want {
			list[i] = want[i]
		}
		return same(have, list)
	case []any:
		have, ok := have.([]any)
		if !ok || len(have) != len(want) {
			return false
		}
		for i := range want {
			if !same(have[i], want[i]) {
				return false
			}
		}
		return true
	case int64:
		n, ok := have.(json.Number)
		if !ok {
			return false
		}
		i, err := n.Int64()
		return err == nil && i == want
	case float64:
		n, ok := have.(json.Number)
		if !ok {
			return false
		}
		x, err := n.Float64()
		return err == nil && x == want
	}
	return reflect.DeepEqual(have, want)
}
