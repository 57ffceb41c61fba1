// A program that makes one call with net/http and encoding/json alone.
package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/one"
)

func main() {
	var res one.Response
	for _, req := range one.Requests() {
		msg, err := json.Marshal(req)
		one.Check(err)
		resp, err := http.Post(os.Args[1], "application/json", bytes.NewReader(msg))
		one.Check(err)
		if err := json.NewDecoder(resp.Body).Decode(&res); err != io.EOF { // the response to a notification is empty
			one.Check(err)
		}
		resp.Body.Close()
	}
	one.Result(res.Result.Content[0].Text)
}
