package config

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// scalarKind is what a setting may be in the file.
type scalarKind uint8

const (
	textScalar scalarKind = iota + 1
	numberScalar
	boolScalar
	textOrBoolScalar
)

const section = "browser"

// parse takes the values of a file. All of its problems are returned.
func (c *Config) parse(path string, text []byte) error {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	source := excerpts{path: path, lines: strings.Split(string(text), "\n")}
	for _, check := range []func(excerpts, []byte) error{checkEncoding, checkLines} {
		if err := check(source, text); err != nil {
			return err
		}
	}
	tokens, err := tokenize(text)
	if err != nil {
		return source.syntax(err)
	}
	if err := checkNesting(source, tokens); err != nil {
		return err
	}
	file, err := parseYAML(tokens)
	if err != nil {
		return source.syntax(err)
	}
	var problems []error
	if second := secondDocument(tokens); second != nil {
		problems = append(problems, source.at(second, "", "a second document begins here; a configuration is one document"))
	}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.DirectiveType {
			continue
		}
		problems = append(problems, c.readDocument(source, doc.Body))
		break
	}
	return errors.Join(problems...)
}

// tokenize and parseYAML keep a panic of the library from being ours: what it
// was given is no configuration either way.
func tokenize(text []byte) (tokens token.Tokens, err error) {
	defer notYAML(&err)
	return lexer.Tokenize(string(text)), nil
}

func parseYAML(tokens token.Tokens) (file *ast.File, err error) {
	defer notYAML(&err)
	return parser.Parse(tokens, 0)
}

func notYAML(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("it is not YAML: %v", r)
	}
}

// secondDocument returns where a second document has content, or nil. The
// tokens tell, because the parser drops whatever follows an empty document.
func secondDocument(tokens token.Tokens) *token.Token {
	begun, over := false, false // the first document, by its header or content
	for _, t := range tokens {
		switch t.Type {
		case token.CommentType:
		case token.DocumentHeaderType:
			begun, over = true, begun
		case token.DocumentEndType:
			over = begun
		default:
			if over {
				return t
			}
			begun = begun || !isDirective(t)
		}
	}
	return nil
}

// isDirective tells %YAML 1.2 from content: its words are tokens of their own.
func isDirective(t *token.Token) bool {
	for ; t != nil; t = t.Prev {
		if t.Type == token.DirectiveType {
			return true
		}
		if t.Prev == nil || t.Prev.Position.Line != t.Position.Line {
			return false
		}
	}
	return false
}

func (c *Config) readDocument(source excerpts, body ast.Node) error {
	if body == nil || body.Type() == ast.NullType {
		return nil
	}
	entries, ok := pairs(body)
	if !ok {
		return source.at(body.GetToken(), "", "found %s; allowed is the section %q with its keys", kindOf(body), section+":")
	}
	var problems []error
	for _, e := range entries {
		if len(problems) >= maxProblems {
			return errors.Join(append(problems, source.more())...)
		}
		if key := keyOf(e); key != section {
			problems = append(problems, source.at(e.Key.GetToken(), "", "found the unknown key %q; allowed: %s%s", clip(key), section, meant(key, []string{section})))
			continue
		}
		if err := c.readSection(source, e.Value); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

func (c *Config) readSection(source excerpts, body ast.Node) error {
	if body == nil || body.Type() == ast.NullType {
		return nil
	}
	entries, ok := pairs(body)
	if !ok {
		return source.at(body.GetToken(), section, "found %s; allowed are keys with values", kindOf(body))
	}
	known := map[string]setting{}
	var names []string
	for _, s := range settings() {
		known[s.key] = s
		names = append(names, s.key)
	}
	var problems []error
	for _, e := range entries {
		if len(problems) >= maxProblems {
			return errors.Join(append(problems, source.more())...)
		}
		key := keyOf(e)
		s, ok := known[key]
		if !ok {
			problems = append(problems, source.at(e.Key.GetToken(), section,
				"found the unknown key %q; allowed: %s%s", clip(key), strings.Join(names, ", "), meant(key, names)))
			continue
		}
		if err := c.readValue(source, s, e); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

func (c *Config) readValue(source excerpts, s setting, entry *ast.MappingValueNode) error {
	name, node := section+"."+s.key, entry.Value
	if node == nil || node.Type() == ast.NullType {
		return source.at(entry.Key.GetToken(), name, "found no value; allowed: %s", s.allowed)
	}
	value, ok := scalar(s.file, node)
	if !ok {
		return source.at(node.GetToken(), name, "found %s; allowed: %s", kindOf(node), s.allowed)
	}
	if err := s.set(c, value); err != nil {
		return source.at(node.GetToken(), name, "%s", err.Error())
	}
	position := node.GetToken().Position
	c.origins[s.key] = Origin{FromFile, fmt.Sprintf("%s:%d:%d", source.path, position.Line, position.Column)}
	return nil
}

// scalar returns the text of a node that is of the right kind. Quoted numbers
// are texts, and other nodes are nothing that a setting can be.
func scalar(kind scalarKind, node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, kind == textScalar || kind == textOrBoolScalar
	case *ast.BoolNode:
		return strconv.FormatBool(n.Value), kind == boolScalar || kind == textOrBoolScalar
	case *ast.IntegerNode:
		text := fmt.Sprint(n.Value)
		if written := n.GetToken().Value; strings.Trim(written, "0123456789") == "" {
			text = written // the parser takes 010 for octal, as YAML did before 1.2
		}
		return text, kind == numberScalar
	case *ast.FloatNode:
		return strconv.FormatFloat(n.Value, 'f', -1, 64), kind == numberScalar
	case *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, false
	default:
		return "", false
	}
}

// pairs returns the entries of a mapping.
func pairs(node ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	default:
		return nil, false
	}
}

func keyOf(e *ast.MappingValueNode) string { return e.Key.GetToken().Value }

func kindOf(node ast.Node) string {
	switch n := node.(type) {
	case *ast.StringNode:
		return fmt.Sprintf("the text %q", clip(n.Value))
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return clip(node.GetToken().Value)
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AliasNode, *ast.AnchorNode:
		return "an alias or an anchor"
	case *ast.TagNode:
		return "a tag"
	case *ast.LiteralNode:
		return "a block of text"
	default:
		return "something else"
	}
}

// yamlError is what the parser's errors have in common.
func yamlError(err error) (message string, at *token.Token) {
	if e, ok := errors.AsType[yaml.Error](err); ok {
		return e.GetMessage(), e.GetToken()
	}
	return err.Error(), nil
}
