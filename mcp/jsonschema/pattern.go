package jsonschema

import (
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

const (
	// maxPatterns limits the instructions of all patterns of a schema.
	maxPatterns = 100_000

	// perStep is how many instructions of a pattern, applied to one character
	// each, cost as much as a step.
	perStep = 25

	// atOnce is how many instructions times characters are matched without a
	// look at the budget and the context: well below a millisecond.
	atOnce = 10_000
)

// A pattern is a compiled regular expression.
type pattern struct {
	re   *regexp.Regexp
	cost int // the number of instructions, approximately
}

// compilePattern returns nil for a pattern that package regexp does not support.
// left is what remains of maxPatterns.
func compilePattern(s string, left *int) (*pattern, error) {
	parsed, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return nil, nil
	}
	cost := instructions(parsed)
	if *left -= cost; *left < 0 {
		return nil, fmt.Errorf("the patterns of the schema have more than %d instructions", maxPatterns)
	}
	re, err := regexp.Compile(s)
	if err != nil {
		return nil, nil
	}
	return &pattern{re, cost}, nil
}

// instructions estimates the size of the program for an expression, in which
// repetitions are written out.
func instructions(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	if re.Op == syntax.OpCharClass {
		n = 1
	}
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxPatterns+1)
}

// matches matches a text within the budget and the context. The time that it
// takes is at most the product of both lengths.
func (c *checker) matches(p *pattern, text string) (bool, error) {
	if p.cost*(len(text)+1) <= atOnce {
		return p.re.MatchString(text), c.spend(1 + p.cost*len(text)/perStep)
	}
	r := meteredReader{c: c, text: text, cost: p.cost}
	ok := p.re.MatchReader(&r)
	r.pay()
	return ok, c.err
}

// A meteredReader reads a text for a pattern, and ends early when the checker
// has to stop.
type meteredReader struct {
	c      *checker
	text   string
	cost   int
	unpaid int // characters
}

func (r *meteredReader) ReadRune() (rune, int, error) {
	if r.unpaid++; r.unpaid*r.cost >= atOnce {
		r.pay()
	}
	if r.text == "" || r.c.err != nil {
		return 0, 0, io.EOF
	}
	char, n := utf8.DecodeRuneInString(r.text)
	r.text = r.text[n:]
	return char, n, nil
}

func (r *meteredReader) pay() {
	_ = r.c.spend(1 + r.unpaid*r.cost/perStep)
	r.unpaid = 0
}
