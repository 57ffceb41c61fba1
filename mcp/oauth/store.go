package oauth

import (
	"context"
	"sync"
)

// A Store holds tokens and registrations, which are secret, as JSON. It may
// outlive a Transport and be shared by several. Its methods must be safe for
// concurrent use.
type Store interface {
	// Load returns the data saved under key, or nil if there is none.
	Load(ctx context.Context, key StoreKey) ([]byte, error)

	// Save saves data under key, or deletes the entry if data is nil.
	Save(ctx context.Context, key StoreKey, data []byte) error

	// Lock waits until no other goroutine, and no other process that shares the
	// store, holds the lock for key. A Transport may hold it while the user logs
	// in. The lock must be released if the process dies.
	Lock(ctx context.Context, key StoreKey) (unlock func(), err error)
}

// A StoreKey identifies an entry in a Store. A token has all three fields, a
// registration no Resource. The entry without Issuer records which token a
// Transport uses.
type StoreKey struct {
	Issuer   string // the authorization server
	Resource string // the MCP server
	Client   string // the client ID
}

// A Memory is a Store in memory. The zero value is empty and ready to use.
type Memory struct {
	mu    sync.Mutex // guards both maps
	data  map[StoreKey][]byte
	locks map[StoreKey]chan struct{} // holds a value while locked
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory { return &Memory{} }

// Load implements [Store].
func (m *Memory) Load(_ context.Context, key StoreKey) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.data[key], nil
}

// Save implements [Store].
func (m *Memory) Save(_ context.Context, key StoreKey, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.data == nil {
		m.data = map[StoreKey][]byte{}
	}
	if data == nil {
		delete(m.data, key)
	} else {
		m.data[key] = append([]byte(nil), data...)
	}
	return nil
}

// Lock implements [Store].
func (m *Memory) Lock(ctx context.Context, key StoreKey) (func(), error) {
	m.mu.Lock()
	if m.locks == nil {
		m.locks = map[StoreKey]chan struct{}{}
	}
	l := m.locks[key]
	if l == nil {
		l = make(chan struct{}, 1)
		m.locks[key] = l
	}
	m.mu.Unlock()
	select {
	case l <- struct{}{}:
		return func() { <-l }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
