// What os/exec alone costs: the program that the others are compared with. It
// does their work without reading what it receives.
package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	in, err := cmd.StdinPipe()
	check(err)
	out, err := cmd.StdoutPipe()
	check(err)
	check(cmd.Start())
	lines := bufio.NewReader(out)
	ask := func(msg string) string {
		_, err := io.WriteString(in, msg+"\n")
		check(err)
		line, err := lines.ReadString('\n')
		check(err)
		return line
	}
	ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"one","version":"1"}}}`)
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	check(err)
	answer := ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}`)
	os.Stdout.WriteString(answer)
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
