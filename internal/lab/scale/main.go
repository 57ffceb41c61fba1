// Scale measures what many clients, calls and servers cost on one machine, and
// writes docs/evidence/tables/scale.md. The server is another process.
//
//	scale                                     prints the page
//	scale -o docs/evidence/tables/scale.md    writes it
//	scale -n 1000                             at most 1,000 of anything
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A figure is measured by a process of its own, with a server of its own.
type figure struct {
	work  string // idle, calls, hosts or descriptors
	kind  string // how the server is reached
	title string
	sizes []int

	points    []point // the first without any
	exhausted exhausted
}

var (
	clients = []int{1000, 2500, 5000, 10000}
	calls   = []int{1000, 2500, 5000, 10000}
	servers = []int{100, 250, 500, 1000}
)

var figures = []*figure{
	{work: "idle", kind: "stdio", title: "stdio over Unix sockets", sizes: clients},
	{work: "idle", kind: "http legacy", title: "Streamable HTTP, legacy", sizes: clients},
	{work: "idle", kind: "http modern", title: "Streamable HTTP, modern", sizes: clients},
	{work: "idle", kind: "sse", title: "HTTP+SSE", sizes: clients},
	{work: "idle", kind: "processes", title: "stdio, processes", sizes: []int{50, 100, 200}},
	{work: "calls", kind: "stdio", title: "stdio", sizes: calls},
	{work: "calls", kind: "http modern", title: "Streamable HTTP, modern", sizes: calls},
	{work: "calls", kind: "http legacy", title: "Streamable HTTP, legacy", sizes: calls},
	{work: "calls", kind: "sse", title: "HTTP+SSE", sizes: calls},
	{work: "hosts", kind: "stdio", title: "stdio over Unix sockets", sizes: servers},
	{work: "hosts", kind: "http modern", title: "Streamable HTTP, modern", sizes: servers},
	{work: "descriptors", kind: "stdio", title: "stdio over Unix sockets", sizes: []int{100}},
	{work: "descriptors", kind: "processes", title: "stdio, processes", sizes: []int{100}},
	{work: "descriptors", kind: "http legacy", title: "Streamable HTTP, legacy", sizes: []int{100}},
	{work: "descriptors", kind: "sse", title: "HTTP+SSE", sizes: []int{100}},
}

func main() {
	serve := flag.String("serve", "", "serve: stdio, or a socket and an address for HTTP (internal)")
	work := flag.String("work", "", "measure one figure (internal)")
	output := flag.String("o", "", "write the page to this file")
	most := flag.Int("n", 10000, "the greatest number")
	only := flag.String("only", "", "measure only figures whose kind of work and transport contain this")
	flag.Parse()
	var err error
	switch {
	case *serve != "":
		err = runServer(*serve)
	case *work != "":
		err = runWorker(*work)
	default:
		err = run(*output, *most, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// self returns this program.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

func runServer(where string) error {
	s := &server{streams: map[string]chan []byte{}}
	if where == "stdio" {
		s.serveLines(os.Stdin, os.Stdout)
		return nil
	}
	socket, address, _ := strings.Cut(where, ",")
	unix, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	tcp, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	go func() { _ = s.serveUnix(unix) }()      // ends with the program
	go func() { _ = http.Serve(tcp, s) }()     // ends with the program
	fmt.Println(tcp.Addr())                    // the worker may start
	_, err = io.Copy(io.Discard, os.Stdin)     // until the end of scale
	return errors.Join(err, os.Remove(socket)) // closing the listener would do as much
}

// A job is what a worker reads from its arguments.
type job struct {
	Work  string
	Sizes []int
	target
}

func runWorker(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	ctx, out := context.Background(), json.NewEncoder(os.Stdout)
	switch j.Work {
	case "idle":
		return j.idle(ctx, j.Sizes, out)
	case "calls":
		return j.calls(ctx, j.Sizes, out)
	case "hosts":
		return j.hosts(ctx, j.Sizes, out)
	case "descriptors":
		return j.descriptors(ctx, j.Sizes[0], out)
	}
	return fmt.Errorf("unknown work %q", j.Work)
}

func run(output string, most int, only string) error {
	dir, err := os.MkdirTemp("", "scale")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for i, f := range figures {
		if !strings.Contains(f.work+" "+f.kind, only) {
			continue
		}
		f.sizes = slices.DeleteFunc(slices.Clone(f.sizes), func(n int) bool { return n > most })
		// A server has a loopback address of its own, as the ports of closed
		// connections to another one are not free at once.
		if err := f.run(filepath.Join(dir, fmt.Sprint(i)), fmt.Sprintf("127.0.1.%d:0", i+1)); err != nil {
			return fmt.Errorf("%s, %s: %w", f.work, f.kind, err)
		}
		fmt.Fprintf(os.Stderr, "%s, %s: %+v %+v\n", f.work, f.kind, f.points, f.exhausted)
	}
	if output == "" {
		return page(os.Stdout)
	}
	var b bytes.Buffer
	if err := page(&b); err != nil {
		return err
	}
	return os.WriteFile(output, b.Bytes(), 0o644)
}

// run measures the figure.
func (f *figure) run(socket, address string) error {
	server := exec.Command(self(), "-serve", socket+","+address)
	server.Stderr = os.Stderr
	stdin, err := server.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer func() {
		_ = stdin.Close()
		_ = server.Wait()
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return err
	}
	text, err := json.Marshal(job{f.work, f.sizes, target{Kind: f.kind, Socket: socket, Host: strings.TrimSpace(line)}})
	if err != nil {
		return err
	}
	worker := exec.Command(self(), "-work", string(text))
	worker.Stderr = os.Stderr
	out, err := worker.Output()
	if err != nil {
		return err
	}
	if f.work == "descriptors" {
		return json.Unmarshal(out, &f.exhausted)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p point
		if err := d.Decode(&p); err != nil {
			return err
		}
		f.points = append(f.points, p)
	}
	return nil
}
