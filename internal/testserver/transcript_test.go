package testserver

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A transcript begins with lines "# option: value"; then ">" is what the client
// sends, "<" what the server answers, "!" a violation, and "#" a remark.
// Run with -update to write what the server says now.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, want)
			if *update {
				if err := os.WriteFile(file, got, 0o666); err != nil {
					t.Fatal(err)
				}
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s", firstDifference(string(got), string(want)))
			}
		})
	}
}

// replay has the conversation of a transcript and returns it with the answers
// that came. Requests that take time are waited for before the next line.
func replay(t *testing.T, transcript []byte) []byte {
	var out bytes.Buffer
	o := &Options{}
	var session *Session
	s := New(o)
	reported := 0
	send := func(msg []byte) { out.WriteString("< " + string(msg) + "\n") }
	lines := bufio.NewScanner(bytes.NewReader(transcript))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if text, ok := strings.CutPrefix(line, "# option "); ok {
			option(t, o, text)
			s = New(o)
		}
		if line != "" && strings.ContainsAny(line[:1], "<!") {
			continue
		}
		out.WriteString(line + "\n")
		if msg, ok := strings.CutPrefix(line, "> "); ok {
			if session == nil {
				session = s.NewSession(send)
				defer session.Close()
			}
			if run := session.Handle(context.Background(), []byte(msg), send); run != nil {
				if strings.Contains(msg, "subscriptions/listen") {
					go run() // ends with the session
				} else {
					run()
				}
			}
			for _, v := range s.Violations()[reported:] {
				out.WriteString("! " + v + "\n")
				reported++
			}
		}
	}
	return out.Bytes()
}

func option(t *testing.T, o *Options, text string) {
	name, value, _ := strings.Cut(text, ": ")
	switch name {
	case "revisions":
		o.Revisions = strings.Fields(value)
	case "without":
		o.Without = strings.Fields(value)
	case "fault":
		o.Fault = value
	case "page size":
		o.PageSize = len(value)
	default:
		t.Fatalf("no option %q", name)
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return "line " + itoa(i+1) + "\n got  " + g[i] + "\n want " + strings.Join(w[min(i, len(w)):min(i+1, len(w))], "")
		}
	}
	return "lines are missing: " + strings.Join(slices.Clip(w[len(g):]), "\n")
}
