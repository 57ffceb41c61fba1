// A program that makes one call with os/exec and encoding/json alone.
package main

import (
	"encoding/json"
	"os"
	"os/exec"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/one"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	in, err := cmd.StdinPipe()
	one.Check(err)
	out, err := cmd.StdoutPipe()
	one.Check(err)
	one.Check(cmd.Start())
	enc, dec := json.NewEncoder(in), json.NewDecoder(out)
	var res one.Response
	for _, req := range one.Requests() {
		one.Check(enc.Encode(req))
		if req.ID != 0 {
			one.Check(dec.Decode(&res))
		}
	}
	one.Result(res.Result.Content[0].Text)
	in.Close()
	one.Check(cmd.Wait())
}
