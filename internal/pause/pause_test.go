package pause

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// withTimeout returns a context that ends after d with cause.
func withTimeout(ctx context.Context, d time.Duration, cause error) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := AfterFunc(ctx, d, func() { cancel(cause) })
	return timer, func() { timer.Stop(); cancel(nil) }
}

func TestTimeoutsPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := errors.New("late")
		start := time.Now()
		outer, cancel := withTimeout(t.Context(), 20*time.Second, context.DeadlineExceeded)
		defer cancel()
		inner, cancel := withTimeout(outer, 10*time.Second, late)
		defer cancel()
		time.Sleep(4 * time.Second)
		first := Begin(inner, "https://example.com/login")
		second := Begin(inner, "https://example.com/login") // of another request
		time.Sleep(time.Hour)
		first()
		first()
		time.Sleep(time.Hour)
		second()
		second()
		<-inner.Done()
		if d := time.Since(start); d != 2*time.Hour+10*time.Second || context.Cause(inner) != late {
			t.Errorf("ended after %v: %v", d, context.Cause(inner))
		}
		<-outer.Done()
		if d := time.Since(start); d != 2*time.Hour+20*time.Second || context.Cause(outer) != context.DeadlineExceeded {
			t.Errorf("the outer one ended after %v: %v", d, context.Cause(outer))
		}
		Begin(inner, "")() // after the end
	})
}

// What has ended stays so: a timer that is stopped during a login does not start again.
func TestStoppedTimerStaysStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, early := range []bool{true, false} {
			timer := AfterFunc(t.Context(), time.Second, func() { t.Error("called") })
			if early {
				timer.Stop()
			}
			resume := Begin(timer, "")
			if !early {
				timer.Stop()
			}
			resume()
			time.Sleep(time.Minute)
		}
	})
}

func TestWithoutPauser(t *testing.T) { Begin(t.Context(), "")() }
