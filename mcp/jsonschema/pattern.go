package jsonschema

import (
	"io"
	"regexp"
	"regexp/syntax"
	"sync"
	"unicode/utf8"
)

const (
	// perInstruction is what it costs to apply an instruction of a pattern to one
	// character.
	perInstruction = 4

	// atOnce is how many instructions times characters are matched without a
	// look at the budget and the context: well below a millisecond.
	atOnce = 10_000
)

// A pattern is a regular expression that is compiled when it is first needed, so
// that programs which only compile schemas do not link package regexp.
type pattern struct {
	text string
	size int // instructions, by the estimate of patternSize

	once sync.Once      // for what follows
	re   *regexp.Regexp // nil if package regexp does not support the pattern
	cost int            // the number of instructions, approximately
}

// supported compiles the pattern, and reports whether package regexp supports it.
func (p *pattern) supported(b *budget) bool {
	p.once.Do(func() {
		b.spend(perStep * p.size)
		if parsed, err := syntax.Parse(p.text, syntax.Perl); err == nil {
			p.cost = instructions(parsed)
			p.re, _ = regexp.Compile(p.text)
		}
	})
	return p.re != nil
}

// instructions estimates the size of the program for an expression, in which
// repetitions are written out.
func instructions(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	if re.Op == syntax.OpCharClass {
		n = 1
	}
	for _, sub := range re.Sub {
		n = min(n+instructions(sub), maxPatterns+1)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxPatterns+1)
}

// matches matches a text within the budget and the context. The time that it
// takes is at most the product of both lengths.
func (c *checker) matches(p *pattern, text string) bool {
	if len(text) < atOnce/p.cost { // the product may not fit into 32 bits
		return c.spend(perPart+perInstruction*p.cost*(len(text)+1)) && p.re.MatchString(text)
	}
	r := meteredReader{budget: &c.budget, text: text, cost: p.cost}
	ok := p.re.MatchReader(&r)
	r.pay()
	return ok && c.err == nil
}

// A meteredReader reads a text for a pattern, and ends early when the budget does.
type meteredReader struct {
	budget *budget
	text   string
	cost   int
	unpaid int // characters
}

func (r *meteredReader) ReadRune() (rune, int, error) {
	if r.unpaid++; r.unpaid*r.cost >= atOnce {
		r.pay()
	}
	if r.text == "" || r.budget.err != nil {
		return 0, 0, io.EOF
	}
	char, n := utf8.DecodeRuneInString(r.text)
	r.text = r.text[n:]
	return char, n, nil
}

func (r *meteredReader) pay() {
	r.budget.spend(perPart + perInstruction*r.unpaid*r.cost)
	r.unpaid = 0
}
