package mcptest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func ExampleNew() {
	t := &fakeTest{} // in a test: t *testing.T
	defer t.end()
	server := mcptest.New(t)
	server.Tool("add", nil, func(c *mcptest.Call) (any, error) {
		return fmt.Sprint(c.Number("a") + c.Number("b")), nil
	})
	client, err := mcp.Connect(context.Background(), server, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	sum, err := client.CallTool(context.Background(), "add", map[string]any{"a": 2, "b": 40})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.Text())
	server.WantCall("add", `{"a":2,"b":40}`)
	// Output: 42
}

// A TestMain that lets the test binary be the program weather.
func ExampleMain() {
	testMain := func(m *testing.M) {
		mcptest.Main(map[string]func(*mcptest.Server){
			"weather": func(s *mcptest.Server) {
				s.Tool("forecast", nil, func(*mcptest.Call) (any, error) { return "sunny", nil })
			},
		})
		m.Run()
	}
	_ = testMain
	// Output:
}

func ExampleCommand() {
	t := &fakeTest{} // in a test: t *testing.T
	defer t.end()
	program := mcptest.Command(t, "greeter") // TestMain passes it to Main
	client, err := mcp.Connect(context.Background(), program.Transport(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := client.CallTool(context.Background(), "greet", map[string]any{"name": "Ada"})
	if err != nil {
		fmt.Println(err)
		return
	}
	client.Close()
	fmt.Println(res.Text())
	program.WantCall("greet", `{"name":"Ada"}`)
	program.WantCalls("greet", 1)
	program.WantMethods("tools/call")
	// Output: Hello, Ada!
}

func ExampleServer_Inject() {
	t := &fakeTest{} // in a test: t *testing.T
	defer t.end()
	server := mcptest.New(t)
	greeter(server)
	client := server.Connect(nil)
	server.Inject("greet", mcptest.Drop())
	_, err := client.Do(context.Background(), &mcp.ToolCall{Name: "greet", Timeout: 50 * time.Millisecond})
	fmt.Println(err == nil)
	server.Inject("greet", mcptest.Malformed(), mcptest.Expire(), mcptest.Refuse(-32603, "out of order"),
		mcptest.Respond(`{"resultType":"complete","content":[]}`), mcptest.Delay(time.Millisecond), mcptest.Flood(100), mcptest.Crash())
	for range 7 {
		_, err := client.CallTool(context.Background(), "greet", nil)
		fmt.Println(err == nil)
	}
	server.Inject("tools/list", mcptest.LoseSession()) // over HTTP
	// Output:
	// false
	// false
	// false
	// false
	// true
	// true
	// true
	// false
}
