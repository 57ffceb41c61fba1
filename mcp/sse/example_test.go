package sse_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/sse"
)

func ExampleNew() {
	posted := make(chan jsonrpc.Message, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			m, err := jsonrpc.Parse(body)
			if err != nil {
				return
			}
			posted <- m
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: endpoint\ndata: /messages?session=1\n\n")
		w.(http.Flusher).Flush()
		m := <-posted
		fmt.Fprintf(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", m.ID, m.Params)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()

	ctx := context.Background()
	conn, err := sse.New(server.URL+"/sse", nil).Open(ctx, jsonrpc.Handler{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	result, err := conn.Call(ctx, &jsonrpc.Request{Method: "echo", Params: []byte(`{"message":"hi"}`)})
	fmt.Println(string(result), err)
	// Output: {"message":"hi"} <nil>
}

func ExampleStatusError() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()

	_, err := sse.New(server.URL+"/sse", nil).Open(context.Background(), jsonrpc.Handler{})
	var status *sse.StatusError
	if errors.As(err, &status) {
		fmt.Println(status.Status, status.Body)
	}
	// Output: 404 404 page not found
}
