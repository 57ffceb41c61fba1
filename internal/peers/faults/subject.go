package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/peers/library"
	"github.com/stdmcp/stdmcp/internal/testserver"
)

// An outcome is what happened in a trial, up to the last step that began.
type outcome struct {
	Step        string // the one under way; "end" after the last
	Connected   bool
	ConnectTook time.Duration
	CallError   string
	CallTook    time.Duration
	Right       bool // what the call returned, if it did
	BeforeFails bool // a call that was under way
	AfterFails  bool // one that is made afterwards
	CloseTook   time.Duration
	Peak        int64 // memory, beside what there was before
	Goroutines  int   // that are left
	Processes   int   // likewise
}

// begin notes that a step begins.
func (o *outcome) begin(step string) error {
	o.Step = step
	return json.NewEncoder(os.Stdout).Encode(o)
}

// message is what echo is to return.
const message = "Grüße, 世界"

// markEnv is in the environment of all that the subject starts.
const markEnv = "STDMCP_PEERS_MARK"

// runSubject is the client of a trial: LIBRARY FAULT TRANSPORT URL. It prints the
// outcome before each step.
func runSubject(args []string) error {
	var o outcome
	connect, t := library.Connect[args[0]], &library.Target{SSE: args[2] == "E"}
	mark := markEnv + "=" + fmt.Sprint(os.Getpid())
	if t.URL = args[3]; args[2] == "S" {
		t.URL = ""
		t.Command, t.Env = testserver.Command(&testserver.Options{
			Fault: args[1], Size: size(args[1]), ProtocolVersions: []string{versions['S']},
		})
		t.Env = append(t.Env, mark, partEnv+"=")
	}
	if err := o.begin("connecting"); err != nil {
		return err
	}
	goroutines, memory := runtime.NumGoroutine(), memoryOf("VmRSS")
	ctx, cancel := context.WithTimeout(context.Background(), connectTime)
	start := time.Now()
	c, err := connect(ctx, t)
	cancel() // which a connection should survive
	o.ConnectTook, o.Connected = time.Since(start), err == nil
	if err == nil {
		if err := o.meet(c, args[1]); err != nil {
			return err
		}
		if err := o.begin("closing"); err != nil {
			return err
		}
		start = time.Now()
		_ = c.Close() // how that ends is not what this is about
		o.CloseTook = time.Since(start)
	}
	o.Peak = memoryOf("VmHWM") - memory
	http.DefaultClient.CloseIdleConnections()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	for range 40 { // two seconds for what ends of itself
		o.Goroutines, o.Processes = runtime.NumGoroutine()-goroutines, processes(mark)
		if o.Goroutines <= 0 && o.Processes == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return o.begin("end")
}

// meet makes the call that is struck, with others around it.
func (o *outcome) meet(c library.Session, fault string) error {
	if err := o.begin("a call"); err != nil {
		return err
	}
	before := make(chan error, 1)
	go func() { // ends with its time
		ctx, cancel := context.WithTimeout(context.Background(), callTime)
		defer cancel()
		_, err := c.Call(ctx, "slow", map[string]any{"seconds": 0.5, "steps": 2})
		before <- err
	}()
	time.Sleep(100 * time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	start := time.Now()
	err := o.callFault(ctx, c, fault)
	o.CallTook = time.Since(start)
	if err != nil {
		o.CallError = err.Error()
	}
	if err := o.begin("other calls"); err != nil {
		return err
	}
	o.BeforeFails = <-before != nil
	ctx, cancel = context.WithTimeout(context.Background(), callTime)
	defer cancel()
	_, err = c.Call(ctx, "add", map[string]any{"a": 1, "b": 2})
	o.AfterFails = err != nil
	return nil
}

func (o *outcome) callFault(ctx context.Context, c library.Session, fault string) error {
	for i := range trials {
		if trials[i].fault == fault && trials[i].list {
			_, err := c.List(ctx)
			o.Right = true
			return err
		}
	}
	content, err := c.Call(ctx, "echo", map[string]any{"message": message})
	// A result without content is what this server can mean as well.
	o.Right = content.Text == message || content.Text == "" && fault == "no-content" || fault == "invalid-utf8"
	return err
}

// memoryOf returns a field of /proc/self/status in bytes.
func memoryOf(field string) (n int64) {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			_, _ = fmt.Sscanf(value, "%d kB", &n)
		}
	}
	return n << 10
}

// processes returns how many have the mark in their environment. This one has
// it not.
func processes(mark string) (n int) {
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range list {
		if environ, err := os.ReadFile(name); err == nil && bytes.Contains(environ, []byte(mark+"\x00")) {
			n++
		}
	}
	return n
}
