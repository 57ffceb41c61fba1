// A program that makes one call with net/http alone, without parsing the response:
// the floor of the other programs.
package main

import (
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/one"
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
