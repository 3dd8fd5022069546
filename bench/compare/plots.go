package compare

import "strings"

// plotStyle is what of the page's style a plot needs that stands alone.
const plotStyle = `<style>svg{font:13px system-ui,sans-serif;background:#fff}.label{text-anchor:end;fill:#1b1f24}.value,.tick{fill:#6a737d}.tick{text-anchor:middle}` +
	`.bar{fill:#b8c4d2}.bar.ours{fill:#0b6bcb}.spread{stroke:#1b1f24;stroke-width:1.2;opacity:.55}.grid{stroke:#e1e4e8}` +
	`.curve{fill:none;stroke:#8a97a6;stroke-width:2}.curve.ours{stroke:#0b6bcb;stroke-width:2.5}.dot{fill:#8a97a6}.dot.ours{fill:#0b6bcb}</style>`

// Plots are the drawings that a text can show, by their file names: how the cost
// grows, and the clients side by side.
func (r *Report) Plots() map[string]string {
	plots := make(map[string]string)
	add := func(name, svg string) {
		if svg != "" {
			plots[name+".svg"] = strings.Replace(svg, "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `, 1)
			plots[name+".svg"] = strings.Replace(plots[name+".svg"], ">", ">"+plotStyle, 1)
		}
	}
	for i, name := range []string{"frames", "sessions", "tasks"} {
		add(name, string(r.growth()[i].Image))
	}
	if s := r.Shape(BurstLarge); s != nil {
		add("burst", string(s.bars(CPUPerEvent, "µs", true)))
	}
	return plots
}
