package oauth

import (
	"net/http"
	"net/url"
	"reflect"
	"testing"
	"time"
)

type params = map[string]string

func TestChallenges(t *testing.T) {
	for _, v := range []struct {
		fields []string
		want   []challenge
	}{
		{nil, nil},
		{[]string{""}, nil},
		{[]string{" , ,"}, nil},
		{[]string{"Bearer"}, []challenge{{"bearer", params{}}}},
		{[]string{`Bearer realm="a, b", scope="x y"`}, []challenge{{"bearer", params{"realm": "a, b", "scope": "x y"}}}},
		{[]string{`BEARER Error=invalid_token , ERROR_description = "it \"is\" \\ so"`}, []challenge{{"bearer", params{"error": "invalid_token", "error_description": `it "is" \ so`}}}},
		{[]string{`Basic realm="x", Bearer scope=a, DPoP algs="ES256"`}, []challenge{{"basic", params{"realm": "x"}}, {"bearer", params{"scope": "a"}}, {"dpop", params{"algs": "ES256"}}}},
		{[]string{"Bearer, DPoP"}, []challenge{{"bearer", params{}}, {"dpop", params{}}}},
		{[]string{"Basic", "Bearer scope=a"}, []challenge{{"basic", params{}}, {"bearer", params{"scope": "a"}}}},
		{[]string{"Negotiate abc==, Bearer scope=a"}, []challenge{{"negotiate", params{}}, {"bearer", params{"scope": "a"}}}},
		{[]string{"Negotiate abc/+ , Bearer"}, []challenge{{"negotiate", params{}}, {"bearer", params{}}}},
		{[]string{"Bearer scope=a,scope=b"}, []challenge{{"bearer", params{"scope": "a"}}}},
		{[]string{`Bearer scope="", scope=b`}, []challenge{{"bearer", params{"scope": ""}}}},
		{[]string{"Bearer ,, scope=a ,,"}, []challenge{{"bearer", params{"scope": "a"}}}},
		// Malformed: the rest counts.
		{[]string{`Bearer error_description="The "old" one", scope=a`}, []challenge{{"bearer", params{"scope": "a"}}}},
		{[]string{`Bearer: scope=a`}, []challenge{{"bearer", params{"scope": "a"}}}},
		{[]string{`scope=a, error=b`}, []challenge{{"", params{"scope": "a", "error": "b"}}}},
		{[]string{`Bearer error=é, scope=a`}, []challenge{{"bearer", params{"scope": "a"}}}},
		{[]string{`Bearer scope=a, error="x`}, []challenge{{"bearer", params{"scope": "a"}}}},
		{[]string{`Bearer scope=a error=b`}, []challenge{{"bearer", params{"scope": "a", "error": "b"}}}}, // lenient
		{[]string{`Bearer scope=a, error=b@`}, []challenge{{"bearer", params{"scope": "a", "error": "b@"}}}},
		{[]string{`Bearer scope=a, =b`}, []challenge{{"bearer", params{"scope": "a"}}}},
		{[]string{`Bearer@scope=a`, "DPoP"}, []challenge{{"bearer", params{}}, {"dpop", params{}}}},
		{[]string{`"x"`}, nil},
	} {
		if got, _ := parseChallenges(v.fields); !reflect.DeepEqual(got, v.want) {
			t.Errorf("%q: %v, want %v", v.fields, got, v.want)
		}
	}
}

func TestDemands(t *testing.T) {
	for _, v := range []struct {
		status int
		field  string
		want   demand
		ok     bool
	}{
		{200, `Bearer scope="x"`, demand{}, false},
		{401, "", demand{}, true},
		{401, `Basic realm="x"`, demand{}, false},
		{401, `Bearer resource_metadata="https://h/x", scope="a b"`, demand{metadata: "https://h/x", scope: "a b", bearer: true}, true},
		{401, `Basic scope="no", Bearer scope="a", DPoP resource_metadata="https://h/x", scope="b"`, demand{metadata: "https://h/x", scope: "a", bearer: true, dpop: true}, true},
		{401, `DPoP error="use_dpop_nonce"`, demand{dpop: true, nonce: true}, true},
		{403, "", demand{}, false},
		{403, `Bearer error="insufficient_scope", scope="a"`, demand{scope: "a", bearer: true, stepUp: true}, true},
	} {
		h := http.Header{}
		if v.field != "" {
			h.Set("WWW-Authenticate", v.field)
		}
		d, ok := demandOf(&http.Response{StatusCode: v.status, Header: h})
		if ok != v.ok || ok && d != v.want {
			t.Errorf("%d %s: %+v, %v", v.status, v.field, d, ok)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, v := range []struct {
		resource, url string
		want          bool
	}{
		{"https://h/mcp", "https://h/mcp", true},
		{"https://h/mcp/", "https://h/mcp", true},
		{"https://h/mcp", "https://h/mcp/", true},
		{"https://h", "https://h/mcp", true},
		{"https://h/", "https://h/mcp", true},
		{"HTTPS://H:443/mcp", "https://h/mcp", true},
		{"https://h/a", "https://h/a/mcp", true},
		{"https://h/a", "https://h/ab", false},
		{"https://h/a/mcp", "https://h/a", false},
		{"https://h/mcp?x=1", "https://h/mcp?x=1", true},
		{"https://h/mcp?x=1", "https://h/mcp", false},
		{"https://h/mcp", "https://h/mcp?x=1", true},
		{"http://h/mcp", "https://h/mcp", false},
		{"https://h:8443/mcp", "https://h/mcp", false},
		{"https://h.evil/mcp", "https://h/mcp", false},
		{"https://h/mcp#f", "https://h/mcp", false},
		{"https://u@h/mcp", "https://h/mcp", false},
		{"h/mcp", "https://h/mcp", false},
		{"", "https://h/mcp", false},
		{"/mcp", "https://h/mcp", false},
		{"https://h/%2e%2e/x", "https://h/x", false},
		{"https://h/a%2Fb", "https://h/a/b", false},
	} {
		if tr := New(v.url, nil); tr.isOwn(&resourceMetadata{resource: v.resource}, "") != v.want {
			t.Errorf("%s for %s: %v", v.resource, v.url, !v.want)
		}
	}
}

// What is above the resource is for the whole origin to say.
func TestResourceOfMetadata(t *testing.T) {
	tr := New("https://h/a/mcp", nil)
	for _, v := range []struct {
		said, resource string
		want           bool
	}{
		{"https://h/a/prm", "https://h/a/mcp", true},
		{"https://h/a/prm", "https://h/a/mcp/", true},
		{"https://elsewhere/prm", "https://h/a/mcp", true},
		{"https://h/a/prm", "https://h", false},
		{"https://h/a/prm", "https://h/a", false},
		{"https://h/a/.well-known/oauth-protected-resource", "https://h", false},
		{"https://h/.well-known/oauth-protected-resourceful", "https://h", false},
		{"https://h/.well-known/oauth-protected-resource/../../a/prm", "https://h", false},
		{"https://h/a/../.well-known/oauth-protected-resource", "https://h", false},
		{"https://h/a/%2e%2e/.well-known/oauth-protected-resource", "https://h", false},
		{"https://h:444/.well-known/oauth-protected-resource", "https://h", false},
		{"https://h/.well-known/oauth-protected-resource", "https://h", true},
		{"https://h/.well-known/oauth-protected-resource/a/mcp", "https://h/", true},
	} {
		if tr.isOwn(&resourceMetadata{resource: v.resource}, v.said) != v.want {
			t.Errorf("%s for %s: %v", v.said, v.resource, !v.want)
		}
	}
}

func TestCanonical(t *testing.T) {
	for raw, want := range map[string]string{
		"HTTPS://Example.COM/Mcp": "https://example.com/Mcp", "https://h/": "https://h", "https://h": "https://h",
		"https://u:p@h:8443/a%2Fb/": "https://h:8443/a%2Fb/", "https://h/mcp?x=1": "https://h/mcp?x=1",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := canonical(u); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}

func TestJWT(t *testing.T) {
	good := unsigned(map[string]any{"typ": "JWT"}, map[string]any{"aud": []string{"a", "b"}, "exp": 1.5e9, "client_id": "c", "resource": "r", "x": map[string]int{"y": 1}})
	j, err := parseJWT(good)
	if err != nil || j.typ != "JWT" || !reflect.DeepEqual(j.audience, []string{"a", "b"}) || !j.expires.Equal(time.Unix(1.5e9, 0)) || j.client != "c" || string(j.resource) != `"r"` {
		t.Errorf("%+v, %v", j, err)
	}
	for _, s := range []string{
		"", "a.b", "a.b.c", good + ".x", good + "=", "." + good, good[:len(good)-1] + "\n",
		encode([]byte("{}")) + "." + encode([]byte("{}")) + ".",
		encode([]byte("[]")) + "." + encode([]byte("{}")) + ".AA", encode([]byte("{}")) + "." + encode([]byte("1")) + ".AA",
		unsigned(map[string]any{"typ": 1}, nil), unsigned(map[string]any{}, map[string]any{"exp": "x"}),
		unsigned(map[string]any{}, map[string]any{"exp": -1}), unsigned(map[string]any{}, map[string]any{"exp": 1e300}),
		unsigned(map[string]any{}, map[string]any{"aud": 1}), encode([]byte("{}")) + "." + encode([]byte(`{"exp":1,"exp":2}`)) + ".AA",
	} {
		if j, err := parseJWT(s); err == nil {
			t.Errorf("%q: %+v", s, j)
		}
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\x1b[31mb\r\nc\u202ed": "ab  c?d", "\xff": "?",
	} {
		if got := printable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"https://u:p@h/x?y=z#f": "https://h/x?...", "javascript:alert(1)": "javascript:...", "/x": "a relative URL", "http://[": "an invalid URL",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
