package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/stdmcp/stdmcp/internal/lab/peers/library"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
)

// An outcome describes a trial up to the step that began last.
type outcome struct {
	Step        string // the current step; "end" after the last
	Connected   bool
	ConnectTook time.Duration
	CallError   string
	CallTook    time.Duration
	Right       bool // whether the call returned the right result
	BeforeFails bool // the call that was pending
	AfterFails  bool // the call that follows
	CloseTook   time.Duration
	Peak        int64 // memory beyond that before connecting, in bytes
	Goroutines  int   // left 2 s after closing
	Processes   int   // likewise
}

// begin prints the outcome with the step that begins.
func (o *outcome) begin(step string) error {
	o.Step = step
	return json.NewEncoder(os.Stdout).Encode(o)
}

// message is the argument of echo, which it returns.
const message = "Grüße, 世界"

// markEnv is in the environment of all processes that the subject starts.
const markEnv = "STDMCP_PEERS_MARK"

// runSubject is the client of a trial: LIBRARY FAULT TRANSPORT URL. It prints the
// outcome before each step.
func runSubject(args []string) error {
	var o outcome
	connect, t := library.Connect[args[0]], &library.Target{SSE: args[2] == "E"}
	mark := markEnv + "=" + fmt.Sprint(os.Getpid())
	if t.URL = args[3]; args[2] == "S" {
		t.URL = ""
		t.Command, t.Env = childserver.Command(&testserver.Options{
			Fault: args[1], Size: size(args[1]), ProtocolVersions: []string{versions['S']},
		})
		t.Env = append(t.Env, mark, subjectEnv+"=")
	}
	if err := o.begin("connecting"); err != nil {
		return err
	}
	goroutines, memory := runtime.NumGoroutine(), process.Memory(os.Getpid(), "VmRSS")
	ctx, cancel := context.WithTimeout(context.Background(), connectTime)
	start := time.Now()
	c, err := connect(ctx, t)
	cancel() // a connection should survive it
	o.ConnectTook, o.Connected = time.Since(start), err == nil
	if err == nil {
		if err := o.meet(c, args[1]); err != nil {
			return err
		}
		if err := o.begin("closing"); err != nil {
			return err
		}
		start = time.Now()
		_ = c.Close() // an error is not part of the outcome
		o.CloseTook = time.Since(start)
	}
	o.Peak = process.Memory(os.Getpid(), "VmHWM") - memory
	http.DefaultClient.CloseIdleConnections()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	for range 40 { // two seconds for goroutines and processes to end
		o.Goroutines, o.Processes = runtime.NumGoroutine()-goroutines, len(process.Marked(mark))
		if o.Goroutines <= 0 && o.Processes == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return o.begin("end")
}

// meet makes the call with the fault while another is pending, and one afterwards.
func (o *outcome) meet(c library.Session, fault string) error {
	if err := o.begin("a call"); err != nil {
		return err
	}
	before := make(chan error, 1)
	go func() { // ends at its deadline
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
	// "no-content" may also be read as an empty result.
	o.Right = content.Text == message || content.Text == "" && fault == "no-content" || fault == "invalid-utf8"
	return err
}
