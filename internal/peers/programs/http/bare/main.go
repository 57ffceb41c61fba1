// What net/http alone costs: the program that the others are compared with. It
// does their work without reading what it receives.
package main

import (
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"one","version":"1"}}}`)
	post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	os.Stdout.Write(post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}`))
	os.Stdout.WriteString("\n")
	os.Stdin.Read(make([]byte, 1)) // until it is closed
}

func post(msg string) []byte {
	resp, err := http.Post(os.Args[1], "application/json", strings.NewReader(msg))
	check(err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	check(err)
	return data
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
