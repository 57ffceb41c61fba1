// A program that makes one call with os/exec alone, without parsing the response:
// the floor of the other programs.
package main

import (
	"bufio"
	"io"
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
	lines := bufio.NewReader(out)
	var line string
	for _, msg := range []string{one.Initialize, one.Initialized, one.Call} {
		_, err := io.WriteString(in, msg+"\n")
		one.Check(err)
		if msg != one.Initialized {
			line, err = lines.ReadString('\n')
			one.Check(err)
		}
	}
	one.Result(line)
	in.Close()
	one.Check(cmd.Wait())
}
