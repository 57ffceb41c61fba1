package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A zooServer is an entry of testdata/zoo.json: a server that others wrote, and
// how it is started for each transport.
type zooServer struct {
	Name, Package, SDK string
	Quick              bool     // runs with every change
	Ignore             []string // members that vary, or that the official client drops
	Env                []string
	Run                map[string][]string // by the transport and the path, such as "http /mcp"
	Calls              []json.RawMessage   // the params of tools/call
}

// zoo returns the servers that run: all if STDMCP_ZOO names the file for the
// table, else the quick ones.
func zoo(t *testing.T) (list []*zooServer) {
	t.Helper()
	if os.Getenv("STDMCP_INTEROP") == "" {
		t.Skip("did not run: STDMCP_INTEROP does not name the folder with the servers; see scripts/interop")
	}
	text, err := os.ReadFile("testdata/zoo.json")
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	testutil.Must(t, err)
	return slices.DeleteFunc(list, func(s *zooServer) bool { return !s.Quick && os.Getenv("STDMCP_ZOO") == "" })
}

// use lists the tools, makes the calls, and compares both with what the official
// client got.
func (i *instance) use(t *testing.T, c *mcp.Client, want *answer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tools, err := c.ListTools(ctx)
	if err != nil {
		t.Errorf("tools/list: %v", err)
	} else if got, want := i.comparable(tools), i.comparable(want.Tools); !reflect.DeepEqual(got, want) {
		t.Errorf("tools:\n%v\nthe official client has\n%v", got, want)
	}
	for n, want := range want.Calls {
		name, args := i.call(t, n)
		res, err := c.CallTool(ctx, name, args)
		var refused *jsonrpc.Error
		switch {
		case errors.As(err, &refused) && want.Error != nil:
			if int(refused.Code) != want.Error.Code || refused.Message != want.Error.Message {
				t.Errorf("%s: %v, the official client has %+v", name, refused, *want.Error)
			}
		case err != nil || want.Result == nil:
			t.Errorf("%s: %v, %v, the official client has %+v, %s", name, res, err, want.Error, want.Result)
		default:
			if got, want := i.comparable(res), i.comparable(want.Result); !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\n%v\nthe official client has\n%v", name, got, want)
			}
		}
	}
}

// call returns the name and the arguments of a call, which may have none.
func (i *instance) call(t *testing.T, n int) (name string, args any) {
	t.Helper()
	var params struct {
		Name      string
		Arguments json.RawMessage
	}
	testutil.Must(t, json.Unmarshal(i.calls[n], &params))
	if params.Arguments != nil {
		args = params.Arguments
	}
	return params.Name, args
}

// comparable returns tools or a result as JSON, without what may differ.
func (i *instance) comparable(v any) (c any) {
	text, _ := json.Marshal(v)
	_ = json.Unmarshal(text, &c)
	for _, name := range i.Ignore {
		without(c, name)
	}
	if c, ok := c.(map[string]any); ok {
		if c["isError"] == false { // its absence means the same
			delete(c, "isError")
		}
		delete(c, "resultType")
		delete(c, "_meta") // the server's name, in the modern era: under load the clients may choose differently
	}
	return c
}

// without deletes a member from all objects.
func without(v any, name string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			without(item, name)
		}
	case map[string]any:
		delete(v, name)
		for _, item := range v {
			without(item, name)
		}
	}
}

// An official is the official TypeScript client.
type official struct{ *process.Process }

// An answer is what it got from a server.
type answer struct {
	MS      float64
	Mode    string // of its version negotiation: auto, or legacy where that failed
	Problem string
	Tools   []json.RawMessage
	Calls   []struct {
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
		}
	}
}

func newOfficial(t *testing.T) *official {
	t.Helper()
	cmd := exec.Command(newNode(), "testdata/official.mjs")
	cmd.Stderr = os.Stderr
	p, err := process.Start(cmd)
	testutil.Must(t, err)
	t.Cleanup(func() { p.Close() })
	return &official{p}
}

// run connects the official client, which makes the calls.
func (o *official) run(t *testing.T, i *instance, calls []json.RawMessage) *answer {
	t.Helper()
	env := make(map[string]string)
	for _, v := range i.env {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	job := map[string]any{"transport": i.kind, "command": i.argv, "env": env, "dir": i.dir, "url": i.url, "calls": calls}
	line, err := json.Marshal(job)
	if err == nil {
		_, err = o.In.Write(append(line, '\n'))
	}
	if err == nil {
		line, err = o.Out.ReadBytes('\n')
	}
	a := new(answer)
	if err == nil {
		err = json.Unmarshal(line, a)
	}
	if err != nil || a.Problem != "" {
		t.Fatal("the official client:", err, a.Problem)
	}
	return a
}

// TestZoo compares the client with the official one at servers of many kinds,
// over every transport that they offer.
func TestZoo(t *testing.T) {
	servers := zoo(t)
	var table io.Writer = io.Discard
	rounds := 1
	if name := os.Getenv("STDMCP_ZOO"); name != "" {
		file, err := os.Create(name)
		testutil.Must(t, err)
		defer file.Close()
		table, rounds = file, 5
	}
	theirs := newOfficial(t)
	for _, s := range servers {
		for _, transport := range slices.Sorted(maps.Keys(s.Run)) {
			t.Run(s.Name+" "+strings.Fields(transport)[0], func(t *testing.T) {
				before := testutil.TakeSnapshot().Descriptors
				i := newInstance(t, s, transport)
				row := fmt.Sprintf("| %s | %s | %s | %s |", s.Name, s.Package, i.sdk(), transport)
				defer func() {
					if t.Failed() {
						fmt.Fprintln(table, row, "| | | | failed |")
					}
				}()
				i.start(t)
				want := theirs.run(t, i, i.calls)
				c, took := i.connect(t)
				i.use(t, c, want)
				version := c.Server().ProtocolVersion

				c = i.restart(t, c)
				i.use(t, c, want)
				if err := c.Close(); err != nil && i.kind == "stdio" {
					t.Error(err)
				}

				mine, official := []time.Duration{took}, []time.Duration{milliseconds(want.MS)}
				for range rounds - 1 {
					if want.MS > 10_000 {
						break // a median would be no clearer
					}
					c, took := i.connect(t)
					c.Close()
					mine = append(mine, took)
					official = append(official, milliseconds(theirs.run(t, i, nil).MS))
				}
				if i.kind != "stdio" {
					i.kill()
				}
				nothingLeft(t, i, before)
				a, b := testutil.Percentile(mine, 50), testutil.Percentile(official, 50)
				row = fmt.Sprintf("%s %s | %d ms | %d ms | %.2f |", row, version, a.Milliseconds(), b.Milliseconds(), float64(a)/float64(b))
				if !t.Failed() {
					how := fmt.Sprintf("%d tools, result", len(want.Tools))
					if want.Calls[len(want.Calls)-1].Error != nil {
						how = fmt.Sprintf("%d tools, error", len(want.Tools))
					}
					if want.Mode != "auto" {
						how += "; auto fails there"
					}
					fmt.Fprintln(table, row, how, "|")
				}
			})
		}
	}
	t.Logf("%d servers", len(servers))
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
