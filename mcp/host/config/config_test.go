package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// one parses a file with the entry x. It returns the server, or nil, and the
// problems.
func one(t *testing.T, entry string) (*config.Server, []string) {
	t.Helper()
	c := config.Parse([]byte(`{"mcpServers":{"x":`+entry+`,"sibling":{"command":"s"}}}`), "f.json", "local")
	var problems []string
	for _, p := range c.Problems {
		problems = append(problems, p.Error())
	}
	if c.Server("sibling") == nil {
		t.Errorf("%s: the sibling is missing: %q", entry, problems)
	}
	return c.Server("x"), problems
}

func TestAcceptedForms(t *testing.T) {
	type S = config.Server
	program := func(f func(*S)) S {
		s := S{Type: config.Stdio, Command: "run"}
		f(&s)
		return s
	}
	remote := func(f func(*S)) S {
		s := S{Type: config.HTTP, URL: "https://h/"}
		f(&s)
		return s
	}
	raw := func(s string) mcp.RawMessage { return mcp.RawMessage(s) }
	for _, test := range []struct {
		entry string
		want  S
		warns string
	}{
		// Transports.
		{`{"command":"run"}`, program(func(*S) {}), ""},
		{`{"type":"stdio","command":"run"}`, program(func(*S) {}), ""},
		{`{"type":"STDIO","command":"run"}`, program(func(*S) {}), ""},
		{`{"type":"local","command":"run"}`, program(func(*S) {}), ""},
		{`{"transport":"stdio","command":"run"}`, program(func(*S) {}), ""},
		{`{"type":"stdio","transport":"local","command":"run"}`, program(func(*S) {}), ""},
		{`{"url":"https://h/"}`, remote(func(s *S) { s.Type = "" }), ""},
		{`{"serverUrl":"https://h/"}`, remote(func(s *S) { s.Type = "" }), ""},
		{`{"httpUrl":"https://h/"}`, remote(func(s *S) { s.Type = "" }), ""},
		{`{"baseUrl":"https://h/"}`, remote(func(s *S) { s.Type = "" }), ""},
		{`{"type":"http","url":"https://h/"}`, remote(func(*S) {}), ""},
		{`{"type":"streamable-http","url":"https://h/"}`, remote(func(*S) {}), ""},
		{`{"type":"streamableHttp","url":"https://h/"}`, remote(func(*S) {}), ""},
		{`{"type":"streamable_http","url":"https://h/"}`, remote(func(*S) {}), ""},
		{`{"type":"remote","url":"https://h/"}`, remote(func(*S) {}), ""},
		{`{"type":"streamable","url":"https://h/","command":""}`, remote(func(*S) {}), ""}, // of AnythingLLM
		{`{"type":"SSE","url":"https://h/"}`, remote(func(s *S) { s.Type = config.SSE }), ""},
		{`{"type":"sdk","name":"calc"}`, S{Type: config.SDK, ID: "calc"}, ""},
		{`{"type":"sdk"}`, S{Type: config.SDK}, ""},
		{`{"type":"claudeai-proxy","url":"https://h/","id":"42"}`, remote(func(s *S) { s.Type, s.ID = config.ClaudeAIProxy, "42" }), ""},
		{`{"transport":{"type":"sse","url":"https://h/","headers":{"A":"b"}}}`,
			remote(func(s *S) { s.Type, s.Headers = config.SSE, map[string]string{"A": "b"} }), ""},
		{`{"transport":{"type":"http"},"url":"https://h/"}`, remote(func(*S) {}), ""},
		{`{"type":"http","url":"https://h/","headers":{"A":"b","N":1}}`,
			remote(func(s *S) { s.Headers = map[string]string{"A": "b", "N": "1"} }), ""},

		// Programs.
		{`{"command":["run","-y","it"],"args":["more"]}`, program(func(s *S) { s.Args = []string{"-y", "it", "more"} }), ""},
		{`{"args":["more"],"command":["run","-y"]}`, program(func(s *S) { s.Args = []string{"-y", "more"} }), ""},
		{`{"command":"run","cwd":"~/src"}`, program(func(s *S) { s.Dir = "~/src" }), ""},
		{`{"command":"run","working_directory":"~/src","baseUrl":""}`, program(func(s *S) { s.Dir = "~/src" }), ""}, // of Warp and Cherry Studio
		{`{"command":"run","env":{"B":"2","A":"1","P":8080,"T":true}}`,
			program(func(s *S) { s.Env = []string{"A=1", "B=2", "P=8080", "T=true"} }), ""},
		{`{"command":"run","env":["B=2","A=1","PASS"]}`, program(func(s *S) { s.Env = []string{"B=2", "A=1", "PASS"} }), ""},
		{`{"command":"run","env":"PASS"}`, program(func(s *S) { s.Env = []string{"PASS"} }), ""},
		{`{"command":"run","environment":{"A":"1"}}`, program(func(s *S) { s.Env = []string{"A=1"} }), ""},
		{`{"command":"run","envFile":".env"}`, program(func(s *S) { s.EnvFiles = []string{".env"} }), ""},
		{`{"command":"run","env_file":[".env","b"]}`, program(func(s *S) { s.EnvFiles = []string{".env", "b"} }), ""},
		{`{"command":"run","inheritEnv":true}`, program(func(s *S) { s.InheritEnv = true }), ""},

		// Enabling, retries and descriptions.
		{`{"command":"run","enabled":false}`, program(func(s *S) { s.Disabled = true }), ""},
		{`{"command":"run","enabled":true}`, program(func(*S) {}), ""},
		{`{"command":"run","isActive":false}`, program(func(s *S) { s.Disabled = true }), ""},
		{`{"command":"run","enabled":null}`, program(func(*S) {}), ""},
		{`{"command":"run","disabled":true}`, program(func(s *S) { s.Disabled = true }), ""},
		{`{"command":"run","disabled":true,"enabled":true}`, program(func(s *S) { s.Disabled = true }), ""},
		{`{"command":"run","required":true,"lazy":true}`, program(func(s *S) { s.Required, s.Lazy = true, true }), ""},
		{`{"command":"run","max_retries":5}`, program(func(s *S) { s.MaxRetries = 5 }), ""},
		{`{"command":"run","title":"T","description":"D"}`, program(func(s *S) { s.Title, s.Description = "T", "D" }), ""},

		// Timeouts.
		{`{"command":"run","timeout":"30s"}`, program(func(s *S) { s.Timeout = 30 * time.Second }), ""},
		{`{"command":"run","timeout":30}`, program(func(s *S) { s.Timeout = 30 * time.Second }), ""},
		{`{"command":"run","timeout":0}`, program(func(*S) {}), ""},
		{`{"command":"run","timeout":0.5}`, program(func(s *S) { s.Timeout = 500 * time.Millisecond }), ""},
		{`{"command":"run","timeout":999}`, program(func(s *S) { s.Timeout = 999 * time.Second }), ""},
		{`{"command":"run","timeout":1000}`, program(func(s *S) { s.Timeout = time.Second }),
			`f.json:1: server "x": "timeout" is read as 1000 milliseconds; write "1000ms", or "1000s" for seconds`},
		{`{"command":{"path":"run","args":["a"],"env":{"K":"v"}},"source":"custom"}`,
			program(func(s *S) { s.Args, s.Env = []string{"a"}, []string{"K=v"} }), ""},
		{`{"command":"run","timeout":10000}`, program(func(s *S) { s.Timeout = 10 * time.Second }), ""},
		{`{"command":"run","timeout":60000}`, program(func(s *S) { s.Timeout = time.Minute }), ""},
		{`{"command":"run","connectTimeout":"1m30s"}`, program(func(s *S) { s.ConnectTimeout = 90 * time.Second }), ""},
		{`{"command":"run","timeout_seconds":1500}`, program(func(s *S) { s.Timeout = 1500 * time.Second }), ""},
		{`{"command":"run","tool_timeout_sec":20,"startup_timeout_sec":10}`,
			program(func(s *S) { s.Timeout, s.ConnectTimeout = 20*time.Second, 10*time.Second }), ""},

		// Tools.
		{`{"command":"run","includeTools":["a*"],"excludeTools":["ab"]}`,
			program(func(s *S) { s.Tools = config.Filter{Allow: []string{"a*"}, Deny: []string{"ab"}} }), ""},
		{`{"command":"run","allowedTools":["a"],"blockedTools":["b"]}`,
			program(func(s *S) { s.Tools = config.Filter{Allow: []string{"a"}, Deny: []string{"b"}} }), ""},
		{`{"command":"run","enabled_tools":["a"],"disabled_tools":["b"]}`,
			program(func(s *S) { s.Tools = config.Filter{Allow: []string{"a"}, Deny: []string{"b"}} }), ""},
		{`{"command":"run","tools":["*"],"disabledTools":["b"]}`,
			program(func(s *S) { s.Tools = config.Filter{Allow: []string{"*"}, Deny: []string{"b"}} }), ""},
		{`{"command":"run","toolFilter":{"include":["a"],"exclude":["b"]}}`,
			program(func(s *S) { s.Tools = config.Filter{Allow: []string{"a"}, Deny: []string{"b"}} }), ""},
		{`{"command":"run","includeTools":[]}`, program(func(s *S) { s.Tools.Allow = []string{} }), ""},
		{`{"command":"run","alwaysAllow":["a"]}`, program(func(s *S) { s.AutoApprove = []string{"a"} }), ""},
		{`{"command":"run","autoApprove":["a","b*"]}`, program(func(s *S) { s.AutoApprove = []string{"a", "b*"} }), ""},
		{`{"command":"run","trust":true}`, program(func(s *S) { s.AutoApprove = []string{"*"} }), ""},
		{`{"command":"run","trust":false}`, program(func(*S) {}), ""},

		// Authorization.
		{`{"url":"https://h/","auth":"none"}`, remote(func(s *S) { s.Type, s.Auth.Type = "", "none" }), ""},
		{`{"url":"https://h/","auth":{"type":"bearer","token":"${T}"}}`,
			remote(func(s *S) { s.Type, s.Auth = "", config.Auth{Type: "bearer", Token: "${T}"} }), ""},
		{`{"url":"https://h/","auth":"bearer","headers":{"authorization":"Bearer x"}}`,
			remote(func(s *S) {
				s.Type, s.Auth.Type, s.Headers = "", "bearer", map[string]string{"authorization": "Bearer x"}
			}), ""},
		{`{"url":"https://h/","bearer_token_env_var":"T"}`,
			remote(func(s *S) { s.Type, s.Auth = "", config.Auth{Type: "bearer", Token: "${T}"} }), ""},
		{`{"url":"https://h/","auth":{"type":"API-Key","key":"k","header":"X-K"}}`,
			remote(func(s *S) { s.Type, s.Auth = "", config.Auth{Type: "apikey", Token: "k", Header: "X-K"} }), ""},
		{`{"url":"https://h/","auth":"oauth"}`, remote(func(s *S) { s.Type, s.Auth.Type = "", "oauth" }), ""},
		{`{"url":"https://h/","oauth":{"clientId":"c","clientSecret":"s","scopes":["a","b"],"callbackPort":1,"redirectUri":"http://r/","x":1}}`,
			remote(func(s *S) {
				s.Type, s.Auth.Type = "", "oauth"
				s.Auth.OAuth = config.OAuth{ClientID: "c", ClientSecret: "s", Scopes: []string{"a", "b"}, CallbackPort: 1,
					RedirectURI: "http://r/", Extra: map[string]mcp.RawMessage{"x": raw("1")}}
			}), `f.json:1: server "x": "x" is unknown`},
		{`{"url":"https://h/","auth":{"type":"oauth","client_id":"c","scopes":"a b"}}`,
			remote(func(s *S) {
				s.Type, s.Auth = "", config.Auth{Type: "oauth", OAuth: config.OAuth{ClientID: "c", Scopes: []string{"a", "b"}}}
			}), ""},

		// Unknown fields.
		{`{"command":"run","icon":{"a":1}}`, program(func(s *S) { s.Extra = map[string]mcp.RawMessage{"icon": raw(`{"a":1}`)} }),
			`f.json:1: server "x": "icon" is unknown`},
		{`{"command":"run","tools":{"a":{}}}`, program(func(s *S) { s.Extra = map[string]mcp.RawMessage{"tools": raw(`{"a":{}}`)} }),
			`f.json:1: server "x": "tools" is unknown`},
		{`{"Command":"no","command":"run"}`, program(func(s *S) { s.Extra = map[string]mcp.RawMessage{"Command": raw(`"no"`)} }),
			`f.json:1: server "x": "Command" is unknown`},
	} {
		got, problems := one(t, test.entry)
		if got == nil {
			t.Errorf("%s: %q", test.entry, problems)
			continue
		}
		test.want.Name, test.want.Source, test.want.Scope = "x", "f.json", "local"
		if !reflect.DeepEqual(*got, test.want) {
			t.Errorf("%s:\nhave %+v\nwant %+v", test.entry, *got, test.want)
		}
		if have := strings.Join(problems, "\n"); have != test.warns {
			t.Errorf("%s: warns %q, want %q", test.entry, have, test.warns)
		}
		if again, _ := one(t, test.entry); !got.Equal(again) {
			t.Errorf("%s: not equal to itself", test.entry)
		}
	}
}

func TestRejectedForms(t *testing.T) {
	for _, test := range []struct{ entry, want string }{
		{`{"type":"stdio","command":"run","url":"https://h/"}`, `"type" stdio excludes a URL; leave it out to start the program and reach it at the URL`},
		{`{}`, `"command" or a URL is required`},
		{`{"args":["a"]}`, `"command" or a URL is required`},
		{`{"type":"stdio","url":"https://h/"}`, `"command" is missing`},
		{`{"type":"http","command":"run"}`, `"url" is missing`},
		{`{"type":"sse"}`, `"url" is missing`},
		{`{"type":"sdk","command":"run"}`, `"type" sdk needs neither`},
		{`{"type":"claudeai-proxy","url":"https://h/"}`, `"id" is missing`},
		{`{"type":"websocket","url":"ws://h/"}`, `"type" must be stdio`},
		{`{"type":"http","transport":"sse","url":"https://h/"}`, `"transport" contradicts`},
		{`{"type":7,"command":"run"}`, `"type" must be a string, not a number`},
		{`{"transport":{"type":"http","port":1},"url":"https://h/"}`, `"transport.port" is unknown`},
		{`{"url":"https://h/","serverUrl":"https://h/"}`, `"serverUrl" is a second URL`},
		{`{"url":""}`, `"command" or a URL is required`},
		{`{"url":"https://h/","headers":{"A":"b\r\nC: d"}}`, `"headers" must have no line breaks in the value of "A"`},
		{`{"url":"https://h/","headers":{"A\nB":"c"}}`, `"headers" has an invalid header name`},
		{`{"url":"https://h/","headers":{"A":"b","A":"c"}}`, `"headers.A" occurs twice`},
		{`{"url":"https://h/","headers":["A: b"]}`, `"headers" must be an object, not an array`},
		{`{"url":"https://h/","headers":{"A":["b"]}}`, `"headers.A" must be a string`},
		{`{"command":"run","command":"walk"}`, `"command" occurs twice`},
		{`{"command":""}`, `"command" or a URL is required`},
		{`{"command":[]}`, `"command" or a URL is required`},
		{`{"command":[1]}`, `"command" must be a list of strings`},
		{`{"command":{"path":7}}`, `"command.path" must be a string, not a number`},
		{`{"command":{"path":"run","x":1}}`, `"command.x" is unknown`},
		{`{"command":"run","args":"-y"}`, `"args" must be a list of strings, not a string`},
		{`{"command":"run","env":{"A":"1","A":"2"}}`, `"env.A" occurs twice`},
		{`{"command":"run","env":{"A=B":"1"}}`, `"env" has an invalid variable name`},
		{`{"command":"run","env":["=1"]}`, `"env" [0] must be KEY=value`},
		{`{"command":"run","env":1}`, `"env" must be an object or a list, not a number`},
		{`{"command":"run","enabled":"yes"}`, `"enabled" must be true or false, not a string`},
		{`{"command":"run","timeout":"soon"}`, `"timeout" must be a number, or a time`},
		{`{"command":"run","timeout":-1}`, `"timeout" must be between 0`},
		{`{"command":"run","timeout":1e300}`, `"timeout" must be between 0`},
		{`{"command":"run","max_retries":1.5}`, `"max_retries" must be a whole number`},
		{`{"command":"run","max_retries":3000000000}`, `"max_retries" must be between -2147483648 and 2147483647`},
		{`{"command":"run","max_retries":-99999999999999999999}`, `"max_retries" must be between -2147483648 and 2147483647`},
		{`{"url":"https://h/","oauth":{"callbackPort":3000000000}}`, `"oauth.callbackPort" must be between -2147483648 and 2147483647`},
		{`{"command":"run","includeTools":"a"}`, `"includeTools" must be a list of strings, not a string`},
		{`{"command":"run","toolFilter":{"only":["a"]}}`, `"toolFilter.only" is unknown`},
		{`{"command":"run","trust":["a"]}`, `"trust" must be true or false`},
		{`{"command":"run","oauth":{}}`, `"oauth" is for servers with a URL`},
		{`{"command":"run","auth":"oauth"}`, `"oauth" is for servers with a URL`},
		{`{"command":"run","bearer_token_env_var":"T"}`, `"bearer_token_env_var" is for servers with a URL`},
		{`{"url":"https://h/","auth":"kerberos"}`, `"auth" must be none`},
		{`{"url":"https://h/","auth":"bearer"}`, `"auth" is bearer, but there is no token`},
		{`{"url":"https://h/","auth":{"token":"t"}}`, `"auth.type" is missing`},
		{`{"url":"https://h/","auth":{"type":"bearer","tokn":"t"}}`, `"auth.tokn" is unknown`},
		{`{"url":"https://h/","auth":{"type":"apikey","key":"k","header":"a b\n"}}`, `"auth.header"`},
		{`{"url":"https://h/","auth":"oauth","bearer_token_env_var":"T"}`, `"bearer_token_env_var" contradicts auth`},
		{`{"url":"https://h/","oauth":{"callbackPort":99999}}`, `"oauth.callbackPort" must be a port`},
		{`[]`, `must be an object, not an array`},
	} {
		got, problems := one(t, test.entry)
		if got != nil || len(problems) != 1 || !strings.HasPrefix(problems[0], `f.json:1: server "x": `+test.want) {
			t.Errorf("%s: have %q, want %q", test.entry, problems, test.want)
		}
	}
}

// Text in UTF-16 is what a redirection in PowerShell writes.
func TestFilesThatAreNoText(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "f.json:1: the file is empty",
		" \n":                    "f.json:2: JSON: unexpected end",
		"{":                      "f.json:1: JSON: unexpected end",
		"\xff\xfe{\x00}\x00":     "f.json:1: the text is in UTF-16; save it in UTF-8",
		"\xfe\xff\x00{\x00}":     "f.json:1: the text is in UTF-16; save it in UTF-8",
		"{\x00}\x00":             "f.json:1: the text is in UTF-16; save it in UTF-8",
		"\x00{\x00}":             "f.json:1: the text is in UTF-16; save it in UTF-8",
		"\xff{}":                 "f.json:1: JSON: unexpected character",
		"\xef\xbb\xbf[]":         "f.json:1: must be an object",
		"mcpServers:\n  a: {}\n": "f.json:1: the text is YAML,",
	} {
		c := config.Parse([]byte(text), "f.json", "local")
		if len(c.Problems) != 1 || !strings.HasPrefix(c.Problems[0].Error(), want) {
			t.Errorf("%q: have %q, want %q", text, c.Problems, want)
		}
	}
}

func TestWrappers(t *testing.T) {
	entry := `{"x":{"command":"run"}}`
	for _, file := range []string{
		`{"mcpServers":` + entry + `}`,
		`{"servers":` + entry + `,"inputs":[]}`,
		`{"mcp":{"servers":` + entry + `,"enabled":true}}`,
		`{"mcp.servers":` + entry + `,"editor.fontSize":12}`,
		`{"tools":{"web":{},"mcp":{"servers":` + entry + `}},"agents":{"list":[]}}`,
		`{"mcp":` + entry + `,"theme":"dark"}`,
		`{"mcp_servers":` + entry + `,"model":"m"}`,
		`{"context_servers":` + entry + `}`,
		entry,
		"\uFEFF" + entry,
		"// first\n{ \"mcpServers\": /* the\nmap */ {\n\"x\": {\"command\": \"run\", \"args\": [],},\n}, // last\n}",
		`{"mcpServers":` + entry + `,"note":"// no comment, and /* neither */ ,]"}`,
	} {
		c := config.Parse([]byte(file), "", "")
		if len(c.Problems) > 0 || len(c.Servers) != 1 || c.Servers[0].Name != "x" || c.Servers[0].Command != "run" {
			t.Errorf("%s: %+v, %v", file, c.Servers, c.Problems)
		}
	}
	for _, file := range []string{`{}`, `{"theme":"dark"}`, `{"mcpServers":{}}`, `{"mcp":{"enabled":true}}`, `{"tools":{}}`} {
		if c := config.Parse([]byte(file), "", ""); len(c.Problems)+len(c.Servers) > 0 {
			t.Errorf("%s: %+v, %v", file, c.Servers, c.Problems)
		}
	}
	for _, file := range []string{``, `[]`, `{`, `{"mcpServers":{"x":{"command":"run"}}`, `{"mcpServers":[]}`, `{,}`, `{"a":1,,}`, `/* `} {
		c := config.Parse([]byte(file), "f", "")
		if len(c.Problems) != 1 || len(c.Servers) > 0 || !c.Problems[0].Warning || c.Problems[0].Server != "" {
			t.Errorf("%s: %+v, %v", file, c.Servers, c.Problems)
		}
	}
}

func TestDuplicateServer(t *testing.T) {
	c := config.Parse([]byte(`{"mcpServers":{"x":{"command":"a"},"y":{"command":"b"},"x":{"command":"c"}},"servers":{"z":{"command":"d"}}}`), "f", "")
	if len(c.Servers) != 2 || c.Server("x") != nil || len(c.Problems) != 1 || c.Problems[0].Error() != `f:1: server "x": is defined twice` {
		t.Errorf("%+v, %v", c.Servers, c.Problems)
	}
}

func TestLoadMergesByName(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	write := func(dir, name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	if c := config.Load(dir); len(c.Servers)+len(c.Problems) > 0 {
		t.Errorf("without files: %+v, %v", c.Servers, c.Problems)
	}
	user := write(home, ".mcp.json", `{"mcpServers":{"a":{"command":"user-a","args":["x"]},"b":{"command":"user-b"},"c":{"command":"user-c"}}}`)
	project := write(dir, ".mcp.json", `{"mcpServers":{"b":{"command":"project-b"},"c":{"command":7}}}`)
	more := write(dir, "more.json", `{"d":{"url":"https://h/"}}`)
	broken := write(dir, "broken.json", `{"d":`)
	absent := filepath.Join(dir, "absent.json")
	c := config.Load(dir, more, broken, absent)
	var have []string
	for _, s := range c.Servers {
		have = append(have, s.Name+" "+s.Command+s.URL+" "+s.Scope+" "+s.Source)
	}
	want := []string{"a user-a user " + user, "b project-b project " + project, "d https://h/ local " + more}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
	// An invalid entry replaces a valid one, which the user no longer wants.
	if len(c.Problems) != 3 || c.Problems[0].Server != "c" || c.Problems[0].Warning ||
		c.Problems[1].File != broken || !c.Problems[1].Warning || c.Problems[2].File != absent {
		t.Errorf("problems: %v", c.Problems)
	}
	// In the home directory, both names refer to one file.
	if c := config.Load(home); len(c.Servers) != 3 || c.Servers[0].Scope != "user" {
		t.Errorf("at home: %+v, %v", c.Servers, c.Problems)
	}
}

func TestFilter(t *testing.T) {
	for _, test := range []struct {
		filter config.Filter
		tool   string
		want   bool
	}{
		{config.Filter{}, "a", true},
		{config.Filter{Allow: []string{}}, "a", false},
		{config.Filter{Allow: []string{"a"}}, "a", true},
		{config.Filter{Allow: []string{"a"}}, "b", false},
		{config.Filter{Deny: []string{"a"}}, "b", true},
		{config.Filter{Allow: []string{"*"}, Deny: []string{"a*"}}, "ab", false},
	} {
		if got := test.filter.Allows(test.tool); got != test.want {
			t.Errorf("%+v allows %q: %v", test.filter, test.tool, got)
		}
	}
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]string{
		"30s": "30s", "1m30s": "1m30s", "500ms": "500ms", "2h": "2h0m0s", "0.5m": "30s", "1h0m1s": "1h0m1s", "45": "45s", "1500": "1.5s",
		"": "", "s": "", "5 s": "", "5d": "", "1.2.3s": "", "-5s": "", "10s5": "", "0x10s": "", "inf": "", "nan": "", "721h": "", "5sm": "",
	} {
		s, problems := one(t, `{"command":"run","timeout":"`+text+`"}`)
		if (s == nil) != (want == "") || s != nil && s.Timeout.String() != want {
			t.Errorf("%q: %+v, %q", text, s, problems)
		}
	}
}

func TestEqual(t *testing.T) {
	differ := []string{
		`{"command":"run"}`, `{"command":"run","args":["a"]}`, `{"command":"run","env":["A=1"]}`, `{"command":"run","timeout":5}`,
		`{"command":"run","tools":[]}`, `{"command":"run","tools":["a"]}`, `{"command":"run","disabled":true}`, `{"command":"run","x":1}`,
		`{"url":"https://h/"}`, `{"url":"https://h/","type":"sse"}`, `{"url":"https://h/","headers":{"A":"b"}}`,
		`{"url":"https://h/","oauth":{}}`, `{"url":"https://h/","oauth":{"x":1}}`,
	}
	for i, a := range differ {
		for j, b := range differ {
			x, _ := one(t, a)
			y, _ := one(t, b)
			if x.Equal(y) != (i == j) {
				t.Errorf("%s and %s: equal is %v", a, b, x.Equal(y))
			}
		}
	}
}

func TestLinesOfProblems(t *testing.T) {
	c := config.Parse([]byte("\uFEFF"+`// comment
{
  "mcp": {"servers": {
    "both": {
      "command": "run", "type": "stdio",
      "url": "https://h/"
    },
    "typo":
    {
      "comand": "run", // unknown, so the command is missing
      "icon": 1
    },
    /* comment
       of two lines */ "args": {"command": "run", "args":
      "-y"},
    "twice": {
      "command": "run",
      "headers": {},

      "command": "run"
    },
    "x": {"command": "a"},
    "x": {"command": "b"},
    "good": {"command": "run"}
  }}
}`), "f", "")
	var have []string
	for _, p := range c.Problems {
		have = append(have, p.Error())
	}
	want := []string{
		`f:15: server "args": "args" must be a list of strings, not a string`,
		`f:4: server "both": "type" stdio excludes a URL; leave it out to start the program and reach it at the URL`,
		`f:20: server "twice": "command" occurs twice`,
		`f:9: server "typo": "command" or a URL is required`,
		`f:10: server "typo": "comand" is unknown`,
		`f:11: server "typo": "icon" is unknown`,
		`f:23: server "x": is defined twice`,
	}
	if !reflect.DeepEqual(have, want) || len(c.Servers) != 1 {
		t.Errorf("have %q\nwant %q", have, want)
	}
	for text, want := range map[string]string{
		"{\n \"mcpServers\": {\n  \"a\": {\"command\": \"x\"\n \"b\": {}\n}": "f:4: JSON: want a comma or a closing bracket",
		"nonsense\n":             "f:1: JSON: ", // TOML is read
		"\n\n{\"servers\":\n[]}": `f:4: "servers" must be an object`,
		"\n\n":                   "f:3: JSON: ",
	} {
		c := config.Parse([]byte(text), "f", "")
		if len(c.Problems) != 1 || !strings.HasPrefix(c.Problems[0].Error(), want) {
			t.Errorf("%q: have %v, want %s", text, c.Problems, want)
		}
	}
}

// Servers that differ in any field except Source are not equal.
func TestEqualComparesEveryField(t *testing.T) {
	var fields func(v reflect.Value, path string, change func(string, reflect.Value))
	fields = func(v reflect.Value, path string, change func(string, reflect.Value)) {
		for i := range v.NumField() {
			f, name := v.Field(i), path+v.Type().Field(i).Name
			switch {
			case !f.CanSet():
			case f.Kind() == reflect.Struct:
				fields(f, name+".", change)
			default:
				change(name, f)
			}
		}
	}
	var s config.Server
	fields(reflect.ValueOf(&s).Elem(), "", func(name string, f reflect.Value) {
		switch f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int, reflect.Int64:
			f.SetInt(7)
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Map:
			f.Set(reflect.MakeMap(f.Type()))
			f.SetMapIndex(reflect.ValueOf("x"), reflect.Zero(f.Type().Elem()))
		case reflect.Interface:
			f.Set(reflect.ValueOf(errors.New("x")))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		default:
			t.Fatalf("%s is a %v", name, f.Kind())
		}
		if got := s.Equal(&config.Server{}); got != (name == "Source") {
			t.Errorf("with a different %s: equal is %v", name, got)
		}
		f.SetZero()
	})
	if !s.Equal(&config.Server{}) {
		t.Error("empty servers are not equal")
	}
	if s.Equal(nil) {
		t.Error("an empty server equals nil")
	}
}
