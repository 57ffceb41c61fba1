package mcp

import (
	"context"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
)

// A Cache stores the pages of lists, the contents of resources and the entries of skills
// for as long as the server permits (ttlMs, 2026-07-28). Each client has its own entries,
// so clients of different users share none. [CacheSize] is the only
// implementation.
//
// The client removes an entry when the server reports a change, which from
// 2026-07-28 on requires a subscription; see [Changes] and [Client.Subscribe].
type Cache interface {
	// newCache returns the cache of one client.
	newCache() resultCache
}

// A resultCache is the cache of one client.
type resultCache interface {
	observer

	// lookUp returns the entry of a key, and the state of the cache for a
	// later store.
	lookUp(ctx context.Context, key string) (raw RawMessage, state int)

	// refresh returns a context in which lookUp finds nothing, or nil if ctx is
	// one.
	refresh(ctx context.Context) context.Context

	// store replaces the entry of a key by a result. It only removes the entry if
	// something was dropped since state, or if ttl is not positive.
	store(key string, raw RawMessage, ttl time.Duration, state int)
}

// A CacheSize is a [Cache] of up to this many bytes for each client. The default is
// 16 MiB; negative means that nothing is cached.
type CacheSize int

func (n CacheSize) newCache() resultCache {
	if n == 0 {
		n = 16 << 20
	}
	return &cache{max: int(n), entries: make(map[string]entry)}
}

type cache struct {
	max int

	mu      lock.Mutex
	entries map[string]entry // by method and params
	size    int              // of the entries and their keys, in bytes
	state   int              // incremented by each drop
}

type entry struct {
	raw  RawMessage
	ends time.Time
}

// A refresh is the key of the value in a context from Refresh.
type refresh struct{}

// WithoutCache returns a context in which calls do not read the [Cache]. Their
// results replace its entries, or remove them if the server permits no caching
// any more.
func WithoutCache(ctx context.Context) context.Context {
	return context.WithValue(ctx, refresh{}, true)
}

func (c *cache) refresh(ctx context.Context) context.Context {
	if ctx.Value(refresh{}) != nil {
		return nil
	}
	return WithoutCache(ctx)
}

func (c *cache) lookUp(ctx context.Context, key string) (RawMessage, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok && time.Now().Before(e.ends) && ctx.Value(refresh{}) == nil {
		return e.raw, c.state
	}
	return nil, c.state
}

func (c *cache) store(key string, raw RawMessage, ttl time.Duration, state int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(key) // it is older than the result
	if state != c.state || ttl <= 0 {
		return
	}
	size := len(key) + len(raw) // a server chooses the cursor in the key
	if c.size+size > c.max {
		c.sweep()
	}
	if c.size+size > c.max {
		return
	}
	c.entries[key] = entry{raw, time.Now().Add(ttl)}
	c.size += size
}

func (c *cache) remove(key string) {
	if e, ok := c.entries[key]; ok {
		c.size -= len(key) + len(e.raw)
		delete(c.entries, key)
	}
}

func (c *cache) sweep() {
	now := time.Now()
	for key, e := range c.entries {
		if !now.Before(e.ends) {
			c.remove(key)
		}
	}
}

// drop removes the results of methods. Results of pending requests are not
// stored.
func (c *cache) drop(methods ...string) {
	c.mu.Lock()
	c.state++
	for key := range c.entries {
		for _, method := range methods {
			if strings.HasPrefix(key, method+"\x00") {
				c.remove(key)
			}
		}
	}
	c.mu.Unlock()
}

func (c *cache) observe(method string, _ RawMessage) error {
	switch ChangeKind(method) {
	case ToolsChanged:
		c.drop("tools/list")
	case PromptsChanged:
		c.drop("prompts/list")
	case ResourcesChanged:
		c.drop("resources/list", "resources/templates/list", listSkills, getSkill)
	case ResourceUpdated:
		c.drop("resources/read", listSkills, getSkill) // the URI may be that of a part of the resource
	}
	return nil
}

func (c *cache) sessionRenewed(context.Context) {
	c.drop("tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read", listSkills, getSkill)
}

// A cacheSlot is where the result of a request is stored.
type cacheSlot struct {
	key   string
	state int // of the cache before the call was sent
}

// lookup returns the cached result of a request. If there is none it returns nil
// and sets the slot for the server's result. The error is that of ctx.
func (c *Client) lookup(ctx context.Context, q *request) (RawMessage, error) {
	q.slot = nil
	if q.inputs.answers != nil {
		return nil, nil
	}
	key := append([]byte(q.method), 0)
	if q.params != nil {
		var err error
		if key, err = q.params(q, key); err != nil {
			return nil, nil // send returns it
		}
	}
	if c.opts.CacheKey != nil {
		key = append(append(key, 0), c.opts.CacheKey(ctx)...) // JSON has no zero byte
	}
	raw, state := c.cache.lookUp(ctx, string(key))
	switch {
	case raw == nil:
		q.slot = &cacheSlot{string(key), state}
	case c.conn.Err() != nil:
		return nil, c.failed(q, c.conn.Err())
	case ctx.Err() != nil:
		return nil, c.failed(q, retry.Cause(ctx))
	}
	return raw, nil // without a slot: storing it again would extend its time to live
}

func (c *Client) store(slot *cacheSlot, raw RawMessage, res result) {
	t, ok := res.(expiring)
	if !ok {
		return
	}
	const longest = 24 * time.Hour
	ttl := int64(0)
	if ms := t.caching().TTLMs; ms != nil {
		ttl = min(*ms, longest.Milliseconds())
	}
	c.cache.store(slot.key, raw, time.Duration(ttl)*time.Millisecond, slot.state)
}

func (t *Caching) caching() *Caching { return t }
