package testserver

import (
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestLostSessionCompletesItsCalls: a server with a fault that loses the session
// completes the calls that it is serving in it.
func TestLostSessionCompletesItsCalls(t *testing.T) {
	for _, fault := range []string{"session-lost", "session-lost-400-null-id"} {
		t.Run(fault, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := start(t, &Options{Fault: fault, ProtocolVersions: legacy}, inMemory)
				p.initialize("2025-11-25")
				headers, status := version("2025-11-25"), 404
				if fault != "session-lost" {
					status = 400
				}
				var calls sync.WaitGroup
				calls.Go(func() { p.wantPost(headers, toolCall(1, "slow", `{"seconds":2}`), 200, "Done after 2 seconds") })
				resp, err := p.do("GET", p.web.URL, headers, "")
				testutil.Must(t, err)
				time.Sleep(time.Second)
				p.wantPost(headers, toolCall(2, "echo", hi), status, "")
				p.wantPost(headers, toolCall(3, "echo", hi), status, "")
				calls.Wait()
				if _, err := io.ReadAll(resp.Body); err != nil {
					t.Error("the stream of the session:", err)
				}
				resp.Body.Close()
				if left := p.web.Leaks(); left != nil {
					t.Error("open:", left)
				}
			})
		})
	}
}

// TestSessionThatEndsDuringACall: the client gets no response, as from a process
// that ends.
func TestSessionThatEndsDuringACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &Options{ProtocolVersions: legacy}, inMemory)
		p.initialize("2025-11-25")
		var calls sync.WaitGroup
		calls.Go(func() {
			if resp, err := p.do("POST", p.web.URL, version("2025-11-25"), toolCall(1, "slow", hi)); err == nil {
				t.Error(describe(resp, nil))
			}
		})
		synctest.Wait()
		p.web.LoseSessions()
		calls.Wait()
	})
}
