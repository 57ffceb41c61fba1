package mcptest_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestMain is a server when a test starts one, and fails when tests leave
// something behind.
func TestMain(m *testing.M) {
	if testsOnly() {
		m.Run()
		return
	}
	mcptest.Main(map[string]func(*mcptest.Server){"greeter": greeter, "transport": mcptest.TransportServer})
	testutil.Main(m)
}

func greeter(s *mcptest.Server) {
	s.Tool("greet", nil, func(c *mcptest.Call) (any, error) {
		return "Hello, " + c.Text("name") + "!", nil
	})
}

// A fakeTest is a test that may fail.
type fakeTest struct {
	testing.TB
	mu       sync.Mutex
	failures []string
	logs     []string
	cleanups []func()
}

func (f *fakeTest) Helper()          {}
func (f *fakeTest) Cleanup(g func()) { f.cleanups = append(f.cleanups, g) }

func (f *fakeTest) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failures = append(f.failures, fmt.Sprintf(format, args...))
}

func (f *fakeTest) Error(args ...any)                 { f.Errorf("%s", fmt.Sprint(args...)) }
func (f *fakeTest) Fatalf(format string, args ...any) { f.Errorf(format, args...) }

func (f *fakeTest) TempDir() string {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	f.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// end runs the cleanup and returns the failures.
func (f *fakeTest) end() []string {
	for i := len(f.cleanups) - 1; i >= 0; i-- {
		f.cleanups[i]()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failures
}
