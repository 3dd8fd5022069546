package compare

import (
	"slices"

	"cdpsupervisor/bench/measure"
)

// Report is one run of a suite.
type Report struct {
	Machine string         `json:"machine"`
	Go      string         `json:"go"`
	Rounds  int            `json:"rounds"`
	Clients []Client       `json:"clients"`
	Shapes  []*ShapeReport `json:"shapes"`
	Ratios  []Ratio        `json:"ratios"`
}

// Spread is the median of several values, with the smallest and the largest.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	N      int     `json:"n"`
}

// SpreadOf is the spread of values, the zero Spread of none.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	mid := len(sorted) / 2
	median := sorted[mid]
	if len(sorted)%2 == 0 {
		median = (sorted[mid-1] + sorted[mid]) / 2
	}
	return Spread{Median: median, Min: sorted[0], Max: sorted[len(sorted)-1], N: len(sorted)}
}

// Shape finds a shape by its name, nil if it was not run.
func (r *Report) Shape(name string) *ShapeReport {
	for _, s := range r.Shapes {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Outcome finds a client's outcome, nil if it did not run.
func (s *ShapeReport) Outcome(client string) *Outcome {
	if s == nil {
		return nil
	}
	for i := range s.Outcomes {
		if s.Outcomes[i].Client == client {
			return &s.Outcomes[i]
		}
	}
	return nil
}

// Metric is what is taken of one run.
type Metric func(s *ShapeReport, r measure.Result) float64

// CPUPerEvent is in microseconds.
func CPUPerEvent(s *ShapeReport, r measure.Result) float64 { return r.CPU * 1e6 / float64(s.Events) }

// EventsPerSecond is by the wall clock.
func EventsPerSecond(s *ShapeReport, r measure.Result) float64 { return float64(s.Events) / r.Wall }

// AllocsPerEvent counts heap objects; negative where the client cannot tell.
func AllocsPerEvent(s *ShapeReport, r measure.Result) float64 {
	if r.Allocs == 0 {
		return -1
	}
	return float64(r.Allocs) / float64(s.Events)
}

// PeakRSS is in MiB.
func PeakRSS(_ *ShapeReport, r measure.Result) float64 { return float64(r.RSS) / 1024 }

// Noted is a number that the client noted under a name, negative without.
func Noted(name string) Metric {
	return func(_ *ShapeReport, r measure.Result) float64 {
		if v, ok := r.Notes[name].(float64); ok {
			return v
		}
		return -1
	}
}

// Of is the spread of a metric over a client's runs.
func (s *ShapeReport) Of(client string, m Metric) Spread {
	o := s.Outcome(client)
	if o == nil {
		return Spread{}
	}
	var values []float64
	for _, run := range o.Runs {
		if v := m(s, run); v >= 0 {
			values = append(values, v)
		}
	}
	return SpreadOf(values)
}

// over is the spread of the quotients of two outcomes, round by round.
func over(a *ShapeReport, upper string, b *ShapeReport, lower string, m Metric) Spread {
	x, y := a.Outcome(upper), b.Outcome(lower)
	if x == nil || y == nil {
		return Spread{}
	}
	var values []float64
	for i := range min(len(x.Runs), len(y.Runs)) {
		if d := m(b, y.Runs[i]); d > 0 {
			values = append(values, m(a, x.Runs[i])/d)
		}
	}
	return SpreadOf(values)
}
