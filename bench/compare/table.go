package compare

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Table prints all shapes as text: median, and in brackets the smallest and the
// largest of the rounds.
func (r *Report) Table(w io.Writer) {
	_, _ = fmt.Fprintf(w, "%s, %s, %d rounds\n", r.Machine, r.Go, r.Rounds)
	for _, s := range r.Shapes {
		_, _ = fmt.Fprintf(w, "\n%s: %s\n", s.Name, s.About)
		_, _ = fmt.Fprintf(w, "%d events, %.1f MB, %d task(s)\n", s.Events, float64(s.Bytes)/1e6, s.Tasks)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		if s.Memory {
			_, _ = fmt.Fprintln(t, "client\tKiB per task\t\tafter a burst\t\t")
		} else {
			_, _ = fmt.Fprintln(t, "client\tµs CPU/event\t\t÷ engine\tevents/s\tallocs/event\tpeak MiB\t")
		}
		for _, o := range s.Outcomes {
			if len(o.Runs) == 0 {
				_, _ = fmt.Fprintf(t, "%s\tfailed: %s\t\n", o.Client, lastOf(o.Errors))
				continue
			}
			if s.Memory {
				before, after := s.Of(o.Client, Noted("rss_per_task_kb")), s.Of(o.Client, Noted("rss_after_burst_kb"))
				_, _ = fmt.Fprintf(t, "%s\t%.1f\t(%.1f to %.1f)\t%.1f\t(%.1f to %.1f)\t\n", o.Client, before.Median, before.Min, before.Max, after.Median, after.Min, after.Max)
				continue
			}
			cpu, rate, rss := s.Of(o.Client, CPUPerEvent), s.Of(o.Client, EventsPerSecond), s.Of(o.Client, PeakRSS)
			allocs := "-"
			if a := s.Of(o.Client, AllocsPerEvent); a.N > 0 {
				allocs = fmt.Sprintf("%.2f", a.Median)
			}
			times := "-"
			if q := over(s, o.Client, s, Engine, CPUPerEvent); q.N > 0 {
				times = fmt.Sprintf("%.2f", q.Median)
			}
			_, _ = fmt.Fprintf(t, "%s\t%.2f\t(%.2f to %.2f)\t%s\t%.0f\t%s\t%.0f\t\n", o.Client, cpu.Median, cpu.Min, cpu.Max, times, rate.Median, allocs, rss.Median)
		}
		_ = t.Flush()
	}
}

func lastOf(list []string) string {
	if len(list) == 0 {
		return "not run"
	}
	return list[len(list)-1]
}
