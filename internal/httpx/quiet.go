package httpx

import "context"

type quietKey struct{}

// BestEffort returns a context for requests that are mere courtesy, such as the
// notice that a call was given up. They are not worth asking anybody for
// authorization.
func BestEffort(ctx context.Context) context.Context {
	return context.WithValue(ctx, quietKey{}, true)
}

// IsQuiet reports whether ctx is that of such a request. RoundTrippers that
// authorize requests look at it.
func IsQuiet(ctx context.Context) bool { return ctx.Value(quietKey{}) != nil }
