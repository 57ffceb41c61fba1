package state

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// TestHashOfTrustCoversEveryField: a change of any field, at any depth, is another entry.
func TestHashOfTrustCoversEveryField(t *testing.T) {
	e := &config.Server{}
	seen := make(map[string]string)
	try := func(name string) {
		hash, _, err := trustLine(e)
		if other, had := seen[hash]; had || err != nil {
			t.Errorf("%s is like %s, %v", name, other, err)
		}
		seen[hash] = name
	}
	try("nothing")
	changeEach(reflect.ValueOf(e).Elem(), "", try)
	if len(seen) < 40 {
		t.Errorf("only %d fields", len(seen))
	}
}

// changeEach calls try with each exported field of a value changed, one at a time.
func changeEach(v reflect.Value, name string, try func(name string)) {
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				changeEach(v.Field(i), name+"."+f.Name, try)
			}
		}
		return
	}
	defer v.SetZero()
	inner := reflect.Value{} // has more fields
	switch v.Kind() {
	case reflect.Pointer:
		inner = reflect.New(v.Type().Elem())
		v.Set(inner)
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		if value.Kind() == reflect.Pointer {
			inner = reflect.New(value.Type().Elem())
			value.Set(inner)
		}
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x"), value)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Interface:
		v.Set(reflect.ValueOf(errors.New("x")))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.SetInt(7)
	}
	try(name)
	if inner.IsValid() {
		changeEach(inner.Elem(), name, try)
	}
}

// TestTrustOfEntryWithPointers: an entry with pointers in it is asked about once, and
// again after a change behind one of them.
func TestTrustOfEntryWithPointers(t *testing.T) {
	testutil.SetConfigHome(t, t.TempDir())
	t.Chdir(t.TempDir())
	entry := func(text string) *config.Server {
		t.Helper()
		c := config.Parse([]byte(`{"mcpServers":{"a":`+text+`}}`), ".mcp.json", "project")
		if len(c.Servers) != 1 {
			t.Fatal(c.Problems)
		}
		return c.Servers[0]
	}
	const text = `{"command":"ls","deferred":true,"overrides":{"b":{"name":"x","arguments":{"p":1,"q":2}},"c":{"omit":["r"]}}}`
	if err := Trust(entry(text)); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	if !IsTrusted(entry(text)) {
		t.Error("the same entry is asked about again")
	}
	if !IsTrusted(entry(`{"overrides":{"c":{"omit":["r"]},"b":{"arguments":{"q":2,"p":1},"name":"x"}},"deferred":true,"command":"ls"}`)) {
		t.Error("another order is asked about")
	}
	for _, changed := range []string{
		`{"command":"ls","deferred":false,"overrides":{"b":{"name":"x","arguments":{"p":1,"q":2}},"c":{"omit":["r"]}}}`,
		`{"command":"ls","deferred":true,"overrides":{"b":{"name":"x","arguments":{"p":1,"q":3}},"c":{"omit":["r"]}}}`,
		`{"command":"ls","deferred":true,"overrides":{"b":{"name":"x","arguments":{"p":1,"q":2}},"c":{"omit":["s"]}}}`,
		`{"command":"ls","deferred":true,"overrides":{"b":{"name":"x","arguments":{"p":1,"q":2}}}}`,
	} {
		if IsTrusted(entry(changed)) {
			t.Errorf("%s is trusted", changed)
		}
	}
}

// TestTrustAtOnce: several commands remember entries and forget others at once.
func TestTrustAtOnce(t *testing.T) {
	testutil.SetConfigHome(t, t.TempDir())
	t.Chdir(t.TempDir())
	entry := func(name string) *config.Server {
		return config.Parse([]byte(`{"mcpServers":{"`+name+`":{"command":"ls"}}}`), ".mcp.json", "project").Server(name)
	}
	const first = "revoked"
	if err := Trust(entry(first)); err != nil {
		t.Fatal(err)
	}
	revoked := TrustedEntries()
	var group sync.WaitGroup
	names := []string{"a", "b", "c", "d"}
	for _, name := range names {
		group.Go(func() {
			if err := Trust(entry(name)); err != nil {
				t.Error(err)
			}
		})
	}
	if err := Revoke(revoked); err != nil {
		t.Error(err)
	}
	group.Wait()
	for _, name := range names {
		if !IsTrusted(entry(name)) {
			t.Errorf("the answer about %s is lost", name)
		}
	}
	if IsTrusted(entry(first)) {
		t.Error("what was revoked is trusted")
	}
}

// TestTrustOfInputs: another default, text or choice of an input that the entry uses is another entry.
func TestTrustOfInputs(t *testing.T) {
	testutil.SetConfigHome(t, t.TempDir())
	t.Chdir(t.TempDir())
	entry := func(inputs string) *config.Server {
		c := config.Parse([]byte(`{"inputs":[`+inputs+`],"mcpServers":{"a":{"command":"${input:x}"}}}`), ".mcp.json", "project")
		return c.Server("a")
	}
	if err := Trust(entry(`{"id":"x","default":"ls"}`)); err != nil {
		t.Fatal(err)
	}
	if !IsTrusted(entry(`{"id":"y"},{"id":"x","default":"ls"}`)) {
		t.Error("an input that the entry does not use is part of it")
	}
	for _, other := range []string{
		`{"id":"x","default":"evil"}`,
		`{"id":"x","default":"ls","description":"Your password at the bank"}`,
		`{"id":"x","default":"ls","options":["evil"]}`,
	} {
		if IsTrusted(entry(other)) {
			t.Errorf("the input %s is trusted", other)
		}
	}
}

// TestTrustOfLink: the programs of an entry are those of the folder, not of the one that
// the file links to.
func TestTrustOfLink(t *testing.T) {
	testutil.SetConfigHome(t, t.TempDir())
	mine, theirs := t.TempDir(), t.TempDir()
	file := filepath.Join(mine, ".mcp.json")
	if err := os.WriteFile(file, []byte(`{"mcpServers":{"a":{"command":"./server"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, filepath.Join(theirs, ".mcp.json")); err != nil {
		t.Skip("did not run: this system makes no links: ", err)
	}
	t.Chdir(mine)
	if err := Trust(config.Load(".").Server("a")); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(theirs, "link")
	if err := os.Symlink(mine, link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(link)
	t.Setenv("PWD", link)
	if !IsTrusted(config.Load(".").Server("a")) {
		t.Error("not trusted by another name of the folder")
	}
	t.Chdir(theirs)
	if IsTrusted(config.Load(".").Server("a")) {
		t.Error("trusted in another folder")
	}
}

// TestTrustFileOfOthers: answers that others could have written do not count.
func TestTrustFileOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("did not run: files on Windows have no mode")
	}
	testutil.SetConfigHome(t, t.TempDir())
	t.Chdir(t.TempDir())
	e := config.Parse([]byte(`{"mcpServers":{"a":{"command":"ls"}}}`), ".mcp.json", "project").Server("a")
	if err := Trust(e); err != nil {
		t.Fatal(err)
	}
	path, _ := TrustFile()
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if IsTrusted(e) {
		t.Error("a file that others can write is believed")
	}
	if err := Trust(e); err != nil || !IsTrusted(e) {
		t.Error("cannot trust again", err)
	}
	testutil.CheckPrivate(t, path)
}

// Trust is remembered for an entry as it is, and ends when any setting changes.
func TestTrustIsRememberedForTheWholeEntry(t *testing.T) {
	testutil.SetConfigHome(t, t.TempDir())
	entry := func(text string) *config.Server {
		t.Helper()
		c := config.Parse([]byte(`{"mcpServers":{"a":`+text+`}}`), ".mcp.json", "project")
		if len(c.Servers) != 1 {
			t.Fatal(c.Problems)
		}
		return c.Servers[0]
	}
	dir := t.TempDir()
	t.Chdir(dir)
	const text = `{"command":"ls","env":{"A":"1","B":"2"}}`
	if err := Trust(entry(text)); err != nil {
		t.Fatal(err)
	}
	if !IsTrusted(entry(text)) {
		t.Error("the entry is forgotten")
	}
	for _, changed := range []string{`{"command":"ls","env":{"A":"1","B":"3"}}`, `{"command":"ls","args":["x"],"env":{"A":"1","B":"2"}}`,
		`{"command":"ls","env":{"A":"1","B":"2"},"cwd":"/tmp"}`, `{"command":"ls","env":{"A":"1","B":"2"},"envFile":"x"}`,
		`{"command":"ls","env":{"A":"1","B":"2"},"inheritEnv":true}`, `{"command":"ls","env":{"A":"1","B":"2"},"more":1}`} {
		if IsTrusted(entry(changed)) {
			t.Errorf("%s is trusted", changed)
		}
	}
	other := entry(text)
	other.Name = "b"
	if IsTrusted(other) {
		t.Error("an entry with another name is trusted")
	}
	t.Chdir(t.TempDir())
	if IsTrusted(entry(text)) {
		t.Error("the entry of another folder is trusted")
	}
	t.Chdir(dir)
	if err := Trust(entry(`{"command":"cat"}`)); err != nil {
		t.Fatal(err)
	}
	if IsTrusted(entry(text)) {
		t.Error("the earlier entry is still trusted")
	}
	path, _ := TrustFile()
	testutil.CheckPrivate(t, path)
	if filepath.Dir(path) == dir {
		t.Error(path)
	}
	if lines := readTrusted(); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
}

// TestLockOfServersIsHeld: a command waits for another one, not for ever, and names the lock.
func TestLockOfServersIsHeld(t *testing.T) {
	testutil.SetConfigHome(t, t.TempDir())
	unlock, err := LockServers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err = LockServers(ctx); err == nil || !strings.Contains(err.Error(), "servers.lock") {
		t.Error(err)
	}
	unlock()
	if unlock, err = LockServers(t.Context()); err != nil {
		t.Fatal(err)
	}
	unlock()
}

// TestTrustOfEnvFile: what is in a file of variables is part of the entry.
func TestTrustOfEnvFile(t *testing.T) {
	testutil.SetConfigHome(t, t.TempDir())
	t.Chdir(t.TempDir())
	write := func(text string) {
		if err := os.WriteFile(".env", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(".mcp.json", []byte(`{"mcpServers":{"a":{"command":"ls","envFile":".env"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	entry := func() *config.Server { return config.Load(".").Server("a") }
	const text = "A=1\nAPI_TOKEN=hunter22\n"
	write(text)
	if err := Trust(entry()); err != nil || !IsTrusted(entry()) {
		t.Fatal(err)
	}
	for _, changed := range []string{"A=2\nAPI_TOKEN=hunter22\n", "A=1\nAPI_TOKEN=hunter23\n", text + "NODE_OPTIONS=--require ./x\n", ""} {
		write(changed)
		if IsTrusted(entry()) {
			t.Errorf("%q is trusted", changed)
		}
	}
	_ = os.Remove(".env")
	if IsTrusted(entry()) {
		t.Error("trusted without the file")
	}
	write("# a comment\n" + text)
	if !IsTrusted(entry()) {
		t.Error("the same variables are asked about again")
	}
}

// TestHashOfTrustStays: a new field of the settings asks no user again. If this hash
// changes, every user is asked about every server of a project.
func TestHashOfTrustStays(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("did not run: the hash has paths of Linux")
	}
	c := config.Parse([]byte(`{"mcpServers":{"a":{"command":"ls","args":["x"],"env":{"A":"1"},"tools":["t"],"overrides":{"b":{"name":"c"}}},
		"b":{"url":"https://h/","headers":{"X":"y"},"oauth":{"clientId":"c","scopes":["s"]},"deferred":true}}}`), "/none/p/.mcp.json", "project")
	for name, want := range map[string]string{"a": "500cfcce4b15f397163e5122242a2c3aa43435620ebc4b85447c1021715da6b0", "b": "f4d2b2e65dba40efec7fbac6ce8037471028c2f69fad77442a576466452a726b"} {
		if hash, _, err := trustLine(c.Server(name)); hash != want {
			t.Errorf("%s: %s, %v", name, hash, err)
		}
	}
}

// TestTrustOfReferredFile: what a file has that decides what runs is part of the entry, and so
// is where a file of the project leads; a secret may change.
func TestTrustOfReferredFile(t *testing.T) {
	testutil.SetConfigHome(t, t.TempDir())
	t.Chdir(t.TempDir())
	other := filepath.Join(t.TempDir(), "id")
	write := func(name, text string) {
		t.Helper()
		_ = os.Remove(name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".mcp.json", `{"mcpServers":{"a":{"command":"${file:cmd}","args":["${file:arg}","--token","${file:token}"],
		"env":{"NODE_OPTIONS":"${file:node}","API_TOKEN":"${file:token}"}},
		"b":{"url":"https://${file:host}/","headers":{"X":"${file:token}"}}}}`)
	for _, name := range []string{"cmd", "arg", "node", "host", "token", other} {
		write(name, "one")
	}
	trusts := func(a, b bool) {
		t.Helper()
		c := config.Load(".")
		if haveA, haveB := IsTrusted(c.Server("a")), IsTrusted(c.Server("b")); haveA != a || haveB != b {
			t.Errorf("a is trusted: %t, b: %t", haveA, haveB)
		}
	}
	c := config.Load(".")
	for _, s := range c.Servers {
		if err := Trust(s); err != nil {
			t.Fatal(err)
		}
	}
	trusts(true, true)
	write("token", "a longer one")
	trusts(true, true)
	for name, changed := range map[string]string{"cmd": "a", "arg": "a", "node": "a", "host": "b"} {
		write(name, "two")
		trusts(changed != "a", changed != "b")
		for _, e := range c.Servers { // between the answer and the start
			if _, err := e.Trust().Expand(t.Context(), nil); (err == nil) != (e.Name != changed) {
				t.Errorf("%s: %s starts: %v", name, e.Name, err)
			}
		}
		write(name, "one")
	}
	if err := os.Remove("token"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, "token"); err != nil {
		t.Skip("did not run: this system makes no links: ", err)
	}
	trusts(false, false)
	for _, e := range c.Servers {
		if _, err := e.Trust().Expand(t.Context(), nil); err == nil {
			t.Errorf("%s sends the file that a link leads to", e.Name)
		}
	}
}

// TestTrustOfLargeEntry: the hash takes a small multiple of the entry, and not its square.
func TestTrustOfLargeEntry(t *testing.T) {
	const args = 20_000
	e := &config.Server{Name: "a", Command: "x", Args: slices.Repeat([]string{"argument"}, args)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := trustLine(e); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / args; n > 1000 {
		t.Errorf("%d bytes for each argument", n)
	}
	testutil.SetConfigHome(t, t.TempDir())
	if n := testing.AllocsPerRun(1, func() { IsTrusted(e) }); n > 1000 { // which has no answer
		t.Errorf("%g allocations without an answer", n)
	}
}
