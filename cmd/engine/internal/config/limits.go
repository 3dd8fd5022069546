package config

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// A configuration is a dozen lines. The parser takes time and memory with the
// square of what it is given, for some texts with more: a megabyte of opening
// brackets costs it minutes and all memory there is. What is beyond these
// limits is refused before it gets there.
const (
	// maxFileBytes is the largest file that is taken for a configuration.
	maxFileBytes = 64 << 10
	// maxLines is how many lines such a file may have.
	maxLines = 1000
	// maxNesting is how deep lists and mappings may be nested.
	maxNesting = 16
	// maxProblems is how many problems of one file are shown.
	maxProblems = 20
)

// small says what is normal to somebody whose file is not.
const small = `a configuration needs no more than a dozen short lines; "engine config show" prints one`

// readSmall reads a file of at most [maxFileBytes].
func readSmall(file io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err == nil && len(text) > maxFileBytes {
		err = errTooLarge
	}
	return text, err
}

var errTooLarge = fmt.Errorf("it is larger than %d KiB, the limit: %s", maxFileBytes>>10, small)

// checkLines refuses a text with more than [maxLines] lines. A carriage return
// ends a line for the parser, too.
func checkLines(source excerpts, text []byte) error {
	lines := bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte("\r")) - bytes.Count(text, []byte("\r\n"))
	if lines < maxLines {
		return nil
	}
	return source.at(nil, "", "it has more than %d lines, the limit: remove comments and blank lines; %s", maxLines, small)
}

// checkEncoding refuses other encodings: a secret in one would not be found in
// an error, and what is shown of the file would be unreadable.
func checkEncoding(source excerpts, text []byte) error {
	if utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 {
		return nil
	}
	return source.at(nil, "", "it is not UTF-8 text (UTF-16, as some Windows programs write it, is not taken): save it as UTF-8")
}

// checkNesting refuses tokens that open more than [maxNesting] lists and
// mappings inside each other.
func checkNesting(source excerpts, tokens token.Tokens) error {
	n := nesting{}
	for _, t := range tokens {
		if n.add(t); n.depth() > maxNesting {
			return source.at(t, "", "lists and mappings are nested deeper than %d levels, the limit: a configuration has two, %q and its keys; %s",
				maxNesting, section+":", small)
		}
	}
	return nil
}

// nesting follows how deep a token stands: brackets are counted, blocks are
// told by their columns.
type nesting struct {
	brackets int
	blocks   []int // columns of the open blocks, each larger than the one before
	line     int   // of the token before
}

func (n *nesting) depth() int { return n.brackets + len(n.blocks) }

func (n *nesting) add(t *token.Token) {
	first := t.Position.Line != n.line
	n.line = t.Position.Line
	switch t.Type {
	case token.CommentType:
	case token.SequenceStartType, token.MappingStartType:
		n.brackets++
	case token.SequenceEndType, token.MappingEndType:
		n.brackets = max(0, n.brackets-1)
	case token.SequenceEntryType, token.MappingKeyType:
		n.block(t.Position.Column)
	default:
		if first {
			n.block(t.Position.Column)
		}
	}
}

// block begins a block at a column, which ends those that are further right.
func (n *nesting) block(column int) {
	if n.brackets > 0 { // columns mean nothing there
		return
	}
	for len(n.blocks) > 0 && n.blocks[len(n.blocks)-1] >= column {
		n.blocks = n.blocks[:len(n.blocks)-1]
	}
	n.blocks = append(n.blocks, column)
}
