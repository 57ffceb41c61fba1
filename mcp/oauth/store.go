package oauth

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
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
	mu    lock.Mutex                 // guards both maps
	data  *map[StoreKey]entry        // a pointer, so that printing a struct with a Memory shows no secret
	locks map[StoreKey]chan struct{} // holds a value while locked
}

// maxRegistrations is how many registrations a Memory or a File keeps, each under
// two keys. A server can name another authorization server each time.
const maxRegistrations = 100

// dropRegistrations deletes the oldest registrations if there are too many, and
// first those with whose authorization servers no token is stored.
func dropRegistrations(entries map[StoreKey]entry) {
	used, tokens := map[string]bool{}, 0
	for key := range entries {
		if key.Resource != "" {
			used[key.Issuer] = true
			tokens++
		}
	}
	for len(entries)-tokens > 2*maxRegistrations {
		var oldest *StoreKey
		for key, e := range entries {
			if key.Resource != "" {
				continue
			}
			if oldest == nil || !used[key.Issuer] && used[oldest.Issuer] || used[key.Issuer] == used[oldest.Issuer] && e.saved < entries[*oldest].saved {
				oldest = &key
			}
		}
		delete(entries, *oldest)
	}
}

// An entry is what a Memory or a File holds under a key.
type entry struct {
	data  []byte
	saved int64 // Unix time in milliseconds
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory { return &Memory{} }

// entries returns the map, which may be nil. The caller holds mu.
func (m *Memory) entries() map[StoreKey]entry {
	if m.data == nil {
		return nil
	}
	return *m.data
}

// Load implements [Store].
func (m *Memory) Load(_ context.Context, key StoreKey) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entries()[key].data, nil
}

// Save implements [Store].
func (m *Memory) Save(_ context.Context, key StoreKey, data []byte) error {
	m.mu.Lock()
	if m.data == nil {
		m.data = &map[StoreKey]entry{}
	}
	if data == nil {
		delete(*m.data, key)
	} else {
		(*m.data)[key] = entry{append([]byte(nil), data...), time.Now().UnixMilli()}
		dropRegistrations(*m.data)
	}
	m.mu.Unlock()
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
