// Command nilargs calls each exported function and method of the public
// packages with nil and zero values. TestNilArgumentsDoNotPanic replaces
// list.go with a file that names them, and runs the program.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

const module = "github.com/stdmcp/stdmcp/"

// web serves every HTTP transport, and server is an address of the same kind
// that refuses connections.
var web = must(testserver.StartHTTP(testserver.New(nil), nil))

const server = "http://127.0.0.1:1/mcp"

// receivers constructs the receivers whose zero value is not usable.
var receivers = map[string]func() any{
	"mcp.Client": func() any { return client() },
	"mcp.OutgoingCall": func() (call any) {
		c := connect(&mcp.Options{Interceptors: []mcp.Interceptor{func(ctx context.Context, o *mcp.OutgoingCall) (mcp.RawMessage, error) {
			call = o
			return o.Send(ctx)
		}}})
		_ = c.Ping(background)
		return call
	},
	"mcp.Subscription":     func() any { return must(client().Subscribe(background, nil)) },
	"mcp.TaskHandle":       func() any { return client().Task("x") },
	"mcp.CallError":        func() any { return &mcp.CallError{Err: io.EOF} },
	"config.Problem":       func() any { return &config.Problem{Err: io.EOF} },
	"oauth.Transport":      func() any { return oauth.New(server, nil) },
	"sse.Transport":        func() any { return sse.New(web.SSE, nil) },
	"streamhttp.Transport": func() any { return streamhttp.New(web.URL, nil) },
	"host.DialParams":      func() any { return &host.DialParams{Server: &config.Server{}} },
	"host.Host":            func() any { return host.New(nil) },
	"host.View":            func() any { return host.New(nil).View() },
	"host.Snapshot":        func() any { return host.New(nil).Snapshot() },
	"host.Tool":            func() any { return host.New(nil).Tool("unknown") },
}

// samples holds usable values of the types whose zero value is nil and which
// reflection cannot make.
var samples = map[reflect.Type]func() any{
	reflect.TypeFor[mcp.Transport]():     func() any { return inProcess{} },
	reflect.TypeFor[*mcp.Client]():       func() any { return client() },
	reflect.TypeFor[*mcp.OutgoingCall](): receivers["mcp.OutgoingCall"],
	reflect.TypeFor[*http.Request]():     func() any { return must(http.NewRequestWithContext(background, "POST", server, nil)) },
	reflect.TypeFor[http.RoundTripper](): func() any { return &http.Transport{} },
	reflect.TypeFor[jsonrpc.Stream]():    func() any { s, _ := jsonrpc.Pipe(); return s },
	reflect.TypeFor[jsonrpc.Conn]():      func() any { s, _ := jsonrpc.Pipe(); return jsonrpc.NewConn(s, jsonrpc.Handler{}) },
	reflect.TypeFor[any]():               func() any { return map[string]any{} },
	reflect.TypeFor[error]():             func() any { return io.EOF },
	reflect.TypeFor[string]():            func() any { return server },
}

// Types of arguments that are never nil, by the convention for contexts and
// because package fmt makes them.
var (
	contextType = reflect.TypeFor[context.Context]()
	stateType   = reflect.TypeFor[fmt.State]()
)

// background is for constructors, which may take long when so much runs at once.
var background = context.Background()

type inProcess struct{}

func (inProcess) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }

func (inProcess) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	return stdio.Stream(testserver.New(nil).Pipe()).Open(ctx, h)
}

func connect(opts *mcp.Options) *mcp.Client {
	return must(mcp.Connect(background, inProcess{}, opts))
}

func client() *mcp.Client { return connect(nil) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A caller calls functions at the same time and counts the panics.
type caller struct {
	wait   sync.WaitGroup
	mu     sync.Mutex
	calls  int
	panics map[string]string
}

func main() {
	c := &caller{panics: make(map[string]string)}
	for name, f := range functions {
		c.function(name, func() reflect.Value { return reflect.ValueOf(f) }, 2)
	}
	for name, t := range types {
		c.methods(name, t, func() reflect.Value {
			if construct := receivers[name]; construct != nil {
				return reflect.ValueOf(construct())
			}
			return reflect.New(t)
		}, 2)
	}
	done := make(chan struct{})
	go func() { c.wait.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second): // methods that wait for something else than their context
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, text := range c.panics {
		fmt.Printf("%s: %s\n", name, text)
	}
	fmt.Println("calls:", c.calls)
	if len(c.panics) > 0 {
		os.Exit(1)
	}
}

// methods calls each method of a type, with a receiver of its own each time.
// The method set is that of what receiver returns.
func (c *caller) methods(name string, t reflect.Type, receiver func() reflect.Value, depth int) {
	if t.Kind() != reflect.Interface && t.Kind() != reflect.Pointer {
		t = reflect.PointerTo(t)
	}
	for i := range t.NumMethod() {
		if !t.Method(i).IsExported() {
			continue
		}
		method := t.Method(i).Name
		c.function(name+"."+method, func() reflect.Value { return receiver().MethodByName(method) }, depth)
	}
}

// function calls what f returns with every combination of values for its arguments.
func (c *caller) function(name string, f func() reflect.Value, depth int) {
	c.wait.Go(func() {
		defer c.recover(name, nil)
		first := f()
		if first.Kind() != reflect.Func || first.IsNil() {
			return
		}
		t := first.Type()
		total := 1
		for i := range t.NumIn() {
			total *= len(c.values(background, t.In(i)))
		}
		for n := range total {
			c.wait.Go(func() {
				ctx, cancel := context.WithTimeout(background, time.Second)
				defer cancel()
				args := make([]reflect.Value, t.NumIn())
				defer c.recover(name, &args)
				fn := f()
				for i, rest := 0, n; i < len(args); i++ {
					values := c.values(ctx, t.In(i))
					args[i] = values[rest%len(values)]()
					rest /= len(values)
				}
				c.call(name, fn, args, depth)
			})
		}
	})
}

func (c *caller) call(name string, fn reflect.Value, args []reflect.Value, depth int) {
	c.mu.Lock()
	c.calls++
	c.mu.Unlock()
	var results []reflect.Value
	if fn.Type().IsVariadic() {
		results = fn.CallSlice(args)
	} else {
		results = fn.Call(args)
	}
	if depth == 0 {
		return
	}
	for _, r := range results {
		c.result(name+"()", r, depth-1)
	}
}

// result calls what a call has returned: a function, or the methods of a value
// of the module.
func (c *caller) result(name string, v reflect.Value, depth int) {
	static := v.Type()
	switch {
	case static.Kind() == reflect.Func:
		c.function(name, func() reflect.Value { return v }, depth)
		return
	case static.Kind() != reflect.Interface && static.Kind() != reflect.Pointer, v.IsNil():
		return
	}
	t := reflect.TypeOf(v.Interface())
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !strings.HasPrefix(t.PkgPath()+"/", module) {
		return
	}
	if static.Kind() == reflect.Pointer {
		if _, listed := types[strings.TrimPrefix(t.String(), "*")]; !listed {
			return
		}
	}
	c.methods(name, static, func() reflect.Value { return v }, depth)
}

// values returns what makes the arguments of a type: nil or zero, and something else.
func (c *caller) values(ctx context.Context, t reflect.Type) []func() reflect.Value {
	zero := func() reflect.Value { return reflect.Zero(t) }
	sample := func(f func() reflect.Value) []func() reflect.Value { return []func() reflect.Value{zero, f} }
	switch {
	case t == contextType:
		return []func() reflect.Value{func() reflect.Value { return reflect.ValueOf(ctx) }}
	case t == stateType:
		return []func() reflect.Value{func() reflect.Value { return reflect.ValueOf(state{}) }}
	case samples[t] != nil:
		return sample(func() reflect.Value { return reflect.ValueOf(samples[t]()) })
	}
	switch t.Kind() {
	case reflect.Pointer:
		values := sample(func() reflect.Value { return reflect.New(t.Elem()) })
		if t.Elem().Kind() == reflect.Struct && strings.HasPrefix(t.Elem().PkgPath()+"/", module) {
			values = append(values, func() reflect.Value { return c.filled(ctx, t.Elem()) })
		}
		return values
	case reflect.Slice:
		return sample(func() reflect.Value { return reflect.MakeSlice(t, 1, 1) })
	case reflect.Map:
		return sample(func() reflect.Value {
			m := reflect.MakeMap(t)
			m.SetMapIndex(reflect.Zero(t.Key()), reflect.Zero(t.Elem()))
			return m
		})
	case reflect.Func:
		f := func() reflect.Value {
			return reflect.MakeFunc(t, func([]reflect.Value) (results []reflect.Value) {
				for i := range t.NumOut() {
					results = append(results, reflect.Zero(t.Out(i)))
				}
				return results
			})
		}
		if t.PkgPath() == "" && t.NumIn() > 0 && t.NumOut() == 1 && t.Out(0).Kind() == reflect.Bool {
			return []func() reflect.Value{f} // the body of a range loop
		}
		return sample(f)
	}
	return []func() reflect.Value{zero}
}

// filled returns a pointer to a struct whose fields hold empty values instead of
// nil, and lists of nil.
func (c *caller) filled(ctx context.Context, t reflect.Type) reflect.Value {
	p := reflect.New(t)
	for i := range t.NumField() {
		switch t.Field(i).Type.Kind() {
		case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Func:
			if t.Field(i).IsExported() {
				values := c.values(ctx, t.Field(i).Type)
				p.Elem().Field(i).Set(values[min(1, len(values)-1)]())
			}
		}
	}
	return p
}

// recover notes a panic with the line where it happened.
func (c *caller) recover(name string, args *[]reflect.Value) {
	v := recover()
	if v == nil {
		return
	}
	text := fmt.Sprint(v)
	if args != nil {
		text += fmt.Sprintf(" with %v", *args)
	}
	for line := range strings.Lines(string(debug.Stack())) {
		if strings.HasPrefix(line, "\t") && !strings.Contains(line, "/nilargs/") && !strings.Contains(line, runtime.GOROOT()) {
			text += "\n" + strings.TrimSuffix(line, "\n")
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.panics[name] = text
}

type state struct{ io.Writer }

func (state) Write(p []byte) (int, error) { return len(p), nil }
func (state) Width() (int, bool)          { return 0, false }
func (state) Precision() (int, bool)      { return 0, false }
func (state) Flag(int) bool               { return false }
