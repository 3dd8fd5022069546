package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// printer writes the lines for people.
type printer struct {
	out      io.Writer
	terminal bool
}

const (
	green = "\x1b[32m"
	red   = "\x1b[31m"
	grey  = "\x1b[90m"
	plain = "\x1b[0m"
	erase = "\r\x1b[K"
)

func (p printer) colour(code, text string) string {
	if !p.terminal {
		return text
	}
	return code + text + plain
}

// progress shows what is being done, until the next line.
func (p printer) progress(doing string) {
	if !p.terminal {
		return
	}
	if doing != "" {
		doing = grey + "…    " + doing + plain
	}
	_, _ = fmt.Fprint(p.out, erase+doing)
}

func (p printer) begin(browser string, sim bool) {
	p.progress("")
	kind := "headless, with site isolation"
	if sim {
		kind = "the built-in fake browser"
	}
	_, _ = fmt.Fprintf(p.out, "%s (%s)\n\n", browser, kind)
}

// step writes one readable line, the piece of the snapshot, and what was wrong.
func (p printer) step(s step, r result, shown map[string]any) {
	p.progress("")
	mark := p.colour(green, "ok  ")
	if !r.OK {
		mark = p.colour(red, "FAIL")
	}
	_, _ = fmt.Fprintf(p.out, "%s %s: %s %s\n", mark, s.name, s.says, p.colour(grey, fmt.Sprintf("(%.1f ms)", r.MS)))
	for line := range strings.Lines(r.Error) {
		_, _ = fmt.Fprintf(p.out, "     %s\n", p.colour(red, strings.TrimSuffix(line, "\n")))
	}
	if shown != nil {
		text, err := json.Marshal(shown)
		if err != nil {
			text = []byte(err.Error())
		}
		_, _ = fmt.Fprintf(p.out, "     %s\n", p.colour(grey, string(text)))
	}
}

// summary says how many steps held.
func (p printer) summary(all report) {
	if len(all.Steps) == 0 {
		return
	}
	held := 0
	for _, r := range all.Steps {
		if r.OK {
			held++
		}
	}
	text := fmt.Sprintf("%d of %d steps held.", held, len(steps()))
	if all.OK {
		text = p.colour(green, text)
	} else {
		text = p.colour(red, text)
	}
	_, _ = fmt.Fprintf(p.out, "\n%s\n", text)
}
