package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/token"

	"cdpsupervisor/messages"
)

// excerpts shows places of one file.
type excerpts struct {
	path  string
	lines []string
}

// Problem is one thing that is wrong in a file.
type Problem struct {
	Path         string
	Line, Column int    // from 1; 0 when the place is not known
	Key          string // such as "browser.bridge"; empty for the file as a whole
	Text         string // what was found and what is allowed
	Excerpt      string // the line with a caret below the place, without secrets
}

// Error is the problem as a compiler would print it.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Path)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.Text)
	if p.Excerpt != "" {
		b.WriteString("\n" + p.Excerpt)
	}
	return b.String()
}

// at is a problem at a token.
func (e excerpts) at(where *token.Token, key, format string, args ...any) error {
	p := &Problem{Path: e.path, Key: key, Text: withoutSecrets(fmt.Sprintf(format, args...))}
	if where != nil && where.Position != nil {
		p.Line, p.Column = where.Position.Line, where.Position.Column
		p.Excerpt = e.excerpt(p.Line, p.Column)
	}
	return p
}

// more stands for the problems beyond [maxProblems].
func (e excerpts) more() error {
	return e.at(nil, "", "and more, which are not shown")
}

// syntax is a problem that the parser found.
func (e excerpts) syntax(err error) error {
	message, where := yamlError(err)
	message = strings.ReplaceAll(message, "\t", `\t`) // before it becomes a space: the usual culprit
	message, _ = messages.Cut(strings.Join(strings.Fields(message), " "), 300)
	return e.at(where, "", "not valid YAML: %s", message)
}

// maxExcerpt is how much of a line is shown.
const maxExcerpt = 200

// excerpt is one line and a caret, or its beginning where the place is too far
// to the right to be shown.
func (e excerpts) excerpt(line, column int) string {
	if line < 1 || line > len(e.lines) {
		return ""
	}
	text := []rune(strings.TrimSuffix(e.lines[line-1], "\r"))
	before := text[:min(max(column-1, 0), len(text))]
	shown, _ := messages.Cut(string(text), 20*maxExcerpt) // a secret that is cut here is one still
	shown, cut := messages.Cut(safe(withoutSecrets(shown)), maxExcerpt)
	number := fmt.Sprint(line)
	if cut && len(before) >= maxExcerpt {
		return fmt.Sprintf("  %s | %s…", number, shown)
	}
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(before))
	return fmt.Sprintf("  %s | %s\n  %s | %s^", number, shown, strings.Repeat(" ", len(number)), indent)
}

// withoutSecrets hides what the value of a cdp_url, or anything that looks like
// a URL, says beyond scheme, host and port. What stands before it keeps its
// column, and a scheme alone, as our own texts have it, stays as it is.
func withoutSecrets(text string) string {
	key := regexp.MustCompile(`(?i)(cdp_?-?url["']?\s*:\s*["']?)(\S.*)`)
	if at := key.FindStringSubmatchIndex(text); at != nil {
		value := strings.Trim(text[at[4]:], `"' `)
		shown := ""
		if regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://|[A-Za-z0-9.-]+:\d+)`).MatchString(value) {
			shown = messages.Endpoint(value).String()
		}
		return text[:at[4]] + shown + "…"
	}
	return regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"',][^\s"']*`).ReplaceAllStringFunc(text, func(url string) string {
		return messages.Endpoint(url).String() + "…"
	})
}

// safe keeps control characters off the terminal.
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
