package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cdpsupervisor/messages"
	"cdpsupervisor/pageurl"
)

// arguments are the checked arguments of one call, each of the Go type that
// its schema says: string, float64, bool, or json.RawMessage for an object.
type arguments map[string]any

func (a arguments) text(name string) string {
	s, _ := a[name].(string)
	return s
}

// optionalText tells an empty string from none.
func (a arguments) optionalText(name string) *string {
	if s, ok := a[name].(string); ok {
		return &s
	}
	return nil
}

func (a arguments) number(name string, otherwise float64) float64 {
	if n, ok := a[name].(float64); ok {
		return n
	}
	return otherwise
}

func (a arguments) flag(name string) bool {
	b, _ := a[name].(bool)
	return b
}

func (a arguments) object(name string) json.RawMessage {
	o, _ := a[name].(json.RawMessage)
	return o
}

// check turns raw arguments into checked ones. Every failure is
// invalid_argument; nothing is clamped or guessed.
func (s Schema) check(tool string, raw json.RawMessage) (arguments, *messages.Failure) {
	given, failure := s.decode(tool, raw)
	if failure != nil {
		return nil, failure
	}
	for _, name := range sortedKeys(given) {
		if _, known := s.property(name); !known {
			return nil, s.unknown(tool, name)
		}
	}
	args := arguments{}
	for _, p := range s.Properties {
		value, failure := p.check(tool, given[p.Name])
		if failure != nil {
			return nil, failure
		}
		if value != nil {
			args[p.Name] = value
		} else if p.Required {
			return nil, invalid("%s needs %s: %s", tool, p.Name, p.Description)
		}
	}
	for _, pair := range s.Excludes {
		_, first := args[pair[0]]
		_, second := args[pair[1]]
		if first && second {
			return nil, invalid("%s takes %s or %s, not both; leave one out", tool, pair[0], pair[1])
		}
	}
	return args, nil
}

func (s Schema) decode(tool string, raw json.RawMessage) (map[string]json.RawMessage, *messages.Failure) {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && trimmed[0] != '{' && !json.Valid(trimmed) {
		return nil, invalid("the arguments of %s are not valid JSON: write an object, such as {%q: …}", tool, s.Properties[0].Name)
	}
	return decodeObject(tool, raw)
}

func decodeObject(tool string, raw json.RawMessage) (map[string]json.RawMessage, *messages.Failure) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return map[string]json.RawMessage{}, nil
	}
	if raw[0] != '{' {
		return nil, invalid("the arguments of %s must be a JSON object, got %s", tool, kindOf(raw))
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, invalid("the arguments of %s are not valid JSON: %v", tool, err)
	}
	return given, nil
}

// check returns the value as its Go type, or nil when it is not given.
func (p Property) check(tool string, raw json.RawMessage) (any, *messages.Failure) {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	switch p.Type {
	case String:
		return p.checkString(tool, raw)
	case Number, Integer:
		return p.checkNumber(tool, raw)
	case Boolean:
		var b bool
		if json.Unmarshal(raw, &b) != nil {
			return nil, p.wrongType(tool, raw)
		}
		return b, nil
	case Object:
		if raw[0] != '{' {
			return nil, p.wrongType(tool, raw)
		}
		return raw, nil
	default:
		return nil, p.wrongType(tool, raw)
	}
}

func (p Property) checkString(tool string, raw json.RawMessage) (any, *messages.Failure) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil, p.wrongType(tool, raw)
	}
	switch {
	case s == "" && p.NonEmpty && p.Required:
		return nil, invalid("%s of %s is empty: %s", p.Name, tool, p.Description)
	case s == "" && p.NonEmpty:
		return nil, nil
	case len(p.Enum) > 0 && !slices.Contains(p.Enum, s):
		return nil, invalid("%s of %s must be one of %s, got %s", p.Name, tool, strings.Join(p.Enum, ", "), quoted(s))
	case p.MaxBytes > 0 && len(s) > p.MaxBytes:
		return nil, invalid("%s of %s is %d bytes long; the limit is %d", p.Name, tool, len(s), p.MaxBytes)
	}
	if p.Pattern != "" {
		if fits, err := regexp.MatchString(p.Pattern, s); err != nil || !fits {
			return nil, invalid("%s of %s does not fit: %s got %s", p.Name, tool, p.Description, quoted(s))
		}
	}
	if p.page {
		if failure := p.checkPage(tool, s); failure != nil {
			return nil, failure
		}
	}
	return s, nil
}

// checkPage refuses a URL that no browser would show as a page.
func (p Property) checkPage(tool, url string) *messages.Failure {
	if strings.TrimSpace(url) == "" {
		return invalid("%s of %s is empty: %s", p.Name, tool, p.Description)
	}
	if problem := pageurl.Problem(url); problem != "" {
		return invalid("%s of %s %s", p.Name, tool, problem)
	}
	return nil
}

func (p Property) checkNumber(tool string, raw json.RawMessage) (any, *messages.Failure) {
	var written json.Number
	if json.Unmarshal(raw, &written) != nil || raw[0] == '"' {
		return nil, p.wrongType(tool, raw)
	}
	n, _ := written.Float64() // infinite where it is larger than any
	switch {
	case p.Type == Integer && n != math.Trunc(n) && !math.IsInf(n, 0):
		return nil, invalid("%s of %s must be a whole number, got %s", p.Name, tool, clip(string(raw)))
	case p.Range != nil && !p.Range.contains(n):
		return nil, invalid("%s of %s must be from %s to %s, got %s", p.Name, tool, plain(p.Range.Min), plain(p.Range.Max), clip(string(raw)))
	}
	return n, nil
}

func (p Property) wrongType(tool string, raw json.RawMessage) *messages.Failure {
	return invalid("%s of %s must be %s, got %s", p.Name, tool, article(string(p.Type)), kindOf(raw))
}

// unknown names the argument that was probably meant.
func (s Schema) unknown(tool, name string) *messages.Failure {
	hint := ""
	for _, known := range s.names() {
		if folded(known) == folded(name) {
			hint = "; did you mean " + known + "?"
		}
	}
	return invalid("%s has no argument %s%s It takes %s", tool, quoted(name), orPeriod(hint), strings.Join(s.names(), ", "))
}

func orPeriod(hint string) string {
	if hint == "" {
		return "."
	}
	return hint
}

// folded makes frameId, frame-id and FrameID equal to frame_id.
func folded(s string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(s))
}

func kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	default:
		return "a number"
	}
}

func article(kind string) string {
	if kind == string(Integer) || kind == string(Object) {
		return "an " + kind
	}
	return "a " + kind
}

// clip keeps what a caller sent from filling an error.
func clip(s string) string {
	s, cut := messages.Cut(s, 60)
	if cut {
		s += "…"
	}
	return s
}

func quoted(s string) string { return strconv.Quote(clip(s)) }

func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func invalid(format string, args ...any) *messages.Failure {
	return messages.Fail(messages.CodeInvalidArgument, "%s", fmt.Sprintf(format, args...)).Because(messages.ErrInvalid)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
