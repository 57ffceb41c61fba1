package host

import (
	"sync"
	"time"
)

// Metrics are what the calls to a server were like.
type Metrics struct {
	Calls, Successes, Failures int64 // those of tools that failed are failures, too

	// ResponseTime is a moving average, in which the last call counts for a
	// tenth.
	ResponseTime time.Duration

	LastError     string // without secrets of the server's settings
	LastErrorTime time.Time

	Connects int64 // how often the server was connected
	Crashes  int64 // how often its connection ended by itself
}

type metrics struct {
	mu sync.Mutex
	m  Metrics
}

// call counts a call.
func (m *metrics) call(took time.Duration, failure string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m.Calls++; m.m.Calls == 1 {
		m.m.ResponseTime = took
	} else {
		m.m.ResponseTime += (took - m.m.ResponseTime) / 10
	}
	if failure == "" {
		m.m.Successes++
		return
	}
	m.m.Failures++
	m.m.LastError, m.m.LastErrorTime = failure, time.Now()
}

// failed remembers an error that is not one of a call.
func (m *metrics) failed(err *Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.m.LastError, m.m.LastErrorTime = err.Error(), err.Time
}

func (m *metrics) count(n *int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*n++
}

func (m *metrics) snapshot() Metrics {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.m
}
