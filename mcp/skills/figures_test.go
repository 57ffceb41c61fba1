package skills_test

import (
	"bytes"
	"crypto/sha256"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestFigures measures the largest skill that every client must support: 512 files,
// 16 MiB.
func TestFigures(t *testing.T) {
	if os.Getenv("STDMCP_FIGURES") == "" {
		t.Skip("measures; set STDMCP_FIGURES=1 to run it")
	}
	const files = 512
	size := 16<<20/files - 1 // and SKILL.md is small
	s := newServer()
	s.files = map[string]any{refunds: text}
	for i := range files - 1 {
		s.files["skill://acme/refunds/files/"+strconv.Itoa(i)+".txt"] = string(bytes.Repeat([]byte{byte('a' + i%26)}, size))
	}
	s.entries = []any{s.entry("refunds", refunds)}
	skill := s.skill(t, nil)
	testutil.Must(t, skill.Err())

	// In memory, file by file in turn. The best of several runs of each counts, as
	// other programs interrupt some.
	content := make([][]byte, files)
	var hash, verify time.Duration
	total := 0
	for i, f := range skill.Files {
		content[i] = []byte(s.files[f.URI].(string))
		total += len(content[i])
		hash += testutil.Best(func() { sha256.Sum256(content[i]) })
		verify += testutil.Best(func() { testutil.Must(t, skill.Verify(f, content[i])) })
	}
	ratio := hash.Seconds() / verify.Seconds()
	t.Logf("a skill of %d files and %d bytes is verified in %v, at %.2f of the speed of crypto/sha256 (goal 0.80)", files, total, verify.Round(10*time.Microsecond), ratio)
	if ratio < 0.8 {
		t.Error("slower than the goal")
	}

	// From a server in memory. What is alive is measured before a read, and while the
	// program has the file.
	live := func() int64 {
		runtime.GC()
		runtime.GC() // what the first one only finalized
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var peak int64
	read := func(measured int) {
		for i, f := range skill.Files {
			s.mu.Lock()
			s.requests = nil // the server's
			s.mu.Unlock()
			var before int64
			if i < measured {
				before = live()
			}
			data, err := skill.Read(t.Context(), f.Name)
			testutil.Must(t, err)
			if i < measured {
				peak = max(peak, live()-before)
			}
			runtime.KeepAlive(data)
		}
	}
	for len(s.engine.Received()) < 10_000 { // which is all that the server remembers
		read(0)
	}
	before, began := live(), time.Now()
	read(0)
	took, kept := time.Since(began), max(0, live()-before)
	read(64)
	t.Logf("read from a server in memory in %v; with a file of %d bytes, at most %d bytes are alive that were not before (goal: the file and 8192 bytes), and %d after all files", took.Round(time.Millisecond), size, peak, kept)
	if peak > int64(size)+8<<10 || kept > int64(size) {
		t.Error("more than one file is alive")
	}
	runtime.KeepAlive(content)
}
