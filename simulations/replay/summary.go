package replay

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"cdpsupervisor/messages"
)

// Bounds of a summary.
const (
	summaryMethods = 15
	summaryText    = 80
)

// WriteSummary writes what came of a replay, for people. The text is the same for
// the same trace. What pages have written is quoted.
func (r *Result) WriteSummary(w io.Writer, name string) error {
	s := &summary{r: r}
	s.trace(name)
	s.page()
	s.dialogs()
	s.console()
	s.events()
	for _, note := range r.Notes {
		s.line("note", "%s", note)
	}
	_, err := io.WriteString(w, s.text.String())
	return err
}

// summary is the text as it grows.
type summary struct {
	r    *Result
	text strings.Builder
}

func (s *summary) line(head, format string, args ...any) {
	fmt.Fprintf(&s.text, "%-10s%s\n", head, fmt.Sprintf(format, args...))
}

// quoted is a text of a page: short, on one line, without control characters.
func quoted(text string) string {
	short, cut := messages.Cut(text, summaryText)
	if q := strconv.Quote(short); !cut {
		return q
	} else {
		return q + "…"
	}
}

// plain is an address or a name: as it is if that is harmless.
func plain(text string) string {
	q := quoted(text)
	if inner := strings.TrimSuffix(strings.TrimPrefix(q, `"`), `"`); inner == text && text != "" {
		return text
	}
	return q
}

// plural counts things.
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

// clockTime is a time since the start, in seconds.
func (s *summary) clockTime(t messages.Seconds) string {
	return seconds(t.Time().Sub(s.r.Start))
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Milliseconds())/1e3, 'f', 3, 64) + " s"
}

func (s *summary) trace(name string) {
	r := s.r
	s.line("trace", "%s (%s): %s in %s", plain(name), r.Format, plural(r.Stats.Messages, "message"), seconds(time.Duration(r.Stats.Duration*float64(time.Second))))
	if dated(r.Header.Start) {
		s.line("", "recorded from %s", r.Start.UTC().Format("2006-01-02 15:04:05 MST"))
	}
	if r.Header.Browser != "" {
		s.line("", "of %s", plain(r.Header.Browser))
	}
	s.line("", "%s from the browser, %s to it", plural(r.Stats.Events, "event"), plural(r.Sent, "command"))
}

func (s *summary) page() {
	r := s.r
	switch {
	case r.Snapshot.PageTargetID == "":
		s.line("page", "none: no page was attached in this trace")
	default:
		s.line("page", "%s (target %s)", plain(r.Snapshot.Page.URL), plain(string(r.Snapshot.PageTargetID)))
	}
	if st := r.Snapshot.Supervisor; st != nil {
		s.line("status", "%s since %s: %s", st.Status, s.clockTime(st.Since), plain(st.Reason))
		for _, name := range slices.Sorted(maps.Keys(st.Capabilities)) {
			s.line("", "without %s: %s", name, plain(st.Capabilities[name]))
		}
	} else {
		s.line("status", "well")
	}
	s.line("sessions", "%d at the end, of %d", r.Stats.Sessions, len(r.Attached))
	oopifs := 0
	if r.Snapshot.FrameTree != nil {
		for _, f := range r.Snapshot.FrameTree.Children {
			if f.OOPIF != nil && *f.OOPIF {
				oopifs++
			}
		}
	}
	s.line("frames", "%d at the end; of those shown, %d in processes of their own", r.Stats.Frames, oopifs)
}

func (s *summary) dialogs() {
	s.line("dialogs", "%d", len(s.r.Dialogs))
	for _, d := range s.r.Dialogs {
		if e := d.Ended; e != nil {
			how := "dismissed"
			if e.Result {
				how = "accepted"
			}
			if e.PromptText != nil {
				how += " with " + quoted(*e.PromptText)
			}
			by := string(e.ClosedBy)
			if e.Reason != "" {
				by += " (" + string(e.Reason) + ")"
			}
			s.line("", "%s %s %s at %s, %s: %s after %s by %s%s", e.ID, e.Type, quoted(e.Message), s.clockTime(e.OpenedAt), plain(e.URL),
				how, seconds(e.ClosedAt.Time().Sub(e.OpenedAt.Time())), by, times(e.Count))
			continue
		}
		o := d.Open
		s.line("", "%s %s %s at %s, %s: open%s", o.ID, o.Type, quoted(o.Message), s.clockTime(o.OpenedAt), plain(o.URL), times(o.Count))
	}
}

func times(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d equal ones in a row)", n)
}

func (s *summary) console() {
	s.line("console", "%s", plural(len(s.r.Console), "error"))
	for _, c := range s.r.Console {
		s.line("", "%s %s at %s, %s:%d", c.Kind, quoted(c.Text), seconds(c.At.Time().Sub(s.r.PageStart)), plain(c.URL), c.Line)
	}
}

func (s *summary) events() {
	r := s.r
	average := 0.0
	if r.Stats.Duration > 0 {
		average = float64(r.Stats.Events) / r.Stats.Duration
	}
	busiest, most := 0, 0
	for _, second := range slices.Sorted(maps.Keys(r.Seconds)) {
		if n := r.Seconds[second]; n > most {
			busiest, most = second, n
		}
	}
	s.line("events", "%.1f a second; %d in the busiest one, at %d s", average, most, busiest)
	names := slices.Collect(maps.Keys(r.Stats.ByMethod))
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Stats.ByMethod[b], r.Stats.ByMethod[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		if i == summaryMethods {
			s.line("", "and %d more methods", len(names)-i)
			break
		}
		s.line("", "%7d %s", r.Stats.ByMethod[name], plain(name))
	}
	s.line("unused", "%d of methods that the engine has no use for, %d of sessions that are not its own", r.Stats.Unknown, r.Withheld)
	s.line("lost", "%d dropped, %d malformed", r.Stats.Dropped, r.Stats.Malformed)
	if r.Silent > 0 {
		s.line("silent", "%d commands of the engine had no answer, as in the recording", r.Silent)
	}
}
