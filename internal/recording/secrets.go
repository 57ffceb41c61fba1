package recording

import (
	"slices"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/lock"
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
	m := masker{hide: func(text string) string { return text }}
	if _, err := m.mask(message); err == nil {
		s.add(m.found)
	}
}

// mask masks a message. It learns what the names of secrets have in one that the client sends.
func (s *Secrets) mask(message []byte, hide func(string) string, sent bool) ([]byte, error) {
	m := masker{hide: hide, ambiguous: isSecret}
	masked, err := m.mask(message)
	if err == nil && sent && s.add(m.found) {
		return m.mask(message) // which may have them elsewhere, too
	}
	return masked, err
}

// add adds values, and reports whether any of them is new.
func (s *Secrets) add(found []string) bool {
	if len(found) == 0 {
		return false
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
	return s.learned > before
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
