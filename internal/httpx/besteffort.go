package httpx

import "context"

type bestEffortKey struct{}

// BestEffort returns a context for requests that no caller waits for, such as
// the notification that a call was canceled. RoundTrippers should not ask a user
// for authorization because of them.
func BestEffort(ctx context.Context) context.Context {
	return context.WithValue(ctx, bestEffortKey{}, true)
}

// IsBestEffort reports whether ctx, the context of a request, is from
// [BestEffort].
func IsBestEffort(ctx context.Context) bool { return ctx.Value(bestEffortKey{}) != nil }
