package host

import (
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
)

// Metrics describe the calls to a server.
type Metrics struct {
	Calls, Successes, Failures int64 // Failures include results with IsError

	// ResponseTime is an exponential moving average of CallReport.ResponseTime;
	// the latest call that was sent has a weight of one tenth.
	ResponseTime time.Duration

	LastError     string // without secrets of the server's settings
	LastErrorTime time.Time

	Connects int64 // number of connections
	Crashes  int64 // number of connections that ended unexpectedly
}

type metrics struct {
	mu lock.Mutex
	m  Metrics

	measured bool // ResponseTime is set
}

// call records a call.
func (m *metrics) call(r *CallReport, failure string) {
	m.mu.Lock()
	switch m.m.Calls++; {
	case r.Requests == 0: // it was not sent
	case m.measured:
		m.m.ResponseTime += (r.ResponseTime - m.m.ResponseTime) / 10
	default:
		m.m.ResponseTime, m.measured = r.ResponseTime, true
	}
	if failure == "" {
		m.m.Successes++
	} else {
		m.m.Failures++
		m.m.LastError, m.m.LastErrorTime = failure, time.Now()
	}
	m.mu.Unlock()
}

// failed records an error that does not belong to a call.
func (m *metrics) failed(err *Error) {
	m.mu.Lock()
	m.m.LastError, m.m.LastErrorTime = err.Error(), err.Time
	m.mu.Unlock()
}

func (m *metrics) count(n *int64) {
	m.mu.Lock()
	*n++
	m.mu.Unlock()
}

func (m *metrics) snapshot() Metrics {
	m.mu.Lock()
	snapshot := m.m
	m.mu.Unlock()
	return snapshot
}
