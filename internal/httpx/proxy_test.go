package httpx

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// proxiedEnv makes the test binary a program that sends a request.
const proxiedEnv = "STDMCP_TEST_PROXIED"

// proxied sends a request to a host that there is not, and prints the response.
func proxied(target string) error {
	u, err := Parse(target)
	if err != nil {
		return err
	}
	c, err := New("", nil, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	resp, err := c.Do(ctx, &Request{Method: "POST", URL: u, Body: []byte("{}")})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(os.Stdout, resp.Body)
	return err
}

// TestProxyOfTheEnvironment has a program of its own, as net/http looks at the
// environment once.
func TestProxyOfTheEnvironment(t *testing.T) {
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Method, " ", r.RequestURI) })
	const want = "POST http://nowhere.invalid/mcp"
	for _, name := range []string{"HTTP_PROXY", "http_proxy"} {
		cmd := exec.Command(os.Args[0])
		for _, v := range os.Environ() {
			if name, _, _ := strings.Cut(v, "="); !strings.HasSuffix(strings.ToLower(name), "_proxy") {
				cmd.Env = append(cmd.Env, v)
			}
		}
		cmd.Env = append(cmd.Env, name+"="+proxy.String(), proxiedEnv+"=http://nowhere.invalid/mcp")
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%s: got %q, %v, want %q", name, out, err, want)
		}
	}
}
