//go:build !js && !wasip1

package oauth

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// On a machine without a browser, xdg-open starts and then fails.
func TestFailingBrowserCommandIsAnError(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	fails := exec.Command(exe, "-no-such-flag")
	var exit *exec.ExitError
	if err := startBrowser(t.Context(), fails); !errors.As(err, &exit) || !strings.Contains(err.Error(), exe) {
		t.Error(err)
	}
	works := exec.Command(exe, "-test.run=^$")
	if err := startBrowser(t.Context(), works); err != nil {
		t.Error(err)
	}
}
