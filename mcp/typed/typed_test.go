package typed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/typed"
)

type terms struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type sum struct {
	Sum float64 `json:"sum"`
}

type message struct {
	Message string `json:"message"`
}

func connect(t testing.TB) *mcp.Client {
	t.Helper()
	server := testserver.New(nil)
	client, err := mcp.Connect(t.Context(), stdio.Stream(server.Pipe()), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		if v := server.Violations(); v != nil {
			t.Errorf("violations of the protocol: %q", v)
		}
	})
	return client
}

func TestResultIsStructuredContentOrText(t *testing.T) {
	client := connect(t)
	if got, err := typed.Call[terms, sum](t.Context(), client, "add", terms{1, 2}); err != nil || got.Sum != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := typed.Call[*terms, *sum](t.Context(), client, "add", &terms{1, 2}); err != nil || got.Sum != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := typed.Call[message, sum](t.Context(), client, "echo", message{`{"sum": 4}`}); err != nil || got.Sum != 4 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := typed.Call[message, []int](t.Context(), client, "echo", message{`[1,2]`}); err != nil || len(got) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := typed.Call[message, string](t.Context(), client, "echo", message{"no JSON"}); err != nil || got != "no JSON" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := typed.Call[any, struct{}](t.Context(), client, "image", nil); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	client := connect(t)
	_, err := typed.Call[message, sum](t.Context(), client, "fail", message{"Too late."})
	var failure *typed.ToolError
	if !errors.As(err, &failure) || failure.Tool != "fail" || failure.Text != "Too late." || !failure.Result.IsError {
		t.Errorf("a result with isError: %v", err)
	}
	_, err = typed.Call[terms, sum](t.Context(), client, "divide", terms{1, 0})
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) {
		t.Errorf("an error of the server: %v", err)
	}
	_, err = typed.Call[message, sum](t.Context(), client, "echo", message{"no JSON"})
	var call *mcp.CallError
	if !errors.Is(err, mcp.ErrMalformed) || !errors.As(err, &call) || call.Name != "echo" {
		t.Errorf("text that is not JSON: %v", err)
	}
	_, err = typed.Call[terms, struct{ Sum string }](t.Context(), client, "add", terms{})
	var kind *json.UnmarshalTypeError
	if !errors.Is(err, mcp.ErrMalformed) || !errors.As(err, &kind) {
		t.Errorf("a value of another type: %v", err)
	}
	for _, in := range []any{1, "x", []int{1}, func() {}} {
		_, err := typed.Call[any, sum](t.Context(), client, "add", in)
		if !errors.As(err, &call) || call.Name != "add" {
			t.Errorf("arguments %T: %v", in, err)
		}
	}
}

// TestErrorsNameTheServerAsTheProgramDoes: not by its own name.
func TestErrorsNameTheServerAsTheProgramDoes(t *testing.T) {
	s := mcptest.New(t)
	s.Tool("add", nil, func(*mcptest.Call) (any, error) { return "three", nil })
	c := s.Connect(&mcp.Options{Name: "calculator"})
	_, err := typed.Call[any, float64](t.Context(), c, "add", nil)
	if err == nil || !strings.HasPrefix(err.Error(), `server "calculator": tools/call "add": `) {
		t.Error(err)
	}
}

func TestNilArguments(t *testing.T) {
	if _, err := typed.Call[any, string](t.Context(), nil, "echo", nil); err == nil {
		t.Error("Call accepts a nil Client")
	}
	if _, err := typed.Decode[string](nil); !errors.Is(err, mcp.ErrMalformed) {
		t.Errorf("Decode: %v", err)
	}
}

func ExampleCall() {
	ctx := context.Background()
	// A real program uses stdio.Command("program", "arguments", …).
	client, err := mcp.Connect(ctx, stdio.Stream(testserver.New(nil).Pipe()), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	type Terms struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	type Sum struct {
		Sum float64 `json:"sum"`
	}
	res, err := typed.Call[Terms, Sum](ctx, client, "add", Terms{A: 1, B: 2.5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Sum)

	_, err = typed.Call[Terms, Sum](ctx, client, "fail", Terms{})
	var failure *typed.ToolError
	fmt.Println(errors.As(err, &failure), err)
	// Output:
	// 3.5
	// true tool "fail" failed: This tool always fails.
}

func ExampleDecode() {
	ctx := context.Background()
	client, err := mcp.Connect(ctx, stdio.Stream(testserver.New(nil).Pipe()), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	res, err := client.Do(ctx, &mcp.ToolCall{Name: "add", Arguments: map[string]any{"a": 1, "b": 2}})
	if err != nil {
		log.Fatal(err)
	}
	sum, err := typed.Decode[map[string]float64](res)
	fmt.Println(sum, err)
	// Output: map[sum:3] <nil>
}

func ExampleArgs() {
	args, err := typed.Args(struct {
		Path string `json:"path"`
	}{"/tmp"})
	if err != nil {
		log.Fatal(err)
	}
	call := mcp.ToolCall{Name: "list", Arguments: args, Progress: func(p mcp.Progress) { fmt.Println(p.Message) }}
	fmt.Printf("%s %s\n", call.Name, args)
	// Output: list {"path":"/tmp"}
}

func TestArgs(t *testing.T) {
	for _, in := range []any{nil, (*terms)(nil)} {
		if args, err := typed.Args(in); args != nil || err != nil {
			t.Errorf("%T: %s, %v", in, args, err)
		}
	}
	for _, in := range []any{1, "text", []int{1}, make(chan int)} {
		if args, err := typed.Args(in); args != nil || err == nil {
			t.Errorf("%T is accepted: %s", in, args)
		}
	}
}
