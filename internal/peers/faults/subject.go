package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/stdmcp/stdmcp/internal/peers/library"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
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
	goroutines, memory := runtime.NumGoroutine(), process.Memory(os.Getpid(), "VmRSS")
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
	o.Peak = process.Memory(os.Getpid(), "VmHWM") - memory
	http.DefaultClient.CloseIdleConnections()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	for range 40 { // two seconds for what ends of itself
		o.Goroutines, o.Processes = runtime.NumGoroutine()-goroutines, process.Marked(mark)
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
	if findFault(fault).Method == "tools/list" {
		_, err := c.List(ctx)
		o.Right = true
		return err
	}
	content, err := c.Call(ctx, "echo", map[string]any{"message": message})
	// A result without content is what this server can mean as well.
	o.Right = content.Text == message || content.Text == "" && fault == "no-content" || fault == "invalid-utf8"
	return err
}
