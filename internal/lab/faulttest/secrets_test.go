package faulttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/types"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// holders are the exported types that hold secrets of the program, in a field of
// their own or in one of another such type.
var holders = []reflect.Type{
	reflect.TypeFor[config.Auth](), reflect.TypeFor[config.Config](), reflect.TypeFor[config.Found](), reflect.TypeFor[config.Input](),
	reflect.TypeFor[config.OAuth](), reflect.TypeFor[config.Override](), reflect.TypeFor[config.Server](),
	reflect.TypeFor[dialers.Options](), reflect.TypeFor[host.DialParams](),
	reflect.TypeFor[jsonrpc.HTTP](), reflect.TypeFor[jsonrpc.Request](), reflect.TypeFor[jsonrpc.Response](), reflect.TypeFor[mcp.CallOptions](), reflect.TypeFor[mcp.ToolCall](),
	reflect.TypeFor[mcptest.Program](), reflect.TypeFor[mcptest.ReplayOptions](),
	reflect.TypeFor[oauth.Client](), reflect.TypeFor[oauth.Identity](), reflect.TypeFor[oauth.Options](),
	reflect.TypeFor[sse.Options](), reflect.TypeFor[sse.Transport](), reflect.TypeFor[stdio.Transport](),
	reflect.TypeFor[streamhttp.Options](), reflect.TypeFor[streamhttp.Transport](),
}

// notSecret are the types whose fields have the names of secrets and hold none.
var notSecret = map[string]string{
	"mcp.ElicitParams": "what a server asks", "mcp.URLRequest": "what a server asks", "mcp.PrimitiveSchema": "what a server asks",
	"host.Call": "what a model sends", "host.CallReport": "what a model sends", "mcptest.Call": "what a test sends", "mcptest.Request": "what a test sends",
	"mcptest.AuthServer": "what a test makes up", "mcptest.HTTPServer": "a URL of this process", "host.ServerStatus": "a copy without secrets",
	"oauth.DeviceCode": "what the user is shown",
	"oauth.Error":      "a URL without secrets", "oauth.ServerError": "a URL without secrets",
	"httperr.StatusError": "without the secrets of the request", "sse.StatusError": "the same", "streamhttp.StatusError": "the same",
}

// TestAllHoldersOfSecretsAreKnown: an exported type with a field that has the name of
// a secret, or the type of a holder, is a holder, too.
func TestAllHoldersOfSecretsAreKnown(t *testing.T) {
	want := make(map[string]bool)
	for _, h := range holders {
		want[h.String()] = true
	}
	have := make(map[string]bool)
	for grown := true; grown; {
		grown = false
		for _, pkg := range testutil.PublicPackages(t) {
			for _, name := range pkg.Scope().Names() {
				obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
				if !ok || !obj.Exported() || obj.IsAlias() && strings.HasPrefix(types.Unalias(obj.Type()).String(), "github.com/stdmcp/stdmcp/mcp/host/config") {
					continue
				}
				s, ok := obj.Type().Underlying().(*types.Struct)
				name := pkg.Name() + "." + name
				if !ok || have[name] || notSecret[name] != "" {
					continue
				}
				for f := range s.Fields() {
					if f.Exported() && (mayBeSecret(f.Name()) && isText(f.Type()) || have[elem(f.Type())]) {
						have[name], grown = true, true
					}
				}
			}
		}
	}
	for name := range have {
		if !want[name] {
			t.Errorf("%s may hold secrets: add it to holders, and a Format method and one for JSON to the type", name)
		}
	}
	for name := range want {
		if !have[name] {
			t.Errorf("%s holds no secrets", name)
		}
	}
}

func mayBeSecret(name string) bool {
	switch name {
	case "Env", "Args", "URL", "Arguments", "Default":
		return true
	}
	return diag.IsSecretName(name)
}

// isText reports whether a value of type t can hold a text.
func isText(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.String
	case *types.Slice:
		return isText(t.Elem()) || types.Identical(t.Elem(), types.Typ[types.Byte])
	case *types.Map:
		return isText(t.Elem())
	case *types.Pointer:
		return isText(t.Elem())
	}
	return false
}

// elem returns the name of the type of what t contains.
func elem(t types.Type) string {
	for {
		switch u := types.Unalias(t).(type) {
		case *types.Slice:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		case *types.Pointer:
			t = u.Elem()
		case *types.Named:
			if u.Obj().Pkg() == nil {
				return ""
			}
			return u.Obj().Pkg().Name() + "." + u.Obj().Name()
		default:
			return ""
		}
	}
}

// secretMark is in each secret that plant puts into a value.
const secretMark = "s3cretmark"

// plant puts secrets into the fields of v that may have one.
func plant(v reflect.Value, name string, depth int) {
	if !v.CanSet() || depth > 5 {
		return
	}
	holds := mayBeSecret(name) || strings.HasSuffix(name, "URL")
	switch v.Kind() {
	case reflect.String:
		if name == "Password" || holds {
			v.SetString("https://u:" + secretMark + "@h/?q=" + secretMark)
		}
		if name == "Token" || strings.HasSuffix(name, "Secret") || name == "Default" {
			v.SetString(secretMark)
		}
	case reflect.Bool:
		v.SetBool(name == "Password")
	case reflect.Slice:
		switch {
		case v.Type().Elem().Kind() == reflect.Uint8 && !holds && name != "Extra":
		case v.Type().Elem().Kind() == reflect.Uint8:
			v.SetBytes([]byte(`"` + secretMark + `"`))
		case v.Type().Elem().Kind() == reflect.String && name == "Args":
			v.Set(reflect.ValueOf([]string{"-y", "--api-key=" + secretMark, "--token", secretMark, "postgresql://u:" + secretMark + "@h/db"}).Convert(v.Type()))
		case v.Type().Elem().Kind() == reflect.String && holds:
			v.Set(reflect.ValueOf([]string{"KEY=" + secretMark}).Convert(v.Type()))
		default:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			plant(v.Index(0), name, depth+1)
		}
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		if v.Type() == reflect.TypeFor[http.Header]() {
			value = reflect.ValueOf([]string{"Bearer " + secretMark})
		} else {
			plant(value, name, depth+1)
		}
		if value.Kind() == reflect.Interface {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("X-Key").Convert(v.Type().Key()), value)
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.Struct && strings.Contains(v.Type().Elem().PkgPath(), "stdmcp") && v.Type() != reflect.TypeFor[*oauth.Key]() {
			v.Set(reflect.New(v.Type().Elem()))
			plant(v.Elem(), name, depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			plant(v.Field(i), v.Type().Field(i).Name, depth+1)
		}
	}
}

// TestNoHolderShowsItsSecrets prints each holder with all verbs of fmt, as JSON and
// with slog: by value, by pointer, and inside of other values.
func TestNoHolderShowsItsSecrets(t *testing.T) {
	for _, h := range holders {
		p := reflect.New(h)
		plant(p.Elem(), "", 0)
		if !holdsMark(p, 0) {
			t.Errorf("%s: nothing is planted", h)
		}
		checkShown(t, h.String(), p.Elem().Interface(), p.Interface())
	}
}

// holdsMark reports whether a secret is planted in v.
func holdsMark(v reflect.Value, depth int) bool {
	if depth > 8 {
		return false
	}
	switch v.Kind() {
	case reflect.String:
		return strings.Contains(v.String(), secretMark)
	case reflect.Pointer:
		return !v.IsNil() && holdsMark(v.Elem(), depth+1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return bytes.Contains(v.Bytes(), []byte(secretMark))
		}
		for i := range v.Len() {
			if holdsMark(v.Index(i), depth+1) {
				return true
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if holdsMark(v.MapIndex(key), depth+1) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && holdsMark(v.Field(i), depth+1) {
				return true
			}
		}
	}
	return false
}

// TestCopiesOfStatesShowNoSecrets: exported types that hold secrets in other fields.
func TestCopiesOfStatesShowNoSecrets(t *testing.T) {
	c := config.Parse([]byte(`{"inputs":[{"id":"a","password":true,"default":"`+secretMark+`"}],"mcpServers":{"a":{"command":"a","env":{"API_KEY":"`+secretMark+`"}},
		"b":{"command":7,"env":{"API_KEY":"`+secretMark+`"}}}}`), "", "")
	checkShown(t, "config.Config", *c, c)
	input, err := c.Input("a")
	testutil.Must(t, err)
	checkShown(t, "config.Input", *input, input)
	expanded, err := c.Servers[0].Expand(t.Context(), nil)
	testutil.Must(t, err)
	checkShown(t, "expanded", *expanded, expanded)
	memory := oauth.NewMemory()
	testutil.Must(t, memory.Save(t.Context(), oauth.StoreKey{Client: "a"}, []byte(secretMark)))
	transport := oauth.New("https://u:"+secretMark+"@h/", &oauth.Options{Store: memory, Client: oauth.Client{ID: "a", Secret: secretMark}})
	bearer := oauth.Bearer("https://h/", oauth.Static(secretMark), nil)
	web := streamhttp.New("https://u:"+secretMark+"@h/", &streamhttp.Options{Client: transport.Client(), Header: http.Header{"X-Key": {secretMark}}})
	checkShown(t, "states", memory, transport, bearer, transport.Client(), web, mcp.FirstOf(web, sse.New(web.URL, &sse.Options{Header: web.Header})), dialers.All(&dialers.Options{HTTP: &web.Options}))
	h := host.New(&host.Options{Dialers: dialers.All(&dialers.Options{HTTP: &web.Options}), Retry: host.Retry{Max: -1}})
	defer h.Shutdown(t.Context())
	_ = h.AddServer(t.Context(), &host.Server{Name: "a", Command: "no-such-program", Env: []string{"API_KEY=" + secretMark}, Args: []string{"--token", secretMark}})
	checkShown(t, "host", h, *h.Status()[0], h.Status()[0])
}

// checkShown reports each way in which one of values shows a secret.
func checkShown(t *testing.T, name string, values ...any) {
	t.Helper()
	var all []any
	for _, v := range values {
		box := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "Field", Type: reflect.TypeOf(v)}}))
		box.Elem().Field(0).Set(reflect.ValueOf(v))
		list := reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(v)), 1, 1)
		list.Index(0).Set(reflect.ValueOf(v))
		table := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[string](), reflect.TypeOf(v)))
		table.SetMapIndex(reflect.ValueOf("key"), reflect.ValueOf(v))
		all = append(all, v, box.Interface(), box.Elem().Interface(), list.Interface(), table.Interface(), struct{ Any any }{v})
	}
	for _, v := range all {
		verbs := "vTtbcdoOqxXUeEfFgGs"
		if reflect.TypeOf(v).Kind() == reflect.Pointer {
			verbs += "p" // of another value fmt calls no method, and vet refuses it
		}
		for _, verb := range verbs {
			for _, flags := range []string{"", "+", "#", "-", " ", "0", "+#"} {
				checkText(t, name, "%"+flags+string(verb), fmt.Sprintf("%"+flags+string(verb), v))
			}
		}
		if text, err := json.Marshal(v); err == nil {
			checkText(t, name, "JSON", string(text))
		}
		var b bytes.Buffer
		slog.New(slog.NewTextHandler(&b, nil)).Info("x", "key", v, slog.Group("g", "k", v))
		slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "key", v, slog.Group("g", "k", v))
		checkText(t, name, "slog", b.String())
	}
}

func checkText(t *testing.T, name, way, text string) {
	t.Helper()
	decimal := strings.Trim(fmt.Sprint([]byte(secretMark)), "[]")
	shown := strings.Contains(text, decimal)
	for _, form := range []string{secretMark, fmt.Sprintf("%x", secretMark), fmt.Sprintf("%X", secretMark), fmt.Sprintf("% x", secretMark)} {
		shown = shown || strings.Contains(text, form)
	}
	if encoded, err := json.Marshal([]byte(secretMark)); err == nil {
		shown = shown || strings.Contains(text, string(encoded[1:12]))
	}
	if shown {
		t.Errorf("%s with %s: %s", name, way, text)
	}
}
