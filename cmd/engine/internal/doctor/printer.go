package doctor

import (
	"encoding/json"
	"fmt"
	"io"
)

// printer writes the table as it grows, or the object in the end.
type printer struct {
	out      io.Writer
	terminal bool
	quiet    bool
}

const (
	green = "\x1b[32m"
	red   = "\x1b[31m"
	grey  = "\x1b[90m"
	plain = "\x1b[0m"
)

func (p printer) colour(code, text string) string {
	if !p.terminal {
		return text
	}
	return code + text + plain
}

func (p printer) begin(endpoint string) {
	if !p.quiet && endpoint != "" {
		_, _ = fmt.Fprintf(p.out, "What %s supports:\n\n", endpoint)
	}
}

// row writes one line: a mark, the name, what was found.
func (p printer) row(r row) {
	if p.quiet {
		return
	}
	mark, took := p.colour(grey, "–"), ""
	if r.OK != nil {
		mark = p.colour(red, "✗")
		if *r.OK {
			mark = p.colour(green, "✓")
		}
		took = p.colour(grey, fmt.Sprintf(" (%.1f ms)", r.MS))
	}
	_, _ = fmt.Fprintf(p.out, "%s %-*s  %s%s\n", mark, len(rowFrom), r.Name, r.Detail, took)
}

// end writes the summary, or the object.
func (p printer) end(all report, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(p.out).Encode(all)
	}
	if len(all.Rows) == 0 {
		return nil
	}
	var held, failed, untried int
	for _, r := range all.Rows {
		switch {
		case r.OK == nil:
			untried++
		case *r.OK:
			held++
		default:
			failed++
		}
	}
	_, err := fmt.Fprintf(p.out, "\n%d ✓, %d ✗, %d not tried\n", held, failed, untried)
	return err
}

// Refuse prints, as --json promises, an examination that could not begin.
func Refuse(out io.Writer, why error) error {
	return json.NewEncoder(out).Encode(report{Rows: []row{}, Error: clean(why.Error())})
}
