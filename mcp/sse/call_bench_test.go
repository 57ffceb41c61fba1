package sse

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// BenchmarkCall is a small call. Its floor is a bare POST to the same server.
func BenchmarkCall(b *testing.B) {
	s := serve(b, func(s *stream) { s.answer(1 << 30) })
	s.accept = func(w http.ResponseWriter, _ *http.Request, m *jsonrpc.Message) {
		if m.Method == "echo" {
			s.posted <- *m
		}
		w.WriteHeader(http.StatusAccepted)
	}
	b.Run("post", func(b *testing.B) {
		client := &http.Client{Transport: &http.Transport{}}
		defer client.CloseIdleConnections()
		b.ReportAllocs()
		for b.Loop() {
			resp, err := client.Post(s.URL+"/messages?session=topsecret", "application/json", bytes.NewReader([]byte(`{"jsonrpc":"2.0","id":1,"method":"none","params":{}}`)))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
	b.Run("call", func(b *testing.B) {
		conn := s.open(b, nil, jsonrpc.Handler{})
		req := &jsonrpc.Request{Method: "echo", Params: []byte("{}")}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := conn.Call(context.Background(), req); err != nil {
				b.Fatal(err)
			}
		}
	})
}
