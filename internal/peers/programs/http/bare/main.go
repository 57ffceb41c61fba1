// What net/http alone costs: the program that the others are compared with. It
// does their work without reading what it receives.
package main

import (
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/stdmcp/stdmcp/internal/peers/programs/one"
)

func main() {
	var data []byte
	for _, msg := range []string{one.Initialize, one.Initialized, one.Call} {
		resp, err := http.Post(os.Args[1], "application/json", strings.NewReader(msg))
		one.Check(err)
		data, err = io.ReadAll(resp.Body)
		one.Check(err)
		resp.Body.Close()
	}
	one.Result(string(data))
}
