package proxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// flood writes notifications until the proxy takes no more for a second, and returns how
// many bytes it took.
func flood(t *testing.T, server net.Conn) (taken int) {
	line := []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", 1000) + "\"}}\n")
	for taken < 100<<20 {
		_ = server.SetWriteDeadline(time.Now().Add(time.Second))
		n, err := server.Write(line)
		taken += n
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return taken
}

// TestHeldBytes prints how much the proxy takes from a server for a client that reads
// nothing: over lines the message that it passes and what one read returns, in a session
// over HTTP 1 MiB more.
func TestHeldBytes(t *testing.T) {
	const slack = 64 << 10 // the buffers of a read, of net/http, and of the last message
	synctest.Test(t, func(t *testing.T) {
		near, far := jsonrpcPipe()
		o := inMemory(nil)
		o.Open = openStream(near)
		c := serveLines(t, o)
		taken := flood(t, far)
		t.Logf("over lines the proxy takes %d bytes", taken)
		if taken > slack {
			t.Errorf("want at most %d", slack)
		}
		c.end.Close()
		<-c.done
	})
	synctest.Test(t, func(t *testing.T) {
		near, far := jsonrpcPipe()
		o := inMemory(nil)
		o.Open = openStream(near)
		web := NewWeb(o)
		f := serveWeb(t, web, true)
		go func() { // ends with the first lines
			in := bufio.NewReader(far)
			line, _ := in.ReadBytes('\n')
			m, _ := jsonrpc.Parse(line)
			_, _ = far.Write(jsonrpc.AppendResponse(nil, m.ID, []byte(`{}`), nil))
			_, _ = in.ReadBytes('\n')
		}()
		session := f.session()
		resp, err := f.do(t.Context(), "GET", "", session...)
		if err != nil {
			t.Fatal(err)
		}
		taken := flood(t, far)
		t.Logf("in a session over HTTP the proxy takes %d bytes", taken)
		if taken < maxQueued || taken > maxQueued+slack {
			t.Errorf("want %d", maxQueued)
		}
		_ = resp.Body.Close()
		go io.Copy(io.Discard, far) // ends with the session
		_ = far.Close()
		web.running.Wait()
	})
}
