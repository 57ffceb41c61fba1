package oauth

import (
	"context"
	"sync"
)

// A Store keeps what is to outlive a Transport: tokens and registrations, which
// are secret, as JSON. Its methods may be called by several goroutines.
type Store interface {
	// Load returns what was saved under the key, or nil if nothing was.
	Load(ctx context.Context, key StoreKey) ([]byte, error)

	// Save saves data under the key, or removes what is there if data is nil.
	Save(ctx context.Context, key StoreKey, data []byte) error

	// Lock waits until nobody else holds the lock with this key: no goroutine,
	// and no process that shares the store. It may be held for as long as a
	// person takes, and must end with the process.
	Lock(ctx context.Context, key StoreKey) (unlock func(), err error)
}

// A StoreKey says what something in a Store belongs to. A token has all three,
// a registration no resource, and which token is in use is kept without an issuer.
type StoreKey struct {
	Issuer   string
	Resource string
	Client   string
}

// A Memory is a Store that ends with the process.
type Memory struct {
	mu    sync.Mutex // guards both maps
	data  map[StoreKey][]byte
	locks map[StoreKey]chan struct{} // holds a value while locked
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory {
	return &Memory{data: map[StoreKey][]byte{}, locks: map[StoreKey]chan struct{}{}}
}

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
