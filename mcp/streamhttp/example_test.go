package streamhttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// exampleServer is a server of 2026-07-28 for the examples.
func exampleServer(call func(w http.ResponseWriter, r *request)) *httptest.Server {
	return httptest.NewServer(&server{version: modern, call: call})
}

func ExampleNew() {
	server := exampleServer(func(w http.ResponseWriter, r *request) {
		r.answer(w, `{"content":[{"type":"text","text":"Hello, `+r.HTTP.Header.Get("Authorization")+`"}]}`)
	})
	defer server.Close()

	ctx := context.Background()
	client, err := mcp.Connect(ctx, streamhttp.New(server.URL, &streamhttp.Options{
		Header: http.Header{"Authorization": {"Bearer of tokens"}},
	}), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	res, err := client.CallTool(ctx, "greet", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Text())
	// Output: Hello, Bearer of tokens
}

// A call has a header of its own.
func Example_headerOfOneCall() {
	server := exampleServer(func(w http.ResponseWriter, r *request) {
		r.answer(w, `{"content":[{"type":"text","text":"tenant: `+r.HTTP.Header.Get("X-Tenant")+`"}]}`)
	})
	defer server.Close()

	ctx := context.Background()
	client, err := mcp.Connect(ctx, streamhttp.New(server.URL, nil), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	for _, header := range []http.Header{{"X-Tenant": {"blue"}}, nil} {
		res, err := client.Do(ctx, &mcp.ToolCall{Name: "whose", Header: header})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(res.Text())
	}
	// Output:
	// tenant: blue
	// tenant:
}

func ExampleStatusError() {
	server := exampleServer(func(w http.ResponseWriter, r *request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	defer server.Close()

	ctx := context.Background()
	client, err := mcp.Connect(ctx, streamhttp.New(server.URL, nil), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	_, err = client.CallTool(ctx, "greet", nil)
	var status *streamhttp.StatusError
	if errors.As(err, &status) {
		fmt.Println(status.Status, status.Temporary(), status.RetryAfter)
	}
	// Output: 503 true 30s
}

func ExampleTransport_String() {
	fmt.Println(streamhttp.New("https://user:password@example.com/mcp?key=secret", nil))
	// Output: https://example.com/mcp?...
}
