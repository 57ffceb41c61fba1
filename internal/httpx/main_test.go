package httpx

import (
	"fmt"
	"os"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

func TestMain(m *testing.M) {
	testutil.LimitDepth()
	if target := os.Getenv(proxiedEnv); target != "" {
		if err := proxied(target); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	testutil.Main(m)
}
