package flags

import (
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestFileURI(t *testing.T) {
	for path, want := range map[string]string{
		"/a b/ü#?%": "file:///a%20b/%C3%BC%23%3F%25", "C:/Users/x": "file:///C:/Users/x", "//host/share/x": "file://host/share/x", "/": "file:///",
	} {
		got := FileURI(path)
		if u, err := url.Parse(got); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", path, got, err, want)
		} else if back := strings.TrimPrefix(u.Path, "/"); back != strings.TrimPrefix(path, "/") && u.Host == "" {
			t.Errorf("%s: the path of the URI is %s", path, u.Path)
		}
	}
}

func TestParseWait(t *testing.T) {
	for text, want := range map[string]time.Duration{"60": time.Minute, "60s": time.Minute, "1.5s": 1500 * time.Millisecond, "0": -1, "0s": -1} {
		if d, err := ParseWait(text); d != want || err != nil {
			t.Errorf("%s is %v, %v", text, d, err)
		}
	}
	for _, text := range []string{"", "-1", "-1s", "1 s", "x", "1e9"} {
		if d, err := ParseWait(text); err == nil {
			t.Errorf("%q is %v", text, d)
		}
	}
}

// TestAnswerFromFile: an answer comes from a regular file or a pipe, as a device may be endless.
func TestAnswerFromFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("did not run: Windows has no /dev/zero")
	}
	if err := setAnswer(new(Values), "@/dev/zero"); err == nil || !strings.Contains(err.Error(), "/dev/zero is neither a regular file nor a pipe") {
		t.Error(err)
	}
}
