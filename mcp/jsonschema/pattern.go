package jsonschema

import (
	"io"
	"regexp"
	"regexp/syntax"
	"sync"
	"unicode/utf8"
)

const (
	// perStep is how many instructions of a pattern, applied to one character
	// each, cost as much as a step.
	perStep = 25

	// atOnce is how many instructions times characters are matched without a
	// look at the budget and the context: well below a millisecond.
	atOnce = 10_000
)

// A pattern is a regular expression that is compiled when it is first needed, so
// that programs which only compile schemas do not link package regexp.
type pattern struct {
	once sync.Once // for what follows
	re   *regexp.Regexp
	cost int // the number of instructions, approximately
}

// pattern returns one of the node's patterns, or nil if package regexp does not
// support it.
func (n *node) pattern(text string) *pattern {
	p := n.patterns[text]
	if p == nil {
		return nil
	}
	p.once.Do(func() {
		if parsed, err := syntax.Parse(text, syntax.Perl); err == nil {
			p.cost = instructions(parsed)
			p.re, _ = regexp.Compile(text)
		}
	})
	if p.re == nil {
		return nil
	}
	return p
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
