package httpx

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if target := os.Getenv(proxiedEnv); target != "" {
		if err := proxied(target); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	before := runtime.NumGoroutine()
	code := m.Run()
	for range 10000 {
		if runtime.NumGoroutine() <= before {
			os.Exit(code)
		}
		time.Sleep(2 * time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	fmt.Printf("goroutines: %d before, %d after\n%s\n", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
	os.Exit(1)
}
