package fakebrowser

import (
	"errors"
	"slices"
	"strings"
)

// selector is a list of alternatives, each a chain of simple selectors from
// the outermost to the element itself.
type selector [][]simple

// simple is one compound selector: tag, #id, .class and [attr=value].
type simple struct {
	tag, id string
	classes []string
	attrs   []attribute
	has     []string
	child   bool // its parent is matched by the one before, not an ancestor
}

var errSelector = errors.New("fakebrowser: selector not understood")

// parseSelector reads the selectors that test pages use.
func parseSelector(s string) (selector, error) {
	var out selector
	for _, alt := range strings.Split(s, ",") {
		var chain []simple
		child := false
		for _, word := range strings.Fields(strings.ReplaceAll(alt, ">", " > ")) {
			if word == ">" {
				child = true
				continue
			}
			one, err := parseSimple(word)
			if err != nil {
				return nil, err
			}
			one.child = child
			child = false
			chain = append(chain, one)
		}
		if len(chain) == 0 {
			return nil, errSelector
		}
		out = append(out, chain)
	}
	return out, nil
}

func parseSimple(s string) (simple, error) {
	var out simple
	end := func(from int) int {
		i := from
		for i < len(s) && !strings.ContainsRune(".#[:", rune(s[i])) {
			i++
		}
		return i
	}
	i := end(0)
	if t := strings.ToLower(s[:i]); t != "*" {
		out.tag = t
	}
	for i < len(s) {
		switch s[i] {
		case '#', '.':
			j := end(i + 1)
			if name := s[i+1 : j]; s[i] == '#' {
				out.id = name
			} else {
				out.classes = append(out.classes, name)
			}
			i = j
		case '[':
			j := strings.IndexByte(s[i:], ']')
			if j < 0 {
				return out, errSelector
			}
			key, value, eq := strings.Cut(s[i+1:i+j], "=")
			if eq {
				out.attrs = append(out.attrs, attribute{key, strings.Trim(value, `"'`)})
			} else {
				out.has = append(out.has, key)
			}
			i += j + 1
		default:
			return out, errSelector
		}
	}
	return out, nil
}

func (s selector) matches(n *node) bool {
	return slices.ContainsFunc(s, func(chain []simple) bool { return matchChain(chain, n) })
}

func matchChain(chain []simple, n *node) bool {
	last := chain[len(chain)-1]
	if !last.matches(n) {
		return false
	}
	rest := chain[:len(chain)-1]
	if len(rest) == 0 {
		return true
	}
	for up := n.up; up != nil; up = up.up {
		if matchChain(rest, up) {
			return true
		}
		if last.child {
			return false
		}
	}
	return false
}

func (s simple) matches(n *node) bool {
	if n.kind != elementNode || s.tag != "" && s.tag != n.tag || s.id != "" && s.id != n.attr("id") {
		return false
	}
	have := strings.Fields(n.attr("class"))
	for _, c := range s.classes {
		if !slices.Contains(have, c) {
			return false
		}
	}
	for _, a := range s.attrs {
		if !n.hasAttr(a.name) || n.attr(a.name) != a.value {
			return false
		}
	}
	return !slices.ContainsFunc(s.has, func(k string) bool { return !n.hasAttr(k) })
}
