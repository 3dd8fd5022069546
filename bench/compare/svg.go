package compare

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// bar is one line of a bar chart.
type bar struct {
	Label string
	Value Spread
	Ours  bool
	Note  string // behind the value
}

const (
	chartWidth = 760.0
	labelWidth = 190.0
	valueWidth = 170.0
	barHeight  = 26.0
)

// bars draws horizontal bars from zero, with a thin line from the smallest to the
// largest value.
func bars(list []bar, unit string) template.HTML {
	if len(list) == 0 {
		return ""
	}
	most := 0.0
	for _, b := range list {
		most = max(most, b.Value.Max)
	}
	room := chartWidth - labelWidth - valueWidth
	x := func(v float64) float64 { return labelWidth + room*v/max(most, 1e-9) }
	var s strings.Builder
	height := barHeight * float64(len(list))
	fmt.Fprintf(&s, `<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="bars, %s">`, chartWidth, height+4, html.EscapeString(unit))
	for i, b := range list {
		y := barHeight * float64(i)
		class := "bar"
		if b.Ours {
			class = "bar ours"
		}
		fmt.Fprintf(&s, `<text class="label" x="%.1f" y="%.1f">%s</text>`, labelWidth-8, y+17, html.EscapeString(b.Label))
		fmt.Fprintf(&s, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, class, labelWidth, y+4, max(x(b.Value.Median)-labelWidth, 1), barHeight-9)
		fmt.Fprintf(&s, `<line class="spread" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, x(b.Value.Min), x(b.Value.Max), y+barHeight/2, y+barHeight/2)
		fmt.Fprintf(&s, `<text class="value" x="%.1f" y="%.1f">%s %s%s</text>`, x(b.Value.Max)+8, y+17, number(b.Value.Median), html.EscapeString(unit), html.EscapeString(b.Note))
	}
	s.WriteString(`</svg>`)
	return template.HTML(s.String()) //nolint:gosec // every text in it was escaped above
}

// number prints three digits that matter.
func number(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

// point is one place on a curve.
type point struct {
	X float64
	Y Spread
}

// curve is a client's cost along something that grows.
type curve struct {
	Label  string
	Ours   bool
	Points []point
}

// curves draws costs over a logarithmic axis. Both start at zero cost, so that a
// flat line means what it looks like.
func curves(list []curve, what string) template.HTML {
	const width, height, left, bottom, right, top = 760.0, 260.0, 56.0, 40.0, 110.0, 14.0
	lo, hi, most := math.Inf(1), math.Inf(-1), 0.0
	for _, c := range list {
		for _, p := range c.Points {
			lo, hi, most = min(lo, p.X), max(hi, p.X), max(most, p.Y.Max)
		}
	}
	if most == 0 || hi <= lo {
		return ""
	}
	x := func(v float64) float64 {
		return left + (width-left-right)*math.Log(v/lo)/math.Log(hi/lo)
	}
	y := func(v float64) float64 { return height - bottom - (height-bottom-top)*v/(most*1.05) }
	var s strings.Builder
	fmt.Fprintf(&s, `<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="cost per event by %s">`, width, height, html.EscapeString(what))
	for i := range 5 {
		v := most * 1.05 * float64(i) / 4
		fmt.Fprintf(&s, `<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><text class="label" x="%.1f" y="%.1f">%s</text>`,
			left, width-right, y(v), y(v), left-6, y(v)+4, number(v))
	}
	ticked := make(map[float64]bool)
	for _, c := range list {
		class := ""
		if c.Ours {
			class = " ours"
		}
		var path []string
		for _, p := range c.Points {
			path = append(path, fmt.Sprintf("%.1f,%.1f", x(p.X), y(p.Y.Median)))
			fmt.Fprintf(&s, `<line class="spread" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><circle class="dot%s" cx="%.1f" cy="%.1f" r="3.5"/>`,
				x(p.X), x(p.X), y(p.Y.Min), y(p.Y.Max), class, x(p.X), y(p.Y.Median))
			if !ticked[p.X] {
				ticked[p.X] = true
				fmt.Fprintf(&s, `<text class="tick" x="%.1f" y="%.1f">%.0f</text>`, x(p.X), height-bottom+18, p.X)
			}
		}
		last := c.Points[len(c.Points)-1]
		fmt.Fprintf(&s, `<polyline class="curve%s" points="%s"/><text class="value" x="%.1f" y="%.1f">%s</text>`,
			class, strings.Join(path, " "), x(last.X)+9, y(last.Y.Median)+4, html.EscapeString(c.Label))
	}
	fmt.Fprintf(&s, `<text class="tick" x="%.1f" y="%.1f">%s</text></svg>`, (left+width-right)/2, height-4, html.EscapeString(what))
	return template.HTML(s.String()) //nolint:gosec // every text in it was escaped above
}
