package growth

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"
)

// A probe measures a reader along a dimension or a pair of them.
type probe struct {
	*Reader
	grow    func(n int, base string) string
	met     map[string]bool // the limits that inputs have met
	limited bool            // the reader refuses larger inputs
	log     []string
	base    uint64 // what reading Base allocates
}

// A cost is what one input costs.
type cost struct {
	size    int    // of the input in bytes
	steps   int    // of the budget
	bytes   uint64 // allocated
	time    time.Duration
	refused bool // the reader names one of its limits
}

// read reads an input of n bytes once.
func (p *probe) read(n int) (cost, error) {
	input := p.Base
	if n > 0 {
		input = p.grow(n, input)
	}
	c := cost{size: len(input)}
	read := p.Prepare(input)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began, _ := threadTime()
	err := read()
	ended, _ := threadTime()
	runtime.ReadMemStats(&after)
	c.bytes, c.time = after.TotalAlloc-before.TotalAlloc, ended-began
	if after.HeapAlloc > maxHeap/8 {
		runtime.GC()
	}
	if p.Steps != nil {
		c.steps = p.Steps()
	}
	if err == nil {
		return c, nil
	}
	for _, limit := range p.Limits {
		if strings.Contains(err.Error(), limit) {
			p.met[limit], c.refused = true, true
			return c, nil
		}
	}
	return c, fmt.Errorf("an input of %d bytes is not read: %w", c.size, err)
}

// run compares an input of n bytes with one of a tenth. If the reader refuses it, run
// compares inputs that the reader accepts, and inputs that it refuses.
func (p *probe) run(n int) error {
	c, err := p.read(0)
	if err != nil {
		return err
	}
	if c.refused {
		return errors.New("the base is refused")
	}
	p.base = c.bytes
	large, err := p.read(n)
	if err != nil {
		return err
	}
	if !large.refused {
		return p.compare("accepted", n, large)
	}
	p.limited = true
	accepted, refused, err := p.limit(n)
	if err != nil {
		return err
	}
	if large, err = p.read(accepted); err == nil {
		err = p.compare("accepted", accepted, large)
	}
	if err != nil {
		return err
	}
	if large, err = p.read(20 * refused); err == nil {
		err = p.compare("refused", 20*refused, large)
	}
	return err
}

// limit returns the sizes of the largest input that is accepted and the smallest that
// is refused, to within a few percent. n is refused.
func (p *probe) limit(n int) (accepted, refused int, err error) {
	for refused = n; refused-accepted > refused/32+1; {
		middle := (accepted + refused) / 2
		c, err := p.read(middle)
		switch {
		case err != nil:
			return 0, 0, err
		case c.refused:
			refused = middle
		default:
			accepted = middle
		}
	}
	return accepted, refused, nil
}

// compare compares the cost of an input of n bytes with that of one of a tenth. Slices
// and maps double at some sizes, so memory grows too fast if it does at three sizes.
func (p *probe) compare(what string, n int, large cost) error {
	small, err := p.read(n / 10)
	if err != nil {
		return err
	}
	fault := p.compareMemory(what, small, large)
	for _, m := range [...]int{n * 3 / 4, n * 3 / 5} {
		if fault == nil {
			break
		}
		var s, l cost
		if s, err = p.read(m / 10); err == nil {
			l, err = p.read(m)
		}
		if err != nil {
			return err
		}
		fault = p.compareMemory(what, s, l)
	}
	if fault != nil {
		return fault
	}
	return p.compareTime(what, n, small, large)
}

// compareMemory compares the allocated bytes.
func (p *probe) compareMemory(what string, small, large cost) error {
	limit := p.Bytes
	if limit == 0 {
		limit = maxBytes
	}
	from, to := p.beyondBase(small), p.beyondBase(large)
	exponent := growth(from, to, small, large)
	perByte := (to - float64(large.steps)) / float64(large.size)
	p.log = append(p.log, fmt.Sprintf("%s: %d bytes, %d steps, %v, %.1f allocated for each, exponent %.2f", what, large.size, large.steps, large.time, perByte, exponent))
	switch {
	case to <= float64(max(smallBytes, p.Budget)):
	case perByte > limit:
		return fmt.Errorf("%s: reading %d bytes allocates %d bytes, %.1f for each byte, want at most %v", what, large.size, large.bytes, perByte, limit)
	case perByte > 1 && exponent > maxMemoryExponent:
		return fmt.Errorf("%s: memory grows with exponent %.2f, want at most %v: %+v, %+v", what, exponent, maxMemoryExponent, small, large)
	}
	return nil
}

func (p *probe) beyondBase(c cost) float64 { return max(1, float64(c.bytes)-float64(p.base)) }

// growth returns the exponent with which a figure grows from one input to another.
func growth(from, to float64, small, large cost) float64 {
	input, work := float64(large.size)/float64(small.size), float64(large.size+large.steps)/float64(small.size+small.steps)
	return math.Log(to/from) / math.Log(max(input, work))
}

func timeGrowth(small, large cost) float64 {
	return growth(float64(max(1, small.time)), float64(max(1, large.time)), small, large)
}

// compareTime compares the CPU time. Most readers are clearly linear in one run, or in
// the best of a few. A fault is one in all rounds, twice.
func (p *probe) compareTime(what string, n int, small, large cost) error {
	if _, ok := threadTime(); !ok || p.limited && large.time <= smallTime+4*time.Duration(p.Budget) {
		return nil
	}
	least := timeGrowth(small, large)
	began, _ := threadTime()
	for round := 0; least > clearExponent && round < 2*rounds; round++ {
		if now, _ := threadTime(); round > 0 && now-began > longRounds {
			break
		}
		if round > 0 && least <= maxTimeExponent {
			break
		}
		p.repeat(n/10, &small, minRound/5)
		p.repeat(n, &large, minRound*4/5)
		least = min(least, timeGrowth(small, large))
		p.log = append(p.log, fmt.Sprintf("%v, exponent %.2f", large.time, least))
	}
	if least <= maxTimeExponent {
		return nil
	}
	return fmt.Errorf("%s: time grows with exponent %.2f, want at most %v: %d bytes take %v", what, least, maxTimeExponent, large.size, large.time)
}

// repeat reads an input of n bytes for some time, and sets the mean time in c.
func (p *probe) repeat(n int, c *cost, enough time.Duration) {
	read := p.Prepare(p.grow(n, p.Base))
	total, reads, batch, garbage := time.Duration(0), 0, 1, uint64(0)
	for total < enough {
		began, _ := threadTime()
		for range batch {
			_ = read()
		}
		ended, _ := threadTime()
		total, reads = total+ended-began, reads+batch
		if garbage += uint64(batch) * c.bytes; garbage > maxHeap/4 {
			runtime.GC()
			garbage = 0
		}
		if most := batch * int((enough-total)/(ended-began+1)+1); c.bytes*uint64(batch) < maxHeap/8 {
			batch = min(2*batch, most)
		}
	}
	c.time = max(1, total/time.Duration(reads))
}
