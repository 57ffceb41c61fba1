package host

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// TestSettingsThatNeedAnotherConnection: all that the host does not read at each use.
// Disabled is one of them, as who disables a server in a file expects it to end.
func TestSettingsThatNeedAnotherConnection(t *testing.T) {
	atEachUse := []string{"Name", "Source", "Scope", "Required", "Lazy", "Serial", "MaxRetries", "MaxResultText", "Deferred",
		"Tools", "AutoApprove", "Overrides", "Invalid", "Title", "Description", "Extra"}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Server]()) {
		if !f.IsExported() {
			continue
		}
		a, b := Server{Name: "s"}, Server{Name: "s"}
		fill(reflect.ValueOf(&b).Elem().FieldByIndex(f.Index))
		if want := slices.Contains(atEachUse, f.Name); sameConnection(&a, &b) != want || sameConnection(&b, &a) != want {
			t.Errorf("%s: the same connection is %v, want %v", f.Name, !want, want)
		}
		if f.Name != "Source" && a.Equal(&b) {
			t.Errorf("%s: the settings are equal", f.Name)
		}
	}
	text := []byte(`{"mcpServers":{"s":{"command":"./run"}}}`)
	a, b := config.Parse(text, "/a/.mcp.json", "").Server("s"), config.Parse(text, "/b/.mcp.json", "").Server("s")
	if sameConnection(a, b) || !sameConnection(a, a) {
		t.Error("a program of another folder has the same connection")
	}
}

// fill sets a field to a value that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(time.Second))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x"), reflect.New(v.Type().Elem()).Elem())
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Interface:
		v.Set(reflect.ValueOf(ErrShutdown))
	case reflect.Struct:
		fill(v.Field(0))
	}
}

// TestIdentityOfServer: it has no secrets, and a changed secret does not change it. Another part
// of the query does, as it may lead to another server.
func TestIdentityOfServer(t *testing.T) {
	s := Server{Name: "db", Command: "db-mcp", Args: []string{"--token", "tok-123456"}, Env: []string{"PASSWORD=hunter2"}, URL: "https://u:p@h/m?token=v&server=a"}
	const want = `{"name":"db","command":"db-mcp","url":"https://***@h/m?...","query":"a0cb43f6","args":["--token","***"],"env":["PASSWORD"]}`
	if got := identity(&s); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	other := s
	other.Args, other.Env, other.URL = []string{"--token", "tok-654321"}, []string{"PASSWORD=another"}, "https://v:q@h/m?token=w&server=a"
	if got := identity(&other); got != want {
		t.Errorf("with other secrets: %s", got)
	}
	if other.URL = "https://u:p@h/m?token=v&server=b"; identity(&other) == want {
		t.Error("another server has the same identity")
	}
}
