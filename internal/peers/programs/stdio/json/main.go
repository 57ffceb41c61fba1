// What os/exec and encoding/json cost.
package main

import (
	"encoding/json"
	"os"
	"os/exec"
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
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	in, err := cmd.StdinPipe()
	check(err)
	out, err := cmd.StdoutPipe()
	check(err)
	check(cmd.Start())
	enc, dec := json.NewEncoder(in), json.NewDecoder(out)
	var res answer
	check(enc.Encode(&request{"2.0", 1, "initialize", map[string]any{"protocolVersion": "2025-11-25",
		"capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "one", "version": "1"}}}))
	check(dec.Decode(&res))
	check(enc.Encode(&request{"2.0", 0, "notifications/initialized", nil}))
	check(enc.Encode(&request{"2.0", 2, "tools/call", map[string]any{"name": "echo", "arguments": map[string]any{"message": "hello"}}}))
	check(dec.Decode(&res))
	os.Stdout.WriteString(res.Result.Content[0].Text + "\n")
	os.Stdin.Read(make([]byte, 1)) // until it is closed
	in.Close()
	check(cmd.Wait())
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
