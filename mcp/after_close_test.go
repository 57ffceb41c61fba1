package mcp_test

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// local are the methods that need no connection, or end it.
var local = map[string]bool{
	"Server": true, "CachedServer": true, "Format": true, "Done": true, "Close": true, "Name": true,
	"Task": true, "ResumeTask": true, "With": true,
}

// TestEveryMethodAfterClose calls every method of a closed client, and of those that
// share its connection, of servers that declare everything and of servers that declare
// nothing: the error matches ErrClosed.
func TestEveryMethodAfterClose(t *testing.T) {
	for _, version := range eras {
		for _, without := range [][]string{nil, {"tools", "prompts", "resources", "completions", "logging", "tasks"}} {
			synctest.Test(t, func(t *testing.T) {
				o := onlyVersion(version)
				o.Without = without
				c := connect(t, testserver.New(&o), &mcp.Options{Cache: mcp.CacheSize(1 << 20)})
				_, _ = c.ListTools(t.Context()) // may be cached
				child := c.With(mcp.CallOptions{Timeout: time.Second})
				c.Close()
				for _, c := range []*mcp.Client{c, child, child.With(marked)} {
					v := reflect.ValueOf(c)
					for i := range v.NumMethod() {
						name := v.Type().Method(i).Name
						if local[name] {
							continue
						}
						if err := callMethod(t, v.Method(i)); err == nil {
							t.Errorf("%s, without %q: %s returns no error after Close", version, without, name)
						} else {
							wantError(t, err, mcp.ErrClosed)
						}
					}
					h := c.Task("1")
					_, err := h.Status(t.Context())
					wantError(t, err, mcp.ErrClosed)
					_, err = h.Wait(t.Context())
					wantError(t, err, mcp.ErrClosed)
				}
			})
		}
	}
}

// callMethod calls a method with arguments that are valid, and returns its error:
// that which it returns, or that which its iterator yields.
func callMethod(t *testing.T, m reflect.Value) error {
	t.Helper()
	var args []reflect.Value
	for i := range m.Type().NumIn() {
		switch in := m.Type().In(i); in {
		case reflect.TypeFor[context.Context]():
			args = append(args, reflect.ValueOf(t.Context()))
		case reflect.TypeFor[string]():
			args = append(args, reflect.ValueOf("name"))
		case reflect.TypeFor[time.Duration]():
			args = append(args, reflect.ValueOf(time.Hour))
		case reflect.TypeFor[*mcp.ToolCall]():
			args = append(args, reflect.ValueOf(&mcp.ToolCall{Name: "echo"}))
		case reflect.TypeFor[mcp.Reference]():
			args = append(args, reflect.ValueOf(mcp.PromptRef("x")))
		case reflect.TypeFor[func(mcp.RawMessage) bool]():
			args = append(args, reflect.ValueOf(func(mcp.RawMessage) bool { return true }))
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	results := m.Call(args)
	last := results[len(results)-1]
	if last.Kind() == reflect.Func { // an iterator
		var err error
		yield := reflect.MakeFunc(last.Type().In(0), func(item []reflect.Value) []reflect.Value {
			err, _ = item[1].Interface().(error)
			return []reflect.Value{reflect.ValueOf(false)}
		})
		last.Call([]reflect.Value{yield})
		return err
	}
	err, _ := last.Interface().(error)
	return err
}
