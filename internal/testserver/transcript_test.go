package testserver

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// A transcript begins with lines "# option: value". Then ">" is a message of the
// client, "<" a message of the server, "!" a violation, and "#" a comment. With
// -update the test writes the messages of the server and the violations.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			testutil.Must(t, err)
			golden(t, file, replay(t, want))
		})
	}
}

// replay sends the client's messages of a transcript, one a second, and returns
// the transcript of the session.
func replay(t *testing.T, transcript []byte) (conversation []byte) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex // guards out
		var out bytes.Buffer
		write := func(mark, line string) {
			mu.Lock()
			defer mu.Unlock()
			out.WriteString(mark + line + "\n")
		}
		send := func(msg []byte) { write("< ", string(msg)) }
		o := &Options{Report: func(v string, _ []byte) { write("! ", v) }}
		var session *Session
		lines := bufio.NewScanner(bytes.NewReader(transcript))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			line := lines.Text()
			if line != "" && strings.ContainsAny(line[:1], "<!") {
				continue
			}
			write("", line)
			if text, ok := strings.CutPrefix(line, "# option "); ok {
				option(t, o, text)
			}
			if msg, ok := strings.CutPrefix(line, "> "); ok {
				if session == nil {
					session = New(o).NewSession(send)
					defer session.Close()
				}
				if run := session.Handle(t.Context(), []byte(msg), send); run != nil {
					go run() // ends with the session
				}
				time.Sleep(time.Second)
				synctest.Wait()
			}
		}
		conversation = out.Bytes()
	})
	return conversation
}

func option(t *testing.T, o *Options, text string) {
	name, value, _ := strings.Cut(text, ": ")
	switch name {
	case "protocol versions":
		o.ProtocolVersions = strings.Fields(value)
	case "without":
		o.Without = strings.Fields(value)
	case "fault":
		o.Fault = value
	case "page size":
		o.PageSize = len(value) // 1
	default:
		t.Fatalf("no option %q", name)
	}
}
