package recording

import (
	"slices"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// Secrets are values to mask: those that the program knows, and those that a client has
// sent under the names of secrets, as servers repeat them in their texts. Several
// goroutines may use a Secrets. A nil *Secrets masks nothing.
type Secrets struct {
	mu       lock.Mutex
	values   []string
	learned  int
	redactor *display.Redactor // of values
}

// NewSecrets returns Secrets with the values that the program knows.
func NewSecrets(values ...string) *Secrets {
	return &Secrets{values: slices.Clone(values), redactor: display.NewRedactor(values...)}
}

// maxLearned limits the number of values that Learn keeps, and maxValue the length of each
// in bytes.
const maxLearned, maxValue = 100, 16 << 10

// Learn adds the values in a message of the client that have the names of secrets.
func (s *Secrets) Learn(message []byte) {
	if s == nil {
		return
	}
	r := reader(message)
	var found []string
	eachSecret(&r, false, func(value string) { found = append(found, value) })
	if found == nil || r.End() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.learned
	for _, value := range found {
		if s.learned < maxLearned && len(value) <= maxValue && value != diag.Mask && !slices.Contains(s.values, value) {
			s.values = append(s.values, value)
			s.learned++
		}
	}
	if s.learned > before {
		s.redactor = display.NewRedactor(s.values...)
	}
}

// eachSecret calls f for each string and number in a value that has the name of a secret,
// or is in a list with that name. secret reports whether the value itself is.
func eachSecret(r *wire.Reader, secret bool, f func(value string)) {
	switch kind := r.Kind(); {
	case kind == wire.Object:
		for r.Object(); r.More(); {
			key := string(r.Key())
			eachSecret(r, isSecretKey(key, r.Kind()), f)
		}
	case kind == wire.Array:
		for r.Array(); r.More(); {
			eachSecret(r, secret, f)
		}
	case secret && kind == wire.String:
		f(r.String())
	case secret && kind == wire.Number:
		f(string(r.Raw()))
	default:
		r.Skip()
	}
}

// Redact returns a text with [diag.Mask] in place of the values.
func (s *Secrets) Redact(text string) string { return s.current().Redact(text) }

func (s *Secrets) current() *display.Redactor {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.redactor
}
