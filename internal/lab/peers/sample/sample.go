// Package sample holds measurements.
package sample

import "slices"

// A Sample is the average cost of one operation in a run.
type Sample struct {
	Ops    int
	Time   float64 // in seconds
	CPU    float64 // of the client's process, in seconds
	Allocs float64
	Bytes  float64 // allocated
}

// A Metric is one of the figures of a Sample.
type Metric func(Sample) float64

// The metrics.
func Time(s Sample) float64   { return s.Time }
func CPU(s Sample) float64    { return s.CPU }
func Allocs(s Sample) float64 { return s.Allocs }
func Bytes(s Sample) float64  { return s.Bytes }

// A Series holds the samples of several runs, in their order.
type Series []Sample

// Median returns the median of a metric.
func (s Series) Median(m Metric) float64 { return median(s.values(m)) }

// Percentile returns the p-th percentile of a metric.
func (s Series) Percentile(m Metric, p int) float64 {
	values := s.values(m)
	slices.Sort(values)
	return values[len(values)*p/100]
}

func (s Series) values(m Metric) []float64 {
	values := make([]float64, len(s))
	for i, v := range s {
		values[i] = m(v)
	}
	return values
}

// Ratio returns the median of the ratios to base in the same run, so that other
// programs on the machine affect both sides.
func (s Series) Ratio(m Metric, base Series) float64 {
	var values []float64
	for i := range min(len(s), len(base)) {
		values = append(values, m(s[i])/m(base[i]))
	}
	return median(values)
}

// BestRatio returns the ratio of the best runs. It is the better estimate on a
// busy machine, as other programs only ever make a run slower.
func (s Series) BestRatio(m Metric, base Series) float64 {
	return slices.Min(s.values(m)) / slices.Min(base.values(m))
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	n := len(values)
	return (values[n/2] + values[(n-1)/2]) / 2
}
