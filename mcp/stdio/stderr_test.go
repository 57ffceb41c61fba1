package stdio

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestStoredStderr(t *testing.T) {
	var s stderr
	var all bytes.Buffer
	for i := range 30_000 {
		line := fmt.Appendf(nil, "line %d %s\n", i, strings.Repeat("x", i%50))
		all.Write(line)
		s.store(line)
		if i%1000 == 0 || i > 29_990 {
			want := all.String()[max(0, all.Len()-maxStderr):]
			if got := s.String(); got != want {
				t.Fatalf("after %d bytes: kept %d bytes, wanted %d", all.Len(), len(got), len(want))
			}
		}
	}
	big := strings.Repeat("0123456789", maxStderr)
	s.store([]byte(big))
	if s.String() != big[len(big)-maxStderr:] {
		t.Error("a long piece was not kept")
	}
}

func TestStderrIsAlwaysDrained(t *testing.T) {
	const lines = 16 << 10 // 1 MiB
	for name, tee := range map[string]*blockingWriter{
		"no tee":          nil,
		"tee":             {},
		"tee that fails":  {err: errors.New("full")},
		"tee that blocks": {block: make(chan struct{})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := child("stderr", fmt.Sprint(lines))
			if tee != nil {
				tr.Stderr = tee
			}
			p := open(t, tr)
			call(t, p) // is answered after all is written
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if got := p.stderr.String(); len(got) != maxStderr || !strings.HasSuffix(got, fmt.Sprintf("%063d\n", lines-1)) {
				t.Errorf("kept %d bytes, ending in %q", len(got), got[max(0, len(got)-70):])
			}
			if name == "tee" && tee.Len() != 64*lines {
				t.Errorf("%d bytes of %d were passed on", tee.Len(), 64*lines)
			}
			if tee != nil && tee.block != nil {
				close(tee.block)
			}
		})
	}
}

// blockingWriter is a buffer that waits for block and returns err, if set.
type blockingWriter struct {
	bytes.Buffer
	block chan struct{}
	err   error
}

func (w *blockingWriter) Write(p []byte) (int, error) {
	if w.block != nil {
		<-w.block
	}
	if w.err != nil {
		return 0, w.err
	}
	return w.Buffer.Write(p)
}

func TestRelayStallsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &blockingWriter{block: make(chan struct{})}
		r := newRelay(w)
		start := time.Now()
		for range 100 {
			r.write([]byte("x"))
		}
		if d := time.Since(start); d != writerTimeout {
			t.Errorf("writing took %v", d)
		}
		r.close()
		close(w.block)
		<-r.done
		if n := w.Len(); n != 1+cap(r.chunks) {
			t.Errorf("%d writes were passed on, not those that found room", n)
		}
	})
}
