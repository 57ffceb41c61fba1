// What net/http and encoding/json cost.
package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
)

type request struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      int            `json:"id,omitempty"`
	Method  string         `json:"method"`
	Params  map[string]any `json:"params,omitempty"`
}

type answer struct {
	Result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	} `json:"result"`
}

func main() {
	post(&request{"2.0", 1, "initialize", map[string]any{"protocolVersion": "2025-11-25",
		"capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "one", "version": "1"}}})
	post(&request{"2.0", 0, "notifications/initialized", nil})
	res := post(&request{"2.0", 2, "tools/call", map[string]any{"name": "echo", "arguments": map[string]any{"message": "hello"}}})
	os.Stdout.WriteString(res.Result.Content[0].Text + "\n")
	os.Stdin.Read(make([]byte, 1)) // until it is closed
}

func post(req *request) (res answer) {
	msg, err := json.Marshal(req)
	check(err)
	resp, err := http.Post(os.Args[1], "application/json", bytes.NewReader(msg))
	check(err)
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&res); err != io.EOF { // a notification has no answer
		check(err)
	}
	return res
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
