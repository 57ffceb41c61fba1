package stdio

import (
	"testing"
	"testing/synctest"
)

type panickingWriter struct{}

func (panickingWriter) Write([]byte) (int, error) { panic("oh no") }

// TestStderrWriterPanics: the writer is not called again, and nothing else ends.
func TestStderrWriterPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported []any
		r := newRelay(&guardedWriter{panickingWriter{}, func(v any, _ []byte) { reported = append(reported, v) }})
		r.write([]byte("one\n"))
		r.write([]byte("two\n"))
		r.close()
		if len(reported) != 1 || reported[0] != "oh no" {
			t.Errorf("reported %v", reported)
		}
	})
}
