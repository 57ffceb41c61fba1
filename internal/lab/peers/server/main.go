// Server is the server of the measurements. It costs next to nothing, so that they
// measure the client: it implements HTTP in a few lines over TCP, as net/http
// would cost as much as it does in the client.
//
//	server stdio|json|events|sse|tls|http2 legacy|modern TOOLS
//
// Over HTTP it prints its URL, over TLS also a file with its certificate, and exits
// when its standard input ends.
package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/lab/peers/answers"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		os.Stderr.WriteString("server: " + err.Error() + "\n")
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: server stdio|json|events|sse|tls|http2 legacy|modern TOOLS")
	}
	tools, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	a := &answers.Answerer{Modern: args[1] == "modern", Tools: tools}
	if args[0] == "stdio" {
		return serveLines(os.Stdin, os.Stdout, a)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &webServer{kind: args[0], answers: a, streams: make(map[string]*eventStream)}
	if s.kind == "tls" || s.kind == "http2" {
		remove, err := s.serveTLS(l)
		if err != nil {
			return err
		}
		defer remove()
	} else {
		os.Stdout.WriteString("http://" + l.Addr().String() + "/mcp\n")
		go s.serve(l) // ends with the program
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// serveLines responds to each line with one write, as servers do.
func serveLines(in io.Reader, out io.Writer, a *answers.Answerer) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var b, long []byte
	for {
		line, err := r.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			for long = long[:0]; err == bufio.ErrBufferFull; line, err = r.ReadSlice('\n') {
				long = append(long, line...)
			}
			long = append(long, line...)
			line = long
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if b = a.Append(b[:0], line); len(b) == 0 {
			continue
		}
		b = append(b, '\n')
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
}
