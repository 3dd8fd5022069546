package replay

import (
	"bytes"
	_ "embed" // the page
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"cdpsupervisor/messages"
)

// reportPage is the page that shows a report. It loads nothing from anywhere.
//
//go:embed report.html
var reportPage []byte

// Bounds of a report: what a page can still draw.
const (
	reportFrames   = 4_000
	reportSessions = 4_000
	reportDialogs  = 2_000
	reportBuckets  = 600
)

// reportData is what the page draws. Times are seconds since the start.
type reportData struct {
	Name     string            `json:"name"`
	Format   string            `json:"format"`
	Started  string            `json:"started"`
	Browser  string            `json:"browser"`
	Page     string            `json:"page"`
	Status   string            `json:"status"`
	Reason   string            `json:"reason"`
	Duration float64           `json:"duration"`
	Stats    Stats             `json:"stats"`
	Sent     int               `json:"sent"`
	Bucket   float64           `json:"bucket"` // seconds a bar
	Rates    []float64         `json:"rates"`  // events a second
	Dialogs  []reportDialog    `json:"dialogs"`
	Sessions []reportSession   `json:"sessions"`
	Frames   []reportFrame     `json:"frames"`
	Console  []reportError     `json:"console"`
	Left     map[string]int    `json:"left"` // not in the lists, by list
	Notes    []string          `json:"notes"`
	Lost     map[string]uint64 `json:"lost"`
}

type reportDialog struct {
	ID      string  `json:"id"`
	Type    string  `json:"type"`
	Message string  `json:"message"`
	URL     string  `json:"url"`
	From    float64 `json:"from"`
	To      float64 `json:"to"`
	Open    bool    `json:"open"`
	By      string  `json:"by"`
	Reason  string  `json:"reason"`
	Result  bool    `json:"result"`
	Text    *string `json:"text"`
	Count   int     `json:"count"`
}

type reportSession struct {
	ID   string  `json:"id"`
	Kind string  `json:"kind"`
	URL  string  `json:"url"`
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Open bool    `json:"open"`
	Left bool    `json:"left"`
}

type reportFrame struct {
	ID      string  `json:"id"`
	Parent  string  `json:"parent"`
	URL     string  `json:"url"`
	Origin  string  `json:"origin"`
	Before  string  `json:"before"`
	Session string  `json:"session"`
	OOPIF   bool    `json:"oopif"`
	Depth   int     `json:"depth"`
	From    float64 `json:"from"`
	To      float64 `json:"to"`
	Open    bool    `json:"open"`
}

type reportError struct {
	At   float64 `json:"at"`
	Kind string  `json:"kind"`
	Text string  `json:"text"`
	URL  string  `json:"url"`
	Line int64   `json:"line"`
}

// WriteReport writes a page of its own that shows the replay as a timeline. name
// is what it calls the trace. Frames are in it if Options.Frames asked for them.
func (r *Result) WriteReport(w io.Writer, name string) error {
	data, err := json.Marshal(r.report(name)) // it escapes <, > and &
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	before, after, found := bytes.Cut(reportPage, []byte("{{data}}"))
	if !found {
		return fmt.Errorf("report: its page has no place for the data")
	}
	for _, part := range [][]byte{before, data, after} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

func (r *Result) report(name string) *reportData {
	d := &reportData{
		Name: name, Format: string(r.Format), Browser: r.Header.Browser, Page: r.Snapshot.Page.URL, Status: "well",
		Duration: r.Stats.Duration, Stats: r.Stats, Sent: r.Sent, Notes: r.Notes, Left: make(map[string]int),
		Lost: map[string]uint64{"unknown": r.Stats.Unknown, "dropped": r.Stats.Dropped, "malformed": r.Stats.Malformed, "withheld": uint64(max(0, r.Withheld))},
	}
	if dated(r.Header.Start) {
		d.Started = r.Start.UTC().Format("2006-01-02 15:04:05 MST")
	}
	if s := r.Snapshot.Supervisor; s != nil {
		d.Status, d.Reason = string(s.Status), s.Reason
	}
	d.rates(r.Seconds)
	d.dialogs(r)
	d.sessions(r)
	d.frames(r)
	for _, c := range r.Console {
		d.Console = append(d.Console, reportError{At: inSeconds(c.At.Time().Sub(r.PageStart)), Kind: c.Kind, Text: c.Text, URL: c.URL, Line: c.Line})
	}
	return d
}

func (r *Result) since(t messages.Seconds) float64 { return inSeconds(t.Time().Sub(r.Start)) }

func inSeconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e6 }

// rates sums the events up to at most reportBuckets bars.
func (d *reportData) rates(bySecond map[int]int) {
	last := 0
	for second := range bySecond {
		last = max(last, second)
	}
	width := last/reportBuckets + 1
	d.Bucket = float64(width)
	d.Rates = make([]float64, last/width+1)
	for _, second := range slices.Sorted(maps.Keys(bySecond)) {
		d.Rates[second/width] += float64(bySecond[second]) / float64(width)
	}
}

func (d *reportData) dialogs(r *Result) {
	for i, dialog := range r.Dialogs {
		if i == reportDialogs {
			d.Left["dialogs"] = len(r.Dialogs) - i
			break
		}
		if e := dialog.Ended; e != nil {
			d.Dialogs = append(d.Dialogs, reportDialog{
				ID: string(e.ID), Type: string(e.Type), Message: e.Message, URL: e.URL, From: r.since(e.OpenedAt), To: r.since(e.ClosedAt),
				By: string(e.ClosedBy), Reason: string(e.Reason), Result: e.Result, Text: e.PromptText, Count: e.Count,
			})
			continue
		}
		o := dialog.Open
		d.Dialogs = append(d.Dialogs, reportDialog{
			ID: string(o.ID), Type: string(o.Type), Message: o.Message, URL: o.URL, From: r.since(o.OpenedAt), To: d.Duration, Open: true, Count: o.Count,
		})
	}
}

func (d *reportData) sessions(r *Result) {
	for i, s := range r.Attached {
		if i == reportSessions {
			d.Left["sessions"] = len(r.Attached) - i
			break
		}
		line := reportSession{ID: s.ID, Kind: s.Kind, URL: s.URL, From: inSeconds(s.From), To: inSeconds(s.To), Open: s.To == 0, Left: s.Left}
		if line.Open {
			line.To = d.Duration
		}
		d.Sessions = append(d.Sessions, line)
	}
}

// frames lists the frames, children below their parents.
func (d *reportData) frames(r *Result) {
	children := make(map[messages.FrameID][]*FrameSpan)
	known := make(map[messages.FrameID]bool)
	for _, f := range r.Spans {
		known[f.Entry.FrameID] = true
	}
	var tops []*FrameSpan
	for _, f := range r.Spans {
		if parent := f.Entry.ParentFrameID; parent != "" && known[parent] && parent != f.Entry.FrameID {
			children[parent] = append(children[parent], f)
		} else {
			tops = append(tops, f)
		}
	}
	done := make(map[*FrameSpan]bool)
	var add func(f *FrameSpan, depth int)
	add = func(f *FrameSpan, depth int) {
		if done[f] || depth > messages.MaxFrameDepth {
			return
		}
		done[f] = true
		if len(d.Frames) == reportFrames {
			d.Left["frames"]++
		} else {
			d.Frames = append(d.Frames, frameLine(f, depth, d.Duration))
		}
		for _, c := range children[f.Entry.FrameID] {
			add(c, depth+1)
		}
	}
	for _, f := range tops {
		add(f, 0)
	}
}

func frameLine(f *FrameSpan, depth int, end float64) reportFrame {
	line := reportFrame{
		ID: string(f.Entry.FrameID), Parent: string(f.Entry.ParentFrameID), URL: f.Entry.URL, Origin: f.Entry.Origin, Before: f.Before,
		Session: string(f.Entry.SessionID), OOPIF: f.OOPIF, Depth: depth, From: inSeconds(f.From), To: inSeconds(f.To), Open: f.To == 0,
	}
	if line.Open {
		line.To = end
	}
	return line
}
