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
		Change(inner, 1, "https://example.com/login")
		Change(inner, 1, "https://example.com/login") // of another request
		time.Sleep(time.Hour)
		Change(inner, -1, "")
		time.Sleep(time.Hour)
		Change(inner, -1, "")
		<-inner.Done()
		if d := time.Since(start); d != 2*time.Hour+10*time.Second || context.Cause(inner) != late {
			t.Errorf("ended after %v: %v", d, context.Cause(inner))
		}
		<-outer.Done()
		if d := time.Since(start); d != 2*time.Hour+20*time.Second || context.Cause(outer) != context.DeadlineExceeded {
			t.Errorf("the outer one ended after %v: %v", d, context.Cause(outer))
		}
		Change(inner, 1, "") // after the end
		Change(inner, -1, "")
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
			Change(timer, 1, "")
			if !early {
				timer.Stop()
			}
			Change(timer, -1, "")
			time.Sleep(time.Minute)
		}
	})
}

func TestWithoutPauser(t *testing.T) { Change(t.Context(), 1, "") }
