package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
)

// fill sets a field to a value that is not zero, or leaves it if it has none of its own.
func fill(v reflect.Value, name string) {
	switch v.Interface().(type) {
	case time.Duration:
		v.SetInt(int64(1500 * time.Millisecond))
		return
	case mcp.RawMessage:
		v.SetBytes([]byte(`{"a":[1]}`))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(map[string]string{"Issuer": "https://i.example", "URL": "https://h.example/", "RedirectURI": "http://127.0.0.1:1/"}[name])
		if v.String() == "" {
			v.SetString("x")
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if v.Type().Elem().Kind() == reflect.Struct {
			fillAll(v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.ValueOf([]string{"A"}))
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, "")
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), value)
	case reflect.Struct:
		fillAll(v)
	}
}

func fillAll(v reflect.Value) {
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			fill(v.Field(i), v.Type().Field(i).Name)
		}
	}
}

// fields calls f for each exported field of v, and for those of the structs in it.
func fields(v reflect.Value, path string, f func(path string, field reflect.Value)) {
	for i := range v.NumField() {
		t := v.Type().Field(i)
		switch {
		case !t.IsExported():
		case t.Type.Kind() == reflect.Struct:
			fields(v.Field(i), path+t.Name+".", f)
		default:
			f(path+t.Name, v.Field(i))
		}
	}
}

// TestEveryFieldIsSaved: a Server with any one field set, and one with all of them, is read
// from what RevealJSON writes.
func TestEveryFieldIsSaved(t *testing.T) {
	notInFiles := map[string]bool{"Name": true, "Source": true, "Scope": true, "Literal": true, "Invalid": true}
	check := func(what string, s *Server) {
		t.Helper()
		text, err := s.RevealJSON()
		testutil.Must(t, err)
		c := Parse([]byte(`{"mcpServers":{"s":`+string(text)+`}}`), "", "")
		if len(c.Servers) != 1 || !s.Equal(c.Servers[0]) {
			t.Errorf("%s: %s became %v, %v", what, text, c.Servers, c.Problems)
			return
		}
		if again, err := c.Servers[0].RevealJSON(); err != nil || string(again) != string(text) {
			t.Errorf("%s: %s became %s, %v", what, text, again, err)
		}
		own, err := (Servers{"s": s}).RevealJSON()
		testutil.Must(t, err)
		var m Servers
		testutil.Must(t, m.UnmarshalJSON(own))
		if !s.Equal(m["s"]) {
			t.Errorf("%s: in a program's own configuration, %s became %s", what, text, m["s"])
		}
	}
	start := func(path string, auth string) *Server {
		s := &Server{Name: "s", Type: HTTP, URL: "https://h.example/"}
		switch path {
		case "Command", "Args", "Dir", "Env", "EnvFiles", "InheritEnv":
			s = &Server{Name: "s", Type: Stdio, Command: "c"}
		}
		s.Auth.Type = auth
		if auth == AuthBearer {
			s.Auth.Token = "t"
		}
		if strings.HasPrefix(path, "Auth.OAuth.") {
			s.Auth.OAuth.Issuer = "https://i.example" // which others need
		}
		return s
	}
	var all []string
	fields(reflect.ValueOf(Server{}), "", func(path string, _ reflect.Value) {
		if !notInFiles[path] {
			all = append(all, path)
		}
	})
	if len(all) < 40 {
		t.Errorf("%d fields", len(all))
	}
	for _, path := range all {
		for _, auth := range []string{AuthOAuth, AuthNone, AuthBearer} {
			s := start(path, auth)
			if s.Command != "" && auth != AuthNone {
				continue // a program has no authorization
			}
			fields(reflect.ValueOf(s).Elem(), "", func(name string, v reflect.Value) {
				if name == path && path != "Type" && path != "Auth.Type" {
					fill(v, path[strings.LastIndexByte(path, '.')+1:])
				}
			})
			check(path+" with "+auth, s)
		}
	}
	for _, s := range []*Server{
		{Name: "s", Command: "c", Type: Stdio}, {Name: "s", Type: SDK}, {Name: "s", URL: "https://h/", Auth: Auth{OAuth: OAuth{Scopes: []string{"a", "b"}}}},
		{Name: "s", Command: "c", Type: Stdio, Env: []string{"B=2", "A=1", "A=3", "C"}}, {Name: "s", URL: "https://h/", Headers: map[string]string{"A": ""}},
		{Name: "s", URL: "https://h/", Tools: Filter{Allow: []string{}}}, {Name: "s", Type: HTTP, Command: "c", URL: "http://127.0.0.1:1/"},
	} {
		check(s.String(), s)
	}
}

// TestValidateStartsNothing: a program learns what is wrong with its settings, all of it at once,
// before it starts a server.
func TestValidateStartsNothing(t *testing.T) {
	for want, s := range map[string]*Server{
		"":                                     {Name: "s", Command: "no-such-program"},
		"a server must have a name":            {Command: "x"},
		`"command" or a URL is required`:       {Name: "s"},
		`"type" stdio excludes a URL`:          {Name: "s", Type: Stdio, Command: "x", URL: "https://h/"},
		`"headers" must have no line breaks`:   {Name: "s", URL: "https://h/", Headers: map[string]string{"A": "b\nc"}},
		`"env" must have KEY=value`:            {Name: "s", Command: "x", Env: []string{"a b"}},
		"a secret is masked":                   (&Server{Name: "s", Command: "x", Env: []string{"TOKEN=hunter22"}}).Public(),
		`"auth" is bearer, but there is no`:    {Name: "s", URL: "https://h/", Auth: Auth{Type: AuthBearer}},
		"its entry is wrong":                   {Name: "s", Invalid: errors.New("its entry is wrong")},
		`"oauth" needs issuer beside`:          {Name: "s", URL: "https://h/", Auth: Auth{OAuth: OAuth{Resource: "r"}}},
		`"tools" has a glob of 2000 bytes; at`: {Name: "s", Command: "x", Tools: Filter{Deny: []string{strings.Repeat("*", 2000)}}},
	} {
		before := *s
		err := s.Validate()
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if !reflect.DeepEqual(before, *s) {
			t.Errorf("%s: the server was changed", want)
		}
	}
	if err := (&Server{Name: "s", Disabled: true}).Validate(); err != nil {
		t.Error(err)
	}
	if err := (&Server{Name: "s", Type: "of-the-program"}).Validate(); err != nil {
		t.Error(err)
	}
	var m Servers
	testutil.Must(t, m.UnmarshalJSON([]byte(`{"good":{"command":"x"},"bad":{"command":7},"off":{"enabled":false}}`)))
	if err := m.Validate(); err == nil || strings.Count(err.Error(), "\n") != 0 || !strings.Contains(err.Error(), `server "bad": "command" must be`) {
		t.Error(err)
	}
	delete(m, "bad")
	testutil.Must(t, m.Validate())
	m["mine"], m["worse"] = &Server{}, &Server{Command: "x", URL: "https://h/", Type: Stdio}
	if err := m.Validate(); err == nil || !strings.Contains(err.Error(), `server "mine": "command" or a URL`) || !strings.Contains(err.Error(), `server "worse": "type" stdio`) {
		t.Error(err)
	}
}

// TestSettingsThatMatchNoTool: each glob and override that names no tool is an error.
func TestSettingsThatMatchNoTool(t *testing.T) {
	s := &Server{Tools: Filter{Allow: []string{"*", "read_*", "lsit"}, Deny: []string{"rm"}}, AutoApprove: []string{"list", "nothing"},
		Overrides: map[string]*Override{"list": nil, "b": nil, "a": nil}}
	var got []string
	for _, err := range s.Unmatched([]string{"read_file", "list"}) {
		got = append(got, err.Error())
	}
	want := `"includeTools" names "lsit", which matches none of the server's tools
"excludeTools" names "rm", which matches none of the server's tools
"autoApprove" names "nothing", which matches none of the server's tools
"overrides" names "a", which is not a tool of the server
"overrides" names "b", which is not a tool of the server`
	if strings.Join(got, "\n") != want {
		t.Error(strings.Join(got, "\n"))
	}
}
